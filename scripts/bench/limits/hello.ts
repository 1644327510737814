/** The least that an executable can do. */
console.log("hello");
