/** A part of a request that a serving thread passes on to the main thread. */
export type RequestPart =
  | { kind: "request"; id: number; request: ForwardedRequest }
  /** The next bytes of its body; null at the end. */
  | { kind: "requestBody"; id: number; bytes: Uint8Array | null }
  /** The sender has disconnected. */
  | { kind: "abort"; id: number }
  /** The sender has taken the bytes of the answer so far. */
  | { kind: "more"; id: number };

/** A part of its answer. */
export type AnswerPart =
  | { kind: "moreBody"; id: number }
  | { kind: "answer"; id: number; status: number; headers: [string, string][]; body: Uint8Array | null }
  /** As `answer`, with a file of this machine as its body. */
  | { kind: "answerFile"; id: number; status: number; headers: [string, string][]; path: string }
  /** As `answer`, and its body follows. */
  | { kind: "answerBegins"; id: number; status: number; headers: [string, string][]; body: Uint8Array }
  | { kind: "answerBody"; id: number; bytes: Uint8Array | null }
  | { kind: "answerFails"; id: number };

export type ForwardedRequest = {
  /** Index of the address that it came to. */
  place: number;
  method: string;
  url: string;
  headers: [string, string][];
  peer: string;
  hasBody: boolean;
};
