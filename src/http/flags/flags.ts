import { preflight } from "../preflight.ts";
import { Hono } from "hono";
import type { App } from "../../app.ts";
import { type FlagValues, noSuchFlag } from "../../flags/flag.ts";
import { subjectOf } from "../../flags/flagd/evaluate.ts";
import { requestBudget, withinRequest } from "../../flags/flagd/budget.ts";
import { TALLY_LIMITS } from "../../flags/limits.ts";
import type { Serving } from "../../flags/reads/read-tally.ts";
import { type NoteRead, type Readable, neverRead } from "../../flags/reads/reads.ts";
import { type FlagSource, createFlagViews } from "../../flags/reads/snapshots.ts";
import { type Standings, needsChangeAt, readStandings, viewServed } from "../../flags/reads/standing.ts";
import type { Client } from "../address.ts";
import { type Report, showError } from "../errors.ts";
import { FLAGS_PATH, FLAG_PATH } from "../paths.ts";
import type { Guard } from "../rate-limit.ts";
import { areLarge, flagsInTurns } from "./large-body.ts";
import { createStaleness } from "./stale.ts";
import {
  type Answer,
  answerOf,
  HEADERS,
  MISSING,
  READ_PREFLIGHT,
  uncached,
  prepareAnswer,
  sendAnswer,
} from "./answers.ts";

export type FlagsService = {
  /** Answers GET or HEAD for one flag. */
  readFlag: (request: Request, slug: string, client: () => Client) => Response | Promise<Response>;
  /** Answers GET or HEAD for all flags. */
  readFlags: (request: Request, client: () => Client) => Response | Promise<Response>;
  /** The same answers, and those to other methods, as a Hono app, which gets the client as a binding. */
  routes: Hono<{ Bindings: { client: Client } }>;
};

type Cell = Readable & {
  records: readonly FlagValues[];
  standings: Standings;
  answer: Answer | undefined;
  /** The variants in that answer. */
  serving: Serving;
  /** The servings that were not counted yet, with the current one at the end. */
  servings: Serving[];
  /** A large answer that is being made. */
  making?: Promise<Answer> | undefined;
};
type Snapshot = { one: Map<string, Cell>; all: Cell };

/**
 * The feature flag service: design.md, section 3. Without a `guard`, any client may read as often as it likes. `maxStale` is
 * the age in milliseconds up to which flags are answered while the database does not answer; null for any age.
 */
export function createFlagsService(
  app: App,
  report: Report,
  guard?: Guard,
  noteRead: NoteRead = () => {},
  maxStale: number | null = null,
): FlagsService {
  const staleness = createStaleness(app.watch, maxStale);
  const findSnapshot = createFlagViews<Snapshot>(app, snapshotOf);

  /** Answers a request for the flag of that slug, or for all flags with null. */
  const read = (
    request: Request,
    slug: string | null,
    client: () => Client,
  ): Response | Promise<Response> => {
    if (slug === "") return missing("the flag slug is missing in the path: /api/v1/flags/<slug>");
    const projectKey = request.headers.get("x-project-key");
    if (!projectKey) return missing(MISSING.projectKey);
    const environmentKey = request.headers.get("x-environment-key");
    if (!environmentKey) return missing(MISSING.environmentKey);
    try {
      guard?.(client)();
    } catch (error) {
      return fail(error, request, slug);
    }
    const snapshot = findSnapshot(projectKey, environmentKey);
    if (snapshot instanceof Promise) return answerLater(request, slug, environmentKey, snapshot);
    const answered = answer(request, slug, environmentKey, snapshot);
    return answered instanceof Promise ? settled(answered, request, slug) : answered;
  };

  /** Functions of their own: in `read`, what they capture would cost each read two objects more. */
  const answerLater = (
    request: Request,
    slug: string | null,
    environmentKey: string,
    snapshot: Promise<Snapshot | undefined>,
  ): Promise<Response> =>
    settled(
      snapshot.then((loaded) => answer(request, slug, environmentKey, loaded)),
      request,
      slug,
    );
  const settled = (answered: Promise<Response>, request: Request, slug: string | null) =>
    answered.then(staleness.mark).catch((error: unknown) => fail(error, request, slug));

  /** `snapshot` is undefined if the keys select none. */
  const answer = (
    request: Request,
    slug: string | null,
    environmentKey: string,
    snapshot: Snapshot | undefined,
  ): Response | Promise<Response> => {
    if (!snapshot) {
      report.refused("unauthenticated");
      return refused(401, slug, MISSING.environment);
    }
    const cell = slug === null ? snapshot.all : snapshot.one.get(slug);
    if (!cell) {
      staleness.requireFresh();
      return refused(404, slug, noSuchFlag(slug!).message);
    }
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
  return { readFlag, readFlags, routes: routesOf(readFlag, readFlags) };
}

/** The cells of an environment; `before` is its earlier snapshot. */
async function snapshotOf(source: FlagSource, before: Snapshot | undefined): Promise<Snapshot> {
  const { records } = source;
  const standings = await readStandings(source, before?.all.standings);
  return {
    one: new Map(records.map((record) => [record.slug, cellOf([record], standings)])),
    all: cellOf(records, standings),
  };
}

function routesOf(
  readFlag: FlagsService["readFlag"],
  readFlags: FlagsService["readFlags"],
): FlagsService["routes"] {
  const routes: FlagsService["routes"] = new Hono();
  routes.get(FLAGS_PATH, (c) => readFlags(c.req.raw, () => c.env.client));
  for (const path of [`${FLAGS_PATH}/`, FLAG_PATH])
    routes.get(path, (c) => readFlag(c.req.raw, c.req.param("slug") ?? "", () => c.env.client));
  for (const path of [FLAGS_PATH, `${FLAGS_PATH}/`, FLAG_PATH]) {
    routes.options(path, (c) => preflight(c.req.raw, HEADERS, READ_PREFLIGHT));
    routes.all(path, wrongMethod);
  }
  return routes;
}

function cellOf(records: readonly FlagValues[], standings: Standings): Cell {
  const serving: Serving = { count: 0, of: [] };
  const cell = { records, standings, answer: undefined, serving, servings: [serving], ...neverRead() };
  return Object.assign(cell, { served: () => cell.servings });
}

function send(request: Request, cell: Cell, slug: string | null, now: number): Response | Promise<Response> {
  if (!cell.answer || now >= cell.answer.until) {
    if (slug === null && areLarge(cell.records, lengthOf)) return sendLater(request, cell, now);
    cell.answer = answerFor(cell, slug, now);
  }
  cell.serving.count += 1;
  return sendAnswer(request, cell.answer);
}

function lengthOf({ payload, rules }: FlagValues): number {
  return (payload?.length ?? 0) + (rules?.length ?? 0);
}

/** Makes a large answer once for all that wait for it. */
async function sendLater(request: Request, cell: Cell, now: number): Promise<Response> {
  cell.making ??= largeAnswerFor(cell, now).finally(() => (cell.making = undefined));
  const answer = (cell.answer = await cell.making);
  cell.serving.count += 1;
  return sendAnswer(request, answer);
}

/** Begins to count what a new answer serves, unless that is as before. */
function beginServing(cell: Cell, variants: readonly string[]): void {
  const { records, serving, servings } = cell;
  if (records.length > TALLY_LIMITS.servedFlags) return;
  if (serving.of.length > 0 && serving.of.every(([, variant], at) => variant === variants[at])) return;
  cell.serving = { count: 0, of: records.map(({ slug }, at) => [slug, variants[at]!]) };
  cell.servings = [...servings.filter(({ count }) => count > 0), cell.serving];
}

async function largeAnswerFor(cell: Cell, now: number): Promise<Answer> {
  const { records, standings } = cell;
  const variants: string[] = [];
  const budget = requestBudget();
  const subject = subjectOf({});
  const changes: { expiresAt: number | null }[] = [...records];
  const texts = records.values().map((record) => {
    const serve = () => viewServed(record, standings, subject, now);
    const { flag, variant, until } = withinRequest(serve, budget);
    variants.push(variant);
    if (until !== null) changes.push({ expiresAt: until });
    return JSON.stringify(flag);
  });
  const made = await flagsInTurns(texts);
  beginServing(cell, variants);
  return answerOf(made, changes, now);
}

function answerFor(cell: Cell, slug: string | null, now: number): Answer {
  const { records, standings } = cell;
  const subject = subjectOf({});
  const served = withinRequest(() => records.map((record) => viewServed(record, standings, subject, now)));
  beginServing(
    cell,
    served.map(({ variant }) => variant),
  );
  const flags = served.map(({ flag }) => flag);
  const changes: { expiresAt: number | null }[] = [
    ...records,
    ...served.map(({ until }) => ({ expiresAt: until })),
  ];
  if (slug !== null) changes.push(...changesBelow(records[0]!, standings, now));
  return prepareAnswer(JSON.stringify(slug === null ? { flags } : flags[0]), changes, now);
}

/** When the flags may change by themselves that a flag needs. */
function* changesBelow(record: FlagValues, standings: Standings, now: number) {
  if (record.requires === "") return;
  yield* standings.below(record);
  yield { expiresAt: needsChangeAt(record, standings, now) };
}

/** An error that reads as off: a reader that ignores the status finds no flag that is on. */
function refused(
  status: number,
  slug: string | null,
  message: string,
  headers?: Record<string, string>,
): Response {
  const off = slug === null ? { flags: [] } : { enabled: false };
  return uncached(status, { ...off, error: true, message }, headers);
}

function missing(error: string): Response {
  return uncached(400, { error });
}

function wrongMethod(): Response {
  return uncached(405, { error: true, message: "flags are read with GET" }, { Allow: "GET, HEAD, OPTIONS" });
}
