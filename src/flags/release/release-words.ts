import { capital } from "../../base/shapes/words.ts";
import { keepLast } from "../../base/keep.ts";
import { durationInWords } from "../../base/units.ts";
import { audienceOf, negatedBy, segmentTitle } from "../audience.ts";
import { type FlagRecord, isOn } from "../flag.ts";
import { findGuardFault, formOfMetric, parseGuard } from "../ramps/guard.ts";
import { conditionInWords } from "../rules/condition-words.ts";
import { parseRules } from "../rules/rules.ts";
import { sharesOf, switchOf } from "../rules/shares.ts";
import { type Release, controlOf, isOfSome, partsOf } from "./release.ts";
import { stepsOf } from "./steps.ts";

/** Readers of a flag, and the variant that they get. */
export type Gets = { who: string; what: string };

type Ruled = Pick<FlagRecord, "enabled" | "rules" | "expiresAt">;

/** Readers of a flag in an environment with what they get, the first first; null for a rule that words do not express. */
export function whoGets(record: Ruled, now: number): Gets[] | null {
  const rules = record.rules === null ? null : parseRules(record.rules);
  const states = rules === null ? { on: "on", off: "off" } : switchOf(rules.variants);
  if (!isOn(record, now)) return [{ who: "Everyone", what: states?.off ?? "what their code falls back to" }];
  if (rules === null) return [{ who: "Everyone", what: "on" }];
  let parts;
  try {
    parts = partsOf(rules);
  } catch {
    return null;
  }
  const fallback = rules.defaultVariant ?? "no value";
  const rest = parts.rest ?? fallback;
  const restShares =
    typeof rest === "string" ? null : sharesOf(rest)?.filter(({ percent }) => percent !== "0");
  if (parts.rows.length === 2) {
    const [within, others] = [conditionInWords(negatedBy(parts.rows[0])), parts.rows[1] ?? fallback];
    const [first, last, ...more] = restShares ?? [];
    const isSaid = !first || (last?.variant === others && more.length === 0);
    if (within !== null && typeof others === "string" && isSaid) {
      const who = first ? `${first.percent} % of ${people(within)}` : capital(people(within));
      const what = first?.variant ?? rest;
      if (typeof what === "string")
        return [
          { who, what },
          { who: "Everyone else", what: others },
        ];
    }
  }
  const clauses: Gets[] = [];
  for (let at = 0; at < parts.rows.length; at += 2) {
    const words = conditionInWords(parts.rows[at]);
    const result = parts.rows[at + 1] ?? fallback;
    if (words === null) return null;
    const shares = sharesOf(result);
    if (typeof result !== "string" && shares === null) return null;
    const of = people(words);
    if (typeof result === "string") clauses.push({ who: capital(of), what: result });
    else
      for (const { variant, percent } of shares!)
        clauses.push({ who: `${percent} % of ${of}`, what: variant });
  }
  const others = clauses.length > 0 ? "Everyone else" : "Everyone";
  if (typeof rest === "string") return [...clauses, { who: others, what: rest }];
  if (!restShares) return null;
  return [
    ...clauses,
    ...restShares.map(({ variant, percent }, at) =>
      at > 0 && at === restShares.length - 1
        ? { who: "Everyone else", what: variant }
        : { who: `${percent} % of users`, what: variant },
    ),
  ];
}

/** Users for whom a condition in words holds: `Staff`, or `users where plan is pro`. */
function people(words: string): string {
  return /^segment \S+$/.test(words) ? segmentTitle(words.slice("segment ".length)) : `users where ${words}`;
}

/** A flag in an environment in a few words: `On for everyone`, `On for Staff`, `Off for everyone`. */
export function getsInShort(record: Ruled & Pick<FlagRecord, "requires">, now: number): string {
  const audience = audienceOf(record, now);
  if (audience === "off") return "Off for everyone";
  return audience === "expired" ? "Off, expired" : `On for ${audience}`;
}

/** `Everyone gets`, `staff get`. */
export function verbOf(who: string): "get" | "gets" {
  return /^(?:everyone|nobody)/i.test(who) ? "gets" : "get";
}

const formats = keepLast<Intl.DateTimeFormat>(50);

/** A time to come as people say it: `tomorrow, 09:00`, `on Tue 1 Dec, 09:00`. */
export function whenInWords(at: number, now: number, timeZone: string): string {
  const dayOf = (time: number) => format("en-CA", { dateStyle: "short" }, time, timeZone);
  const clock = format("en-GB", { timeStyle: "short" }, at, timeZone);
  if (dayOf(at) === dayOf(now)) return `at ${clock}`;
  if (dayOf(at) === dayOf(now + 86_400_000)) return `tomorrow, ${clock}`;
  const day = { weekday: "short", day: "numeric", month: "short" } as const;
  return `on ${format("en-GB", day, at, timeZone)}, ${clock}`;
}

function format(locale: string, options: Intl.DateTimeFormatOptions, at: number, timeZone: string): string {
  const key = `${locale} ${JSON.stringify(options)} ${timeZone}`;
  return formats(key, () => new Intl.DateTimeFormat(locale, { ...options, timeZone })).format(at);
}

/** The time and the zone of a sentence. */
export type Saying = { now: number; timeZone: string };

/** Users whom a release is for. */
function subjectOf({
  who,
  share,
  segment,
  condition,
}: Pick<Release, "who" | "share" | "segment" | "condition">): string {
  if (who === "none") return "nobody";
  if (who === "share") return `${share} % of users`;
  if (who === "segment") return segment === "" ? "a segment" : segmentTitle(segment);
  if (who === "rule") return condition === "" ? "users of a rule" : `users where ${condition}`;
  return "everyone";
}

/** The beginning of the sentence of a release. */
export function beginningOf(release: Release, { now, timeZone }: Saying): string {
  const { how, at, span, days, every, thenEveryone } = release;
  if (how === "now") return "From now on,";
  if (how === "at") return at === null ? "At a time," : `${capital(whenInWords(at, now, timeZone))},`;
  if (how === "while") return `For the next ${durationInWords(span)},`;
  if (how === "test") return `For ${durationInWords(days * 86_400)},`;
  const within = isOfSome(release);
  const said = stepsOf(release).map((share, index) => {
    const when =
      index === 0 ? "From now on" : dayInWords(now + index * every * 1000, { now, timeZone }, every);
    return {
      when,
      share: `${share} %${within && thenEveryone && index === 0 ? ` of ${subjectOf(release)}` : ""}`,
    };
  });
  const before = said.slice(0, -1).map(({ when, share }) => `${when} ${share}`);
  const last = said.at(-1)!.when;
  return before.length === 0 ? last : `${before.join(", ")}, and ${last}`;
}

/** The day of a step that comes after days, else its time. */
function dayInWords(at: number, saying: Saying, every: number): string {
  const words = whenInWords(at, saying.now, saying.timeZone);
  return every % 86_400 === 0 ? words.replace(/, \d\d:\d\d$/, "") : words;
}

/** Users who get the variant at last. */
export function lastOf(release: Release): string {
  const { how, thenEveryone } = release;
  if (how !== "steps") return subjectOf(release);
  if (isOfSome(release)) return thenEveryone ? "everyone" : `all of ${subjectOf(release)}`;
  return subjectOf(release);
}

/** The sentence behind that of a release whose flag has conditions. */
export const RULES_FIRST = "The rules that it has come first.";

/** The words behind the variant in the sentence of a release. */
export function endingOf(release: Release, control: string): string {
  const { how, metric, guards, onGuard } = release;
  if (how === "while") return ", then it is as it is now.";
  if (how === "test")
    return ` or ${control}, split between them, and ${metric === "" ? "what they do is" : `${metricInWords(metric)} are`} compared.`;
  if (how !== "steps" || guards.length === 0) return ".";
  const what = onGuard === "pause" ? "It stops" : "It goes back";
  return `. ${what}, and tells you, if ${guards.map(guardInWords).join(" or ")}.`;
}

/** A release as a sentence: `From now on, everyone gets on.` */
export function releaseInWords(release: Release, record: Ruled, saying: Saying): string {
  const { variant } = release;
  const last = lastOf(release);
  const ending = endingOf(release, controlOf(record, variant));
  return `${beginningOf(release, saying)} ${last} ${verbOf(last)} ${variant}${ending}`;
}

/** Label of the button of a release, which an environment with approvals only gets proposed. */
export function labelOf({ how, span }: Pick<Release, "how" | "span">, isProposed = false): string {
  if (isProposed) {
    if (how === "at") return "Propose the schedule";
    if (how === "steps") return "Propose the steps";
    if (how === "test") return "Propose the experiment";
    return `Propose the release${how === "while" ? ` for ${durationInWords(span)}` : ""}`;
  }
  if (how === "at") return "Schedule";
  if (how === "steps") return "Start the steps";
  if (how === "test") return "Start the experiment";
  return how === "while" ? `Release for ${durationInWords(span)}` : "Release";
}

/** A metric as people name it: `errors`, `submissions of contact`, `signup`. */
export function metricInWords(metric: string): string {
  const form = formOfMetric(metric);
  if (form !== null) return `submissions of ${form.split(":").at(-1)}`;
  return metric === "event:error" ? "errors" : `events ${metric.slice("event:".length)}`;
}

/** `errors rise more than 10 %`. */
export function guardInWords(guard: string): string {
  if (findGuardFault(guard) !== undefined) return guard;
  const { metric, direction, percent, isOfBaseline } = parseGuard(guard);
  const verb = direction === "rises" ? "rise" : "fall";
  const by = percent === 0 ? "" : ` more than ${percent} %`;
  return `${metricInWords(metric)} ${verb}${by}${isOfBaseline ? " below the weeks before" : ""}`;
}
