import { yieldToEventLoop } from "../../../src/base/event-loop.ts";
import type { Peer } from "../../../src/http/hot.ts";
import type { AnswerPart, RequestPart } from "./messages.ts";

type Reader = { read: () => Promise<{ done: boolean; value?: Uint8Array | undefined }> };

type Answer = Extract<AnswerPart, { kind: "answer" | "answerFile" | "answerBegins" }>;

/** In a serving thread: passes requests on to the main thread. */
export function createForwarder(post: (message: RequestPart) => void) {
  type Forwarded = {
    answer: PromiseWithResolvers<Response>;
    body: Reader | undefined;
    request: Request;
    /** The answer to the sender, once it has begun and while more is to come. */
    sending?: { enqueue: (bytes: Uint8Array | null) => void; fail: () => void };
  };
  const forwarded = new Map<number, Forwarded>();
  let last = 0;

  const sendBody = async (id: number, { body, request }: Forwarded) => {
    try {
      const { done, value } = await body!.read();
      // The runtime notices bytes that it cannot parse behind a body only a turn later: see `refuseAbandoned`.
      if (done) await yieldToEventLoop();
      if (request.signal.aborted) post({ kind: "abort", id });
      else post({ kind: "requestBody", id, bytes: done ? null : (value ?? null) });
    } catch {
      post({ kind: "abort", id });
    }
  };
  const begin = (id: number, each: Forwarded, first: Uint8Array): ReadableStream<Uint8Array> => {
    let isWanted = () => {};
    return new ReadableStream<Uint8Array>({
      start(controller) {
        each.sending = {
          enqueue(bytes) {
            if (bytes) controller.enqueue(bytes);
            else controller.close();
            isWanted();
          },
          fail() {
            controller.error(new Error("the answer was cut off"));
            isWanted();
          },
        };
        controller.enqueue(first);
      },
      pull: () =>
        new Promise<void>((resolve) => {
          isWanted = resolve;
          post({ kind: "more", id });
        }),
      cancel() {
        forwarded.delete(id);
        post({ kind: "abort", id });
      },
    });
  };

  const bodyOf = (each: Forwarded, message: Answer): ReadableStream | Uint8Array<ArrayBuffer> | null => {
    if (message.kind === "answerBegins") return begin(message.id, each, message.body);
    if (message.kind === "answerFile") return Bun.file(message.path).stream();
    return message.body as Uint8Array<ArrayBuffer> | null;
  };

  return {
    async forward(place: number, request: Request, peer: Peer): Promise<Response> {
      const { method, url } = request;
      const hasBody = request.body !== null && method !== "GET" && method !== "HEAD";
      if (!hasBody && method !== "GET" && method !== "HEAD") await yieldToEventLoop();
      const id = (last += 1);
      const each: Forwarded = {
        answer: Promise.withResolvers<Response>(),
        body: hasBody ? request.body.getReader() : undefined,
        request,
      };
      forwarded.set(id, each);
      const headers = [...request.headers];
      post({ kind: "request", id, request: { place, method, url, headers, peer: peer(request), hasBody } });
      const abort = () => post({ kind: "abort", id });
      if (request.signal.aborted) abort();
      else request.signal.addEventListener("abort", abort, { once: true });
      return each.answer.promise;
    },
    receive(message: AnswerPart): void {
      const each = forwarded.get(message.id);
      if (!each) return;
      if (message.kind === "moreBody") return void sendBody(message.id, each);
      if (message.kind !== "answerBody" && message.kind !== "answerFails") {
        const { id, status } = message;
        const headers = new Headers(message.headers);
        if (message.kind !== "answerBegins") forwarded.delete(id);
        return each.answer.resolve(new Response(bodyOf(each, message), { status, headers }));
      }
      const bytes = message.kind === "answerBody" ? message.bytes : null;
      if (!bytes) forwarded.delete(message.id);
      if (message.kind === "answerFails") {
        each.answer.reject(new Error("the main thread cut the answer off"));
        each.sending?.fail();
      } else each.sending?.enqueue(bytes);
    },
  };
}
