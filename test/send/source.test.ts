import { afterAll, expect, test } from "bun:test";
import { MiB } from "../../src/base/bytes.ts";
import { connectSource } from "../../src/send/source.ts";

let answer: () => Response;
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => answer() });
afterAll(() => server.stop(true));
const source = connectSource({
  address: server.url.href,
  readToken: async () => "ff_token",
  caFile: undefined,
});
const read = async () => {
  const lines: string[] = [];
  for await (const line of source.lines(AbortSignal.timeout(30_000), () => {})) lines.push(line);
  return lines;
};
const LINES = { headers: { "Content-Type": "application/x-ndjson" } };

test("the lines of a source end with what ends them, and a page of something else is none", async () => {
  answer = () => new Response('{"a":1}\n{"b":"é"}\ncut o', LINES);
  expect(await read()).toEqual(['{"a":1}', '{"b":"é"}']);
  await source.check();
  answer = () => new Response("<p>Welcome\n", { headers: { "Content-Type": "text/html" } });
  expect(await read().catch(String)).toContain("it answers with the status 200");
  expect(await source.check().catch(String)).toContain("it answers with the status 200");
});

test("a line and a refusal without an end are not read for ever", async () => {
  let sent = 0;
  const chunk = new Uint8Array(4 * MiB).fill(120);
  const endless = () =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += chunk.length;
        controller.enqueue(chunk);
      },
    });
  answer = () => new Response(endless(), LINES);
  expect(await read().catch(String)).toContain("no lines of this product");
  expect(sent).toBeLessThan(512 * MiB);
  sent = 0;
  answer = () => new Response(endless(), { status: 502 });
  expect(await read().catch(String)).toContain("it answers with the status 502");
  expect(sent).toBeLessThan(64 * MiB);
});
