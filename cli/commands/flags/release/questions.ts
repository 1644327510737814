import { clock } from "../../../../src/base/clock.ts";
import { AppError } from "../../../../src/base/errors.ts";
import { readKind } from "../../../../src/base/kinds/kinds.ts";
import { formatDuration, parseDuration } from "../../../../src/base/units.ts";
import { parseWallTime } from "../../../../src/base/wall-time.ts";
import { segmentTitle } from "../../../../src/flags/audience.ts";
import type { FlagRecord } from "../../../../src/flags/flag.ts";
import { RAMP_LIMITS } from "../../../../src/flags/limits.ts";
import { findGuardFault, knownMetrics } from "../../../../src/flags/ramps/guard.ts";
import {
  HOW,
  isOfSome,
  planRelease,
  type Release,
  usualRelease,
  variantsToRelease,
  WHO,
} from "../../../../src/flags/release/release.ts";
import { stepsOf } from "../../../../src/flags/release/steps.ts";
import { metricInWords } from "../../../../src/flags/release/release-words.ts";
import { forms } from "../../../../src/operations/forms.ts";
import { segments } from "../../../../src/operations/segments.ts";
import { shown } from "../../../output/text.ts";
import type { Client } from "../../../session/client.ts";
import { listAll } from "../../../session/pages.ts";
import { promptChoice, promptOption, promptText } from "../../../session/prompts.ts";
import { isDay, timeValue } from "../../../session/values.ts";
import type { Place } from "../place.ts";

type Known = {
  record: Pick<FlagRecord, "enabled" | "rules">;
  /** The experiments of the environment. */
  experiments: readonly { metrics: readonly string[]; guards: readonly string[] }[];
};

/** Prompts for a release: who gets which variant, and how. Throws `not_found` for a segment where there is none. */
export async function askRelease(client: Client, place: Place, known: Known): Promise<Release> {
  const { record } = known;
  let release = usualRelease(record);
  const names = Object.keys(variantsToRelease(record).variants);
  if (names.length > 2) release = { ...release, variant: await promptChoice("Which variant?", names) };

  /** Prompts until the text is a part of a release that can be planned. Enter alone takes `usual`. */
  const ask = async (question: string, read: (text: string) => Partial<Release> | string, usual = "") => {
    const check = (text: string) => {
      const part = read(text);
      return typeof part === "string" ? part : faultOf({ ...release, ...part }, record);
    };
    release = { ...release, ...(read(await promptText(question, check, usual)) as Partial<Release>) };
  };

  const { none: _, ...someone } = WHO;
  const who = await choose("Who gets it?", someone);
  if (who === "share")
    await ask("What share, in percent?", (text) => ({ who, share: Number(text.replace(/ ?%$/, "")) }));
  if (who === "segment") {
    const { project, environment } = place;
    const found = await listAll(client, segments.list, { names: { project, environment } });
    if (found.length === 0)
      throw new AppError("not_found", `${project}/${environment} has no segment`, {
        hint: shown`formflag segments set <segment> -p ${project} -e ${environment} --if '<condition>' creates one`,
      });
    const segment = await promptChoice(
      "Which segment?",
      found.map(({ name }) => name),
    );
    release = { ...release, who, segment };
  }
  if (who === "rule")
    await ask("Which users? Such as country in AT, DE", (condition) => ({ who, condition }));

  const { test, ...others } = HOW;
  const how = isOfSome({ who })
    ? await choose("How? (An experiment is for everyone, or a share)", others)
    : await choose("How?", { ...others, test });
  if (how === "at") await ask("When? Such as 2h, or 2027-01-31 12:00", timeIn);
  if (how === "while")
    await ask("For how long?", (text) => spanOf("span", text, how), formatDuration(release.span));
  if (how === "steps") await askSteps();
  if (how === "test") {
    release = { ...release, metric: await chooseMetric(client, place, known) };
    await ask("For how many days at least?", (text) => ({ how, days: Number(text) }), String(release.days));
  }
  return { ...release, how };

  async function askSteps(): Promise<void> {
    const how = "steps";
    await ask("Which shares, in percent?", stepsIn, stepsOf(release).join(", "));
    await ask("One step every?", (text) => spanOf("every", text, how), formatDuration(release.every));
    if (isOfSome(release) && stepsOf(release).length > 1) {
      const them = release.who === "segment" ? segmentTitle(release.segment) : "these users";
      const last = await choose("Who gets the steps after the first?", {
        them: `Only ${them}`,
        everyone: "Everyone",
      });
      release = { ...release, thenEveryone: last === "everyone" };
    }
    const usual = release.guards.join("; ");
    await ask("Stop if? Guards with ; between them, or none", guardsIn, usual);
    if (release.guards.length === 0) return;
    const labels = { pause: "Stop", rollback: "Go back" };
    release = { ...release, onGuard: await choose("When a guard fires?", labels) };
  }

  function stepsIn(text: string): Partial<Release> | string {
    const read = readKind({ is: "shares" }, text, { now: 0, timeZone: "UTC" });
    if ("fault" in read || read.value === null) return "Write percentages with commas, such as 1,10,50,100";
    const steps = read.value as number[];
    const last = stepsOf({ ...release, steps: [] }).at(-1)!;
    if (steps.some((each) => each > last)) return `The last step is ${last} %`;
    return { how: "steps", steps: steps.at(-1) === last ? steps.slice(0, -1) : steps };
  }
}

/** The fault of a release that is not all known yet; undefined if what is known can be planned. */
function faultOf(release: Release, record: Known["record"]): string | undefined {
  try {
    planRelease(release, record, clock.now());
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
  return undefined;
}

/** A time in the zone of the terminal, in ISO 8601, or as a duration from now; null for another text. */
function timeOf(text: string): number | null {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const wall = parseWallTime(text.replace(" ", "T"), timeZone);
  if (wall !== null) return wall;
  try {
    return Date.parse(timeValue(text, "--at", clock.now(), "2h"));
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

function timeIn(text: string): Partial<Release> | string {
  const at = timeOf(text);
  if (at !== null) return { how: "at", at };
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  if (day !== undefined && !isDay(day)) return `the calendar has no ${day}`;
  return "write a date and a time, such as 2027-01-31 12:00, or a time from now, such as 2h";
}

/** Seconds of a text such as `8h`; the fault of another text. */
function spanOf(field: "span" | "every", text: string, how: Release["how"]): Partial<Release> | string {
  const seconds = parseDuration(text) ?? 0;
  if (seconds < 1 || seconds > RAMP_LIMITS.most)
    return `times look like 30m, 12h or 1d, up to ${formatDuration(RAMP_LIMITS.most)}`;
  return { how, [field]: seconds };
}

function guardsIn(text: string): Partial<Release> | string {
  const guards = text === "none" ? [] : text.split(";").flatMap((each) => each.trim() || []);
  const fault = guards.map(findGuardFault).find((each) => each !== undefined);
  return fault ?? { guards };
}

async function choose<T extends string>(message: string, labels: Readonly<Record<T, string>>): Promise<T> {
  const choices = Object.entries<string>(labels).map(([value, label]) => ({ value, label }));
  return (await promptOption(message, choices)) as T;
}

/** Chooses among the metrics that are counted, or prompts for the event of another. */
async function chooseMetric(client: Client, place: Place, { experiments }: Known): Promise<string> {
  const { project } = place;
  const own = await listAll(client, forms.list, { query: { project } }).catch((error: unknown) => {
    // Of a token that may read flags alone.
    if (error instanceof AppError && error.code === "forbidden") return [];
    throw error;
  });
  const metrics = knownMetrics(
    experiments,
    own.map(({ slug }) => slug),
  );
  const choices = metrics.map((value) => ({ value, label: metricInWords(value) }));
  const chosen = await promptChoice("What is compared?", [
    ...choices,
    { value: "event", label: "another event" },
  ]);
  if (chosen !== "event") return chosen;
  const name = await promptText("Which event?", (text) => (text === "" ? "Please write a name" : undefined));
  return `event:${name.trim()}`;
}
