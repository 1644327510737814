/** Sends `perSecond` requests on a fixed schedule and prints each latency, counted from when it was due, in ms. */
const [url, request, perSecond, seconds] = process.argv.slice(2);
const gap = 1000 / Number(perSecond);
const count = Number(perSecond) * Number(seconds);
const init = JSON.parse(request!) as RequestInit;
const latencies: number[] = [];
const pending: Promise<void>[] = [];
const start = performance.now() + 100;

for (let index = 0; index < count; index += 1) {
  const due = start + index * gap;
  while (performance.now() < due) await Bun.sleep(Math.max(0, due - performance.now() - 0.5));
  pending.push(measure(due));
}

async function measure(due: number): Promise<void> {
  const answer = await fetch(url!, init);
  await answer.arrayBuffer();
  latencies.push(performance.now() - due);
}

await Promise.all(pending);
process.stdout.write(JSON.stringify(latencies.toSorted((a, b) => a - b)));
