import http2 from "node:http2";
import { afterEach, expect, test } from "bun:test";
import { serveGrpc } from "../../../cli/serve/grpc.ts";
import { setClock } from "../../../src/base/clock.ts";

afterEach(() => setClock());

test("a call that is refused and never ends is ended, as one that never sends its message", async () => {
  const late: (() => void)[] = [];
  const after = (ms: number, run: () => void) => {
    if (ms === 20_000) late.push(run);
    return { close: () => {}, unref: () => ({ close: () => {}, unref: () => after(0, () => {}) }) };
  };
  setClock({ after });
  const methods = new Map([["/known", () => {}]]);
  const server = await serveGrpc({ hostname: "127.0.0.1", port: 0 }, null, methods);
  const session = http2.connect(`http://127.0.0.1:${server.port}`).on("error", () => {});
  const closed = ["/nothing", "/known"].map((path) => {
    const call = session.request({ ":method": "POST", ":path": path, "content-type": "application/grpc" });
    call.on("error", () => {}).resume();
    return new Promise<void>((fulfil) => void call.on("close", fulfil));
  });
  while (late.length < 2) await Bun.sleep(1);
  for (const run of late) run();
  await Promise.all(closed);
  session.destroy();
  server.close();
  expect(late).toHaveLength(2);
});
