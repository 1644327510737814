import { yieldToEventLoop } from "../../../src/base/event-loop.ts";
import { pathOfBytes } from "../../../src/blobs/disk.ts";
import type { Peer } from "../../../src/http/hot.ts";
import type { ForwardedRequest, AnswerPart, RequestPart } from "./messages.ts";

/** A host that nothing has, for the request of a sender that named none. */
const NO_HOST = "http://no-host.invalid";

/** In the main thread: answers the requests that one serving thread passes on, as `answer` does those of this thread. */
export function createAnswerer(
  answer: (place: number, request: Request, peer: Peer) => Response | Promise<Response>,
  post: (message: AnswerPart) => void,
  report: (error: unknown) => void,
) {
  type Answering = {
    aborting: AbortController;
    takeBody: (bytes: Uint8Array | null) => void;
    failBody: () => void;
    /** Sends the next bytes of the answer. */
    sendMore: () => void;
    cancel: () => void;
  };
  const answering = new Map<number, Answering>();

  const bodyOf = (id: number, each: Answering): ReadableStream<Uint8Array> =>
    new ReadableStream<Uint8Array>(
      {
        start(controller) {
          each.failBody = () => controller.error(new Error("the sender disconnected"));
        },
        pull: (controller) =>
          new Promise<void>((resolve) => {
            each.takeBody = (bytes) => {
              if (bytes) controller.enqueue(bytes);
              else controller.close();
              resolve();
            };
            post({ kind: "moreBody", id });
          }),
      },
      { highWaterMark: 0 },
    );
  const end = (id: number) => void answering.delete(id);

  /**
   * Sends an answer that is whole at once as one message, so that its length is known, a file by its path, and any other as
   * it comes.
   */
  const send = async (id: number, each: Answering, response: Response) => {
    const { status } = response;
    const headers = [...response.headers] as [string, string][];
    if (!answering.has(id)) {
      await response.body?.cancel();
      return post({ kind: "answer", id, status, headers, body: null });
    }
    const path = response.body === null ? undefined : pathOfBytes(response.body);
    if (path !== undefined) {
      end(id);
      post({ kind: "answerFile", id, status, headers, path });
      return response.body?.cancel();
    }
    const reader = response.body?.getReader();
    const first = reader ? await reader.read() : { done: true, value: undefined };
    if (first.done) {
      end(id);
      return post({ kind: "answer", id, status, headers, body: reader ? new Uint8Array() : null });
    }
    const second = reader!.read();
    const isWhole = await Promise.race([
      second.then(({ done }) => done),
      yieldToEventLoop().then(() => false),
    ]);
    if (isWhole || !answering.has(id)) {
      // A client that has disconnected before its answer began never asks for the rest.
      if (!isWhole) void reader!.cancel().catch(() => {});
      end(id);
      return post({ kind: "answer", id, status, headers, body: first.value });
    }
    each.cancel = () => void reader!.cancel().catch(() => {});
    let next: typeof second | undefined = second;
    const sendNext = async () => {
      const reading = next ?? reader!.read();
      next = undefined;
      try {
        const { done, value } = await reading;
        if (done) end(id);
        post({ kind: "answerBody", id, bytes: done ? null : value });
      } catch {
        // Broken off, as the body of a file that another program cuts short: so is the answer.
        end(id);
        post({ kind: "answerFails", id });
      }
    };
    each.sendMore = () => void sendNext();
    post({ kind: "answerBegins", id, status, headers, body: first.value });
  };

  const take = async (id: number, forwarded: ForwardedRequest) => {
    const each: Answering = {
      aborting: new AbortController(),
      takeBody: () => {},
      failBody: () => {},
      sendMore: () => {},
      cancel: () => {},
    };
    answering.set(id, each);
    const { place, method, headers, peer, hasBody } = forwarded;
    const url = URL.canParse(forwarded.url) ? forwarded.url : `${NO_HOST}${forwarded.url}`;
    try {
      const body = hasBody ? bodyOf(id, each) : null;
      const request = new Request(url, { method, headers, body, signal: each.aborting.signal });
      await send(id, each, await answer(place, request, () => peer));
    } catch (error) {
      // Its body broke off before it had begun, as a file that cannot be read.
      report(error);
      end(id);
      post({ kind: "answerFails", id });
    }
  };

  return {
    receive(message: RequestPart): void {
      if (message.kind === "request") return void take(message.id, message.request);
      const each = answering.get(message.id);
      if (!each) return;
      if (message.kind === "requestBody") each.takeBody(message.bytes);
      else if (message.kind === "more") each.sendMore();
      else {
        end(message.id);
        each.aborting.abort();
        each.failBody();
        each.cancel();
      }
    },
  };
}
