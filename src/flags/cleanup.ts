import type { Caller } from "../access/caller.ts";
import { hasScope } from "../access/rights.ts";
import { isoTime } from "../base/clock.ts";
import { DAY_MS } from "../base/days.ts";
import { AppError } from "../base/errors.ts";
import { createTurns } from "../base/event-loop.ts";
import { everyItem } from "../base/pages.ts";
import type { CodeReferences } from "./code/code-reference.ts";
import { pageReferences } from "./code/code-references.ts";
import { type FlagRecord, hasExpired, isOn, noSuchFlag } from "./flag.ts";
import type { Keep } from "./stale-schema.ts";
import { CODE_LIMITS } from "./limits.ts";
import { settled } from "./ramps/ramp-plan.ts";
import { type FoundRamp, isHeld } from "./ramps/ramp.ts";
import { neededBy, requirementsInWords, requirementsOf } from "./requires/requirement.ts";
import { parseRules } from "./rules/rules.ts";
import type { ScheduledChange } from "./schedule/scheduled-change.ts";
import { lastChange, settledVariant } from "./stale.ts";
import type { FlagsApp } from "./store.ts";

/** Whether a flag is finished: everyone gets the same in every environment, and nothing holds it. */
export type Finish = {
  finished: boolean;
  /** The branch that the code keeps; null for a flag that is not finished. */
  keep: Keep | null;
  /** Since when everyone gets the same, in milliseconds since 1970; null if that is not so. */
  since: number | null;
  /** Obstacles, a sentence each. */
  obstacles: string[];
};

/** A place of a flag in uploaded code, with the code it was found in. */
export type Place = Omit<CodeReferences, "references" | "slug"> & CodeReferences["references"][number];

/** Ramps and scheduled changes that are read at once. */
const STEP = 500;

/** Flags that are read at once. */
const FLAGS_AT_ONCE = 100;

/** Most places of an answer. */
const { cleanupPlaces: MOST_PLACES } = CODE_LIMITS;

/** Most flags that a sentence names. */
const NAMED = 10;

/** Characters of a value in words. */
const SHOWN = 100;

/**
 * A report of what is left to do until a flag is out of the code. Throws `not_found` for the project or the
 * flag.
 */
export async function readCleanup(
  app: FlagsApp,
  caller: Caller,
  { project, flag }: { project: string; flag: string },
) {
  const found = (await readFinishes(app, project, [flag], caller)).get(flag);
  if (!found) throw noSuchFlag(flag);
  const { finished, keep, since, obstacles, isArchived, createdAt } = found;
  const [references, uploads] = await Promise.all([
    placesOf(app, project, flag),
    app.store.code.uploads(project),
  ]);
  const isKnown = uploads.some(({ uploadedAt }) => uploadedAt >= createdAt);
  const left = finished ? stepsOf(keep!, references, isKnown, isArchived) : obstacles;
  const days = since === null ? null : Math.floor((app.now() - since) / DAY_MS);
  return {
    slug: flag,
    finished,
    since: since === null ? null : isoTime(since),
    days,
    keep,
    references,
    left,
  };
}

/** The steps from a finished flag to one that is archived and in no code. */
function stepsOf({ text }: Keep, places: readonly Place[], isKnown: boolean, isArchived: boolean): string[] {
  const files = new Set(
    places.map(({ branch, projectName, filePath }) => `${projectName} ${branch} ${filePath}`),
  );
  const count = `${places.length === MOST_PLACES ? "at least " : ""}${counted(places.length, "place")}`;
  const code =
    places.length > 0
      ? [
          `Remove it from the code, in ${count} of ${counted(files.size, "file")}: ${text}.`,
          "Upload the code references again once that is merged.",
        ]
      : isKnown
        ? []
        : [`Remove it from the code: ${text}. No code references were uploaded since the flag was created.`];
  const last =
    code.length > 0 ? "Archive it once no code names it." : "Archive it: no uploaded code names it.";
  return isArchived ? code : [...code, last];
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** The first places where uploaded code names a flag. */
export async function placesOf(
  app: FlagsApp,
  project: string,
  flag: string,
  most: number = MOST_PLACES,
): Promise<Place[]> {
  const places: Place[] = [];
  for (let after: string | null | undefined; after !== null && places.length < most;) {
    const page = await pageReferences(app, project, { flag, limit: 10, ...(after && { after }) });
    for (const { references, slug: _, ...rest } of page.references)
      places.push(...references.map((each) => ({ ...each, ...rest })));
    after = page.next;
  }
  return places.slice(0, most);
}

/** Throws `conflict` for a flag that is not finished, with what is left to do. */
export async function requireFinished(
  app: FlagsApp,
  caller: Caller,
  project: string,
  slugs: readonly string[],
): Promise<void> {
  for (const [slug, { finished, obstacles }] of await readFinishes(app, project, slugs, caller))
    if (!finished)
      throw new AppError("conflict", `flag "${slug}" is not finished. ${obstacles.join(" ")}`, {
        reason: "not-finished",
      });
}

/** The flags among some that are finished, in their order. Throws `not_found` for the project. */
export async function finishedAmong(
  app: FlagsApp,
  project: string,
  slugs: readonly string[],
): Promise<Map<string, Finish & { keep: Keep; since: number }>> {
  const all = [...(await readFinishes(app, project, slugs))];
  return new Map(
    all.flatMap(([slug, { keep, since, ...rest }]) =>
      keep !== null && since !== null ? [[slug, { ...rest, keep, since }] as const] : [],
    ),
  );
}

/** Whether each of some flags is finished, without slugs of no flag, with the forms that the caller sees. */
async function readFinishes(
  app: FlagsApp,
  project: string,
  slugs: readonly string[],
  caller?: Caller,
): Promise<Map<string, Finish & { isArchived: boolean; createdAt: number }>> {
  const { store } = app;
  const environments = (await store.environments.list(project)).map(({ slug }) => slug);
  const holds =
    slugs.length > 0 ? await readHolds(app, project, environments, caller) : new Map<string, string[]>();
  const finishes = new Map<string, Finish & { isArchived: boolean; createdAt: number }>();
  const takeTurns = createTurns();
  for (let from = 0; from < slugs.length; from += FLAGS_AT_ONCE) {
    const some = slugs.slice(from, from + FLAGS_AT_ONCE);
    const bySlug = new Map<string, { environment: string; record: FlagRecord }[]>();
    for (const environment of environments)
      for (const record of await store.flags.among(project, environment, some))
        bySlug.set(record.slug, [...(bySlug.get(record.slug) ?? []), { environment, record }]);
    for (const slug of some) {
      const uses = bySlug.get(slug);
      if (!uses) continue;
      const finish = judgeFinish(uses, app.now(), holds.get(slug) ?? []);
      const { archived: isArchived, createdAt } = uses[0]!.record;
      // Without a caller, one obstacle is enough.
      if (!isArchived && (finish.finished || caller))
        for (const environment of environments) {
          const experiment = await store.ramps.experimentOn({ project, environment, flag: slug });
          if (experiment !== undefined)
            finish.obstacles.push(`The experiment ${experiment} holds it in ${environment}.`);
        }
      const finished = finish.obstacles.length === 0;
      finishes.set(slug, { ...finish, finished, keep: finished ? finish.keep : null, isArchived, createdAt });
      await takeTurns();
    }
  }
  return finishes;
}

/** Holds of the flags of a project besides those of experiments, by the flag: a sentence each. */
async function readHolds(
  { store }: FlagsApp,
  project: string,
  environments: readonly string[],
  caller: Caller | undefined,
): Promise<Map<string, string[]>> {
  const holds = new Map<string, string[]>();
  const add = (flag: string, hold: string) => holds.set(flag, [...(holds.get(flag) ?? []), hold]);
  const [ramps, scheduled, forms, ...needs] = await Promise.all([
    everyItem<FoundRamp>((last) => store.ramps.page(project, null, { limit: STEP, after: last?.ramp })),
    everyItem<ScheduledChange>((last) => store.scheduled.page(project, null, { limit: STEP, after: last })),
    store.projects.openedForms(project),
    ...environments.map((environment) => store.flags.needs(project, environment)),
  ]);
  for (const ramp of ramps.map(settled))
    if (isHeld(ramp)) add(ramp.flag, `A ramp holds it in ${ramp.environment}.`);
  for (const { flag, environment, at } of scheduled)
    add(flag, `It is scheduled to change in ${environment} at ${isoTime(at)}.`);
  for (const { flag, environment, form, project: owner } of forms) {
    const isSeen = caller && hasScope(caller, "forms:read", { project: owner });
    add(flag, `${isSeen ? `The form ${form}` : "A form"} is open while it is true in ${environment}.`);
  }
  for (const { environment, needing } of needs) {
    for (const { slug, requires } of needing)
      add(slug, `It ${requirementsInWords(requirementsOf(requires))} in ${environment}.`);
    for (const [flag, by] of neededBy(needing))
      add(
        flag,
        `It is needed in ${environment} by ${by.slice(0, NAMED).join(", ")}${by.length > NAMED ? " …" : ""}.`,
      );
  }
  return holds;
}

/** The branch of the code that readers of a flag that serves no value run. */
const DEFAULT: Keep = { variant: null, value: null, payload: null, text: "keep the default of the code" };

/** Judges a flag by what it is in each environment, and what holds it. */
function judgeFinish(
  uses: readonly { environment: string; record: FlagRecord }[],
  now: number,
  holds: readonly string[],
): Finish {
  const any = uses[0]!.record;
  const since = Math.max(...uses.map(({ record }) => lastChange(record, now)));
  // Its readers have what they got before it existed, whatever is stored of it.
  if (any.archived) return { finished: true, keep: DEFAULT, since, obstacles: [] };
  const kept = uses.map(({ record }) => keptOf(record, now));
  const isSame = kept.every((each) => each !== null && Bun.deepEquals(each, kept[0]));
  const words = uses.map(
    ({ environment }, at) => `${kept[at]?.text ?? "it depends on the user"} in ${environment}`,
  );
  const expiries = uses.flatMap(({ environment, record }) =>
    record.expiresAt !== null && !hasExpired(record, now)
      ? [`It expires in ${environment} at ${isoTime(record.expiresAt)}.`]
      : [],
  );
  const obstacles = [
    ...(isSame
      ? []
      : [`Serve everyone the same in every environment: ${words.join(", ").replaceAll("keep ", "")}.`]),
    ...(any.permanent ? ["It is permanent: it is meant to stay."] : []),
    ...expiries,
    ...holds,
  ];
  const finished = obstacles.length === 0;
  return { finished, keep: isSame ? kept[0]! : null, since: isSame ? since : null, obstacles };
}

/** The branch that everyone gets of a flag in an environment; null if that depends on the context. */
function keptOf(record: FlagRecord, now: number): Keep | null {
  const { rules, payload } = record;
  const isServed = isOn(record, now);
  if (rules === null) return keepOf(isServed ? "on" : "off", isServed, isServed ? payload : null);
  if (!isServed) return DEFAULT;
  const variant = settledVariant(rules);
  if (variant === null) return null;
  const { variants } = parseRules(rules);
  if (variant === "") return DEFAULT;
  // A rule may name what is no variant, which is an error.
  if (!Object.hasOwn(variants, variant)) return null;
  return keepOf(variant, variants[variant], variants[variant] === true ? payload : null);
}

function keepOf(variant: string, value: unknown, payload: string | null): Keep {
  const text = JSON.stringify(value);
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  const branch =
    typeof value === "boolean" ? `the ${value} branch` : `the branch of ${variant}, whose value is ${shown}`;
  const given = payload === null ? null : (JSON.parse(payload) as unknown);
  return {
    variant,
    value,
    payload: given,
    text: `keep ${branch}${given === null ? "" : " with its payload"}`,
  };
}
