import type * as z from "zod/mini";
import { hourOf } from "../../base/days.ts";
import { MISSING, type FlagTrial, type Outcome, tryChanges } from "../../flags/reads/trials.ts";
import { applyPatch, type FlagRecord } from "../../flags/flag.ts";
import { turnedOffAfter, turnedOffSentences } from "../needs-after.ts";
import type { SetupChange } from "../setup.ts";
import type { DocumentsApp } from "../store.ts";
import type { impactSchema } from "./proposal-schema.ts";

/** The effect of a change on people: other values for test contexts, and how often readers ask for what changes. */
export type Impact = z.infer<typeof impactSchema>;

type Place = { environment: string; flag: string };

/** The most of an impact: flags that are tried, and lines that are written out. */
const MOST = { flags: 20, lines: 20 };

/** Hours of which reads are averaged. */
const HOURS = 24;

/** The effect of the changes of a plan on the people of a project; at most {@link MOST} flags are looked at. */
export async function impactOf(
  app: DocumentsApp,
  project: string,
  changes: readonly SetupChange[],
): Promise<Impact> {
  const people = await app.store.testContexts.list(project);
  const stored = (await app.store.projects.find(project))?.environments ?? [];
  const contexts: Impact["contexts"] = [];
  const places: (Place & { key: string })[] = [];
  for (const { slug: environment, key } of stored) {
    const unstored = await unstoredIn(app, { project, environment }, changes);
    const room = MOST.flags - places.length;
    if (room <= 0 || (unstored.flags.size === 0 && unstored.segments.size === 0)) continue;
    const trials = await tryChanges(app, { project, environment }, unstored, {
      contexts: people.map(({ context }) => context),
      most: room,
    });
    for (const { flag } of trials) places.push({ environment, flag, key });
    for (const [index, { name }] of people.entries())
      for (const trial of trials) {
        const [before, after] = differingWords(trial, index);
        if (before !== after) contexts.push({ name, environment, flag: trial.flag, before, after });
      }
  }
  const reads: Impact["reads"] = [];
  for (const { key, ...place } of places) {
    const perHour = await readsPerHour(app, key, place.flag);
    if (perHour !== null) reads.push({ ...place, perHour });
  }
  const isTried = people.length > 0 && places.length > 0;
  const turnsOff = turnedOffSentences(await turnedOffAfter(app, changes), changes);
  return { contexts, reads, lines: [...turnsOff, ...linesOf({ contexts, reads, isTried })] };
}

/** The flags and segments of an environment as a plan leaves them; null for one that it deletes. */
async function unstoredIn(
  app: DocumentsApp,
  place: { project: string; environment: string },
  changes: readonly SetupChange[],
) {
  const flags = new Map<string, FlagRecord | null>();
  const segments = new Map<string, string | null>();
  const later: (SetupChange & { change: "insertScheduled" })[] = [];
  const isHere = (each: { project: string; environment: string }) =>
    each.project === place.project && each.environment === place.environment;
  for (const each of changes)
    if (each.change === "putFlag") {
      if (isHere(each)) flags.set(each.flag, each.record);
    } else if (each.change === "deleteFlag") {
      if (each.project === place.project) flags.set(each.flag, null);
    } else if (each.change === "putSegment") {
      if (isHere(each)) segments.set(each.record.name, each.record.rule);
    } else if (each.change === "deleteSegment") {
      if (isHere(each)) segments.set(each.segment, null);
    } else if (each.change === "insertScheduled" && isHere({ ...each.scheduled, project: each.project }))
      later.push(each);
  for (const { scheduled } of later) {
    const { flag, patch, at } = scheduled;
    // The change back of a flag that is changed now is none of its own.
    if (flags.has(flag)) continue;
    const before = await app.store.flags.find({ ...place, flag });
    if (before) flags.set(flag, applyPatch(flag, before, patch, at).record);
  }
  return { flags, segments };
}

/** A result before and after, as texts that differ if the results do. */
function differingWords({ now, after }: FlagTrial, index: number): [string, string] {
  const [was, is] = [now[index]!, after[index]!];
  const [before, then] = [nameOf(was), nameOf(is)];
  if (before !== then || Bun.deepEquals(valueIn(was), valueIn(is))) return [before, then];
  return [`${before} (${jsonOf(was)})`, `${then} (${jsonOf(is)})`];
}

function nameOf(outcome: Outcome): string {
  if (outcome === MISSING) return "no flag";
  if ("errorCode" in outcome) return "an error";
  const { variant, value } = outcome;
  if (variant !== undefined) return variant;
  if (typeof value === "boolean") return value ? "on" : "off";
  if (value !== undefined) return jsonOf(outcome);
  return outcome.reason === "DISABLED" ? "off" : "no value";
}

function valueIn(outcome: Outcome): unknown {
  return "value" in outcome ? outcome.value : undefined;
}

/** Characters of a value in a line. */
const VALUE = 60;

function jsonOf(outcome: Outcome): string {
  const json = JSON.stringify(valueIn(outcome)) ?? "no value";
  return json.length > VALUE ? `${json.slice(0, VALUE).toWellFormed()}…` : json;
}

/**
 * Reads of a flag in an hour, averaged over the last day or since it was first read in it, in the environment of a key; null if
 * that is read and has too many flags for each to be counted.
 */
async function readsPerHour({ store, now }: DocumentsApp, key: string, flag: string): Promise<number | null> {
  const hour = hourOf(now());
  const day = { from: hour - HOURS + 1, to: hour + 1 };
  const own = await store.tallies.read({ kind: "served", ...day, what: `${key}/${flag}` });
  if (own.length === 0) {
    const [anyFlag] = await store.tallies.read({ kind: "served", ...day, prefix: `${key}/`, limit: 1 });
    const [read] = anyFlag ? [] : await store.tallies.read({ kind: "reads", ...day, what: key, limit: 1 });
    return read ? null : 0;
  }
  const first = Math.min(...own.map((each) => each.hour));
  return Math.round(own.reduce((sum, { count }) => sum + count, 0) / (hour - first + 1));
}

/** An impact in lines for people: `Ann: new-checkout off → on`, `new-checkout: 1,204 reads an hour`. */
function linesOf({ contexts, reads, isTried }: Pick<Impact, "contexts" | "reads"> & { isTried: boolean }) {
  const isOne = new Set(reads.map(({ environment }) => environment)).size < 2;
  const placed = ({ flag, environment }: Place) => (isOne ? flag : `${flag} in ${environment}`);
  const shown = contexts.slice(0, MOST.lines);
  const more = contexts.length - shown.length;
  return [
    ...shown.map((each) => `${each.name}: ${placed(each)} ${each.before} → ${each.after}`),
    ...(more > 0 ? [`${more} more results of test contexts differ`] : []),
    ...(isTried && contexts.length === 0 ? ["no test context gets another value"] : []),
    ...reads.slice(0, MOST.lines).map((each) => `${placed(each)}: ${countInWords(each.perHour)}`),
  ];
}

function countInWords(reads: number): string {
  return `${reads.toLocaleString("en")} ${reads === 1 ? "read" : "reads"} an hour`;
}
