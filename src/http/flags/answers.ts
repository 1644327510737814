import { hasExpired } from "../../flags/flag.ts";
import { NO_SNIFF } from "../security.ts";
import { etagOf, matches } from "./etag.ts";
import { bodyOf } from "./large-body.ts";

/** A prepared answer, sent until `until`, when a flag in it expires, or until a flag in it changes. */
export type Answer = {
  body: string | Blob | Buffer[];
  etag: string;
  init: { headers: Headers };
  /** A copy of it is the answer from the second reader on: it takes less time than a new one, but more memory. */
  whole: Response | undefined;
  unchanged: Response | undefined;
  /** Whether the answer was sent before. */
  wasSent: boolean;
  until: number;
};

/** The headers of every answer of the flag service. */
export const HEADERS = {
  ...NO_SNIFF,
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "ETag",
};

/** Headers of the answer to a preflight request for a read. */
export const READ_PREFLIGHT = {
  methods: "GET, HEAD, OPTIONS",
  headers: "x-project-key, x-environment-key, content-type, if-none-match",
};

/** The messages for requests whose keys are missing, or select no environment. */
export const MISSING = {
  projectKey: "the project key is missing in the headers: send it as x-project-key",
  environmentKey: "the environment key is missing in the headers: send it as x-environment-key",
  environment: "the project key and the environment key select nothing: check them in the project",
} as const;

/** From about this many characters on, a blob is a faster body than text: `npm run bench -- reads`. */
const LONG_TEXT = 4096;
const VARY = "x-project-key, x-environment-key";

/** Prepares an answer with a JSON text, which holds until one of these flags expires. */
export function prepareAnswer(text: string, flags: { expiresAt: number | null }[], now: number): Answer {
  // The runtime copies a text for each answer, and shares the bytes of a blob.
  const body = text.length > LONG_TEXT ? new Blob([text]) : text;
  return answerOf({ body, etag: etagOf(text) }, flags, now);
}

/** An answer with a body, which holds until one of these flags expires. */
export function answerOf(
  { body, etag }: Pick<Answer, "body" | "etag">,
  flags: { expiresAt: number | null }[],
  now: number,
): Answer {
  const expiries = flags.filter((flag) => !hasExpired(flag, now)).map((flag) => flag.expiresAt ?? Infinity);
  const headers = new Headers({
    "Content-Type": "application/json",
    ETag: etag,
    "Cache-Control": "no-cache",
    Vary: VARY,
    ...HEADERS,
  });
  return {
    body,
    etag,
    init: { headers },
    whole: undefined,
    unchanged: undefined,
    wasSent: false,
    until: expiries.reduce((least, each) => Math.min(least, each), Infinity),
  };
}

/** The prepared answer, or 304 if the reader has it. */
export function sendAnswer(request: Request, answer: Answer): Response {
  const known = request.headers.get("if-none-match");
  if (known !== null && matches(known, answer.etag)) {
    const { headers } = answer.init;
    return copyOf((answer.unchanged ??= new Response(null, { status: 304, headers })));
  }
  if (answer.whole !== undefined) return copyOf(answer.whole);
  const { body, init, wasSent } = answer;
  answer.wasSent = true;
  if (!wasSent || Array.isArray(body)) return new Response(bodyOf(body), init);
  return copyOf((answer.whole = new Response(body, init)));
}

/** The types of the runtime have a `clone` of their own. */
function copyOf(answer: Response): Response {
  return answer.clone() as Response;
}

/** A JSON answer that is not cached: an error, or the result of a change. */
export function uncached(
  status: number,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): Response {
  return Response.json(body, { status, headers: { ...HEADERS, "Cache-Control": "no-store", ...headers } });
}
