import { describe, expect, test } from "bun:test";
import { createAnswerer } from "../../../cli/serve/threads/answerer.ts";
import { createForwarder } from "../../../cli/serve/threads/forwarder.ts";
import { eventually } from "../../support/eventually.ts";

/** A serving thread that passes requests on to a main thread, which answers with `answer`. */
function connect(answer: (request: Request, place: number, peer: string) => Response | Promise<Response>) {
  const reported: unknown[] = [];
  const answerer = createAnswerer(
    (place, request, peer) => answer(request, place, peer(request)),
    (part) => void setImmediate(() => forwarder.receive(structuredClone(part))),
    (error) => void reported.push(error),
  );
  const forwarder = createForwarder(
    (part) => void setImmediate(() => answerer.receive(structuredClone(part))),
  );
  const forward = (request: Request) => forwarder.forward(2, request, () => "192.0.2.7");
  return { forward, reported };
}

const URL_OF = "http://forms.example.com/dashboard?a=1";

describe("a request that is passed on to the main thread", () => {
  test("arrives with everything that it has, and its answer comes back whole", async () => {
    const { forward } = connect(async (request, place, peer) => {
      const { method, url, headers } = request;
      const seen = { method, url, place, peer, host: headers.get("host"), cookie: headers.get("cookie") };
      const answer = Response.json({ ...seen, body: await request.text() }, { status: 201 });
      answer.headers.append("Set-Cookie", "a=1");
      answer.headers.append("Set-Cookie", "b=2");
      return answer;
    });
    const headers = { host: "forms.example.com", cookie: "s=1", "content-length": "5" };
    const answer = await forward(new Request(URL_OF, { method: "POST", headers, body: "hello" }));
    expect(answer.status).toBe(201);
    expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(await answer.json()).toEqual({
      method: "POST",
      url: URL_OF,
      place: 2,
      peer: "192.0.2.7",
      host: "forms.example.com",
      cookie: "s=1",
      body: "hello",
    });
  });

  test("is not read before the main thread reads it", async () => {
    let read = 0;
    const { forward } = connect(() => new Response("no", { status: 401 }));
    const body = new ReadableStream({ pull: () => void (read += 1) }, { highWaterMark: 0 });
    expect((await forward(new Request(URL_OF, { method: "POST", body }))).status).toBe(401);
    expect(read).toBe(0);
  });

  test("gets long answers and long bodies piece by piece", async () => {
    const piece = new Uint8Array(100_000).fill(7);
    const pieces = (count: number) =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          if ((count -= 1) < 0) controller.close();
          else controller.enqueue(piece);
        },
      });
    const { forward } = connect(async (request) => {
      const sent = await request.bytes();
      return new Response(pieces(30), { headers: { "X-Sent": String(sent.length) } });
    });
    const answer = await forward(new Request(URL_OF, { method: "PUT", body: pieces(30) }));
    expect(answer.headers.get("x-sent")).toBe("3000000");
    expect((await answer.bytes()).length).toBe(3_000_000);
  });

  test.each([204, 303, 304])("may have an answer without a body: %p", async (status) => {
    const { forward } = connect(() => new Response(null, { status, headers: { ETag: '"1"' } }));
    const answer = await forward(new Request(URL_OF, { method: "HEAD" }));
    expect([answer.status, answer.headers.get("etag"), await answer.text()]).toEqual([status, '"1"', ""]);
  });

  test("may have an answer that goes on, whose end in the browser ends it in the main thread", async () => {
    let isOver = false;
    const { forward } = connect(() => {
      let send: Timer;
      const start = (controller: ReadableStreamDefaultController) => {
        controller.enqueue("first");
        send = setInterval(() => controller.enqueue("next"), 1);
      };
      const cancel = () => {
        clearInterval(send);
        isOver = true;
      };
      return new Response(new ReadableStream({ start, cancel }).pipeThrough(new TextEncoderStream()));
    });
    const answer = await forward(new Request(URL_OF));
    const reader = answer.body!.getReader();
    const [first, next] = [await reader.read(), await reader.read()];
    expect([first.value, next.value].map((bytes) => Buffer.from(bytes).toString())).toEqual([
      "first",
      "next",
    ]);
    await reader.cancel();
    await eventually("the stream to end", () => isOver);
  });

  test("is over in the main thread once its sender has gone", async () => {
    const gone = new AbortController();
    const aborted = Promise.withResolvers<void>();
    const { forward } = connect(async (request) => {
      request.signal.addEventListener("abort", () => aborted.resolve());
      gone.abort();
      await aborted.promise;
      return new Response("late");
    });
    const answer = await forward(new Request(URL_OF, { signal: gone.signal }));
    expect(await answer.text()).toBe("");
  });

  test("ends an answer that begins after its sender has gone", async () => {
    const gone = new AbortController();
    let isOver = false;
    const { forward } = connect((request) => {
      const aborted = new Promise((resolve) => request.signal.addEventListener("abort", resolve));
      let isFirst = true;
      const pull = async (controller: ReadableStreamDefaultController) => {
        if (!isFirst) await new Promise(() => {});
        isFirst = false;
        gone.abort();
        await aborted;
        controller.enqueue(new Uint8Array(3));
      };
      return new Response(
        new ReadableStream({ pull, cancel: () => void (isOver = true) }, { highWaterMark: 0 }),
      );
    });
    await (await forward(new Request(URL_OF, { signal: gone.signal }))).body?.cancel();
    await eventually("the stream to end", () => isOver);
  });

  test("fails where its answer breaks off, and the operator is told", async () => {
    const { forward, reported } = connect(
      () => new Response(new ReadableStream({ pull: (controller) => controller.error(new Error("disk")) })),
    );
    expect(await forward(new Request(URL_OF)).catch(String)).toContain("cut");
    await eventually("the report", () => reported.length === 1);
  });

  test("keeps its missing host a missing one", async () => {
    const { forward } = connect((request) => new Response(new URL(request.url).hostname));
    const request = new Request(URL_OF);
    Object.defineProperty(request, "url", { value: "/metrics" });
    expect(await (await forward(request)).text()).toBe("no-host.invalid");
  });
});
