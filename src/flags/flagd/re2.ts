/** Apart from its users, since it is a quarter of a megabyte of code that is loaded by the first pattern of a rule. */
export { RE2JS, RE2JSException } from "re2js";
