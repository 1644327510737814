/** Threads that listen at one port and answer with a text: as many as the second argument says. */
const [port, count] = Bun.argv.slice(2).map(Number);
for (let thread = 0; thread < count!; thread += 1)
  new Worker(new URL("./threads-worker.ts", import.meta.url).href).postMessage(port);
setInterval(() => {}, 60_000);
