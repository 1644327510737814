import { preflight } from "../preflight.ts";
import { Hono } from "hono";
import type { App } from "../../app.ts";
import { type FlagRecord, hasExpired, noSuchFlag, viewFlag } from "../../flags/flag.ts";
import type { NoteRead, Readable } from "../../flags/reads.ts";
import { createSnapshots } from "../../flags/snapshots.ts";
import type { Client } from "../address.ts";
import { type Report, showError } from "../errors.ts";
import { FLAGS_PATH, FLAG_PATH } from "../paths.ts";
import type { Guard } from "../rate-limit.ts";
import { NO_SNIFF } from "../security.ts";
import { etagOf, matches } from "./etag.ts";

export type FlagsService = {
  /** Answers any request for one flag. */
  readFlag: (request: Request, slug: string, client: () => Client) => Response | Promise<Response>;
  /** Answers any request for all flags. */
  readFlags: (request: Request, client: () => Client) => Response | Promise<Response>;
  /** The same answers as a Hono app, which gets the client as a binding. */
  routes: Hono<{ Bindings: { client: Client } }>;
};

/** A prepared answer, sent until `until`, when a flag in it expires, or until a flag in it changes. */
type Answer = {
  body: string | Blob;
  etag: string;
  whole: ResponseInit;
  unchanged: ResponseInit;
  until: number;
};
type Cell = Readable & { records: FlagRecord[]; answer: Answer | undefined };
type Snapshot = { one: Map<string, Cell>; all: Cell };

const HEADERS = { ...NO_SNIFF, "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "ETag" };
const PREFLIGHT = {
  methods: "GET, HEAD, OPTIONS",
  headers: "x-project-key, x-environment-key, content-type, if-none-match",
};
/** From about this many characters on, a blob is a faster body than text: `npm run bench -- reads`. */
const LONG_TEXT = 4096;
const VARY = "x-project-key, x-environment-key";

/** The feature flag service: design.md, section 3. Without a `guard`, any client may read as often as it likes. */
export function createFlagsService(
  app: App,
  report: Report,
  guard?: Guard,
  noteRead: NoteRead = () => {},
): FlagsService {
  const findSnapshot = createSnapshots<Snapshot>(app.store, async (selection) => {
    const records = await selection.flags();
    return {
      one: new Map(records.map((record) => [record.slug, cellOf([record])])),
      all: cellOf(records),
    };
  });

  /** Answers a request for the flag of that slug, or for all flags with null. */
  const read = (
    request: Request,
    slug: string | null,
    client: () => Client,
  ): Response | Promise<Response> => {
    if (request.method === "OPTIONS") return preflight(HEADERS, PREFLIGHT);
    if (!isRead(request)) return wrongMethod();
    if (slug === "") return missing("the flag slug is missing in the path: /api/v1/flags/<slug>");
    const projectKey = request.headers.get("x-project-key");
    if (!projectKey) return missing("the project key is missing in the headers: send it as x-project-key");
    const environmentKey = request.headers.get("x-environment-key");
    if (!environmentKey)
      return missing("the environment key is missing in the headers: send it as x-environment-key");
    try {
      guard?.(client)();
    } catch (error) {
      return fail(error, request, slug);
    }
    const snapshot = findSnapshot(projectKey, environmentKey);
    return snapshot instanceof Promise
      ? snapshot
          .then((loaded) => answer(request, slug, environmentKey, loaded))
          .catch((error: unknown) => fail(error, request, slug))
      : answer(request, slug, environmentKey, snapshot);
  };

  /** `snapshot` is undefined where the keys select none. */
  const answer = (
    request: Request,
    slug: string | null,
    environmentKey: string,
    snapshot: Snapshot | undefined,
  ): Response => {
    if (!snapshot) {
      const message = "the project key and the environment key select nothing: check them in the project";
      report.refused("unauthenticated");
      return refused(401, slug, message);
    }
    const cell = slug === null ? snapshot.all : snapshot.one.get(slug);
    if (!cell) return refused(404, slug, noSuchFlag(slug!).message);
    const now = app.now();
    noteRead(cell, environmentKey, slug, now);
    return send(request, cell, slug, now);
  };

  const fail = (error: unknown, request: Request, slug: string | null) => {
    const { status, message, headers } = showError(error, report, request);
    return refused(status, slug, message, headers);
  };

  const readFlag: FlagsService["readFlag"] = read;
  const readFlags: FlagsService["readFlags"] = (request, client) => read(request, null, client);
  const routes: FlagsService["routes"] = new Hono();
  routes.all(FLAGS_PATH, (c) => readFlags(c.req.raw, () => c.env.client));
  for (const path of [`${FLAGS_PATH}/`, FLAG_PATH])
    routes.all(path, (c) => readFlag(c.req.raw, c.req.param("slug") ?? "", () => c.env.client));
  return { readFlag, readFlags, routes };
}

function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

function cellOf(records: FlagRecord[]): Cell {
  return { records, answer: undefined, readAt: Number.NEGATIVE_INFINITY };
}

function send(request: Request, cell: Cell, slug: string | null, now: number): Response {
  if (!cell.answer || now >= cell.answer.until) cell.answer = prepareAnswer(cell.records, slug, now);
  const { body, etag, whole, unchanged } = cell.answer;
  const known = request.headers.get("if-none-match");
  if (known !== null && matches(known, etag)) return new Response(null, unchanged);
  return new Response(body, whole);
}

function prepareAnswer(records: FlagRecord[], slug: string | null, now: number): Answer {
  const flags = records.map((record) => viewFlag(record, now));
  const text = JSON.stringify(slug === null ? { flags } : flags[0]);
  // The runtime copies a text for each answer, and shares the bytes of a blob.
  const body = text.length > LONG_TEXT ? new Blob([text]) : text;
  const etag = etagOf(text);
  const expiries = records
    .filter((record) => !hasExpired(record, now))
    .map((record) => record.expiresAt ?? Infinity);
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
    whole: { headers },
    unchanged: { status: 304, headers },
    until: expiries.reduce((least, each) => Math.min(least, each), Infinity),
  };
}

/** An error that reads as off: a reader that ignores the status finds no flag that is on. */
function refused(
  status: number,
  slug: string | null,
  message: string,
  headers?: Record<string, string>,
): Response {
  const off = slug === null ? { flags: [] } : { enabled: false };
  return failed(status, { ...off, error: true, message }, headers);
}

function missing(error: string): Response {
  return failed(400, { error });
}

function failed(
  status: number,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): Response {
  return Response.json(body, { status, headers: { ...HEADERS, "Cache-Control": "no-store", ...headers } });
}

function wrongMethod(): Response {
  return failed(405, { error: true, message: "flags are read with GET" }, { Allow: "GET, HEAD, OPTIONS" });
}
