import { wallTime } from "../../../base/wall-time.ts";
import { durationInWords } from "../../../base/units.ts";
import type { FlagPlace } from "../../../flags/flag.ts";
import {
  HOW,
  type Release,
  WHO,
  controlOf,
  partsOf,
  variantsToRelease,
} from "../../../flags/release/release.ts";
import {
  beginningOf,
  endingOf,
  lastOf,
  metricInWords,
  verbOf,
} from "../../../flags/release/release-words.ts";
import { GUARD_ACTIONS } from "../../../flags/ramps/ramp.ts";
import { parseRules } from "../../../flags/rules/rules.ts";
import { segmentTitle } from "../../../flags/audience.ts";
import { type Fields, textsOf } from "../fields.ts";
import type { Child } from "../markup.ts";
import type { Page } from "../page.tsx";
import { ComparisonFields } from "../parts/conditions.tsx";
import { Danger } from "../parts/danger.tsx";
import { A, Button, Form } from "../parts/link.tsx";
import { Seg } from "../parts/seg.tsx";
import { EnvironmentName, Notice } from "../parts/status.tsx";
import { typedAt } from "../parts/submit.ts";
import { Foreign } from "../parts/text.tsx";
import { NEW_SEGMENT, pathTo, settingAction, settingPath } from "../paths.ts";
import { useView } from "../view.ts";
import {
  DAYS,
  PACES,
  SPANS,
  detailsOf,
  labelOf,
  releaseIn,
  spanInWords,
  usualRelease,
} from "./releasing.tsx";
import type { Screen } from "./screen.tsx";

const WHOS = Object.keys(WHO) as (keyof typeof WHO)[];
const HOWS = Object.keys(HOW) as (keyof typeof HOW)[];

/** Fields for steps before the last. */
const STEPS = 3;
/** Guards that show at once. */
const SHOWN_GUARDS = 3;

/** The release that a page shows: as it was typed, or the usual one with the first segment and what there is to compare. */
function shownRelease({ record, segments, metrics, typed }: Screen, timeZone: string): Release {
  if (typed.release) {
    const release = releaseIn(typed.release.fields, record, timeZone);
    const { span, every, days } = usualRelease(record);
    // What no list offers is not shown as a time, which it may not be.
    return {
      ...release,
      span: own(SPANS, release.span) ?? span,
      every: own(PACES, release.every) ?? every,
      days: own(DAYS, release.days) ?? days,
    };
  }
  const [metric = ""] = metrics.filter((each) => each !== "event:error");
  return { ...usualRelease(record), segment: segments[0] ?? "", metric: metric || (metrics[0] ?? "") };
}

function own(options: readonly number[], value: number): number | undefined {
  return options.find((each) => each === value);
}

/** The form that releases a flag: who gets it, how, what will happen, and one button. */
export function ReleaseCard({ screen }: { screen: Screen }) {
  const { place, environment, record, typed } = screen;
  const { timeZone } = useView();
  const release = shownRelease(screen, timeZone);
  const faults = typed.release?.faults ?? {};
  const names = Object.keys(variantsToRelease(record).variants);
  return (
    <Form
      to={`${settingAction(place)}/release`}
      values={{ revision: record.revision }}
      class="card release"
      id="release-form"
      label={`Release in ${environment.slug}`}
      isChanged={typed.release !== undefined}
    >
      <button type="submit" name="act" value="check" class="unseen" tabindex={-1} aria-hidden="true">
        Check
      </button>
      <div class="title">
        <h2 id="release">Release</h2>
        <span class="soft small line">
          in <EnvironmentName environment={environment} />
        </span>
      </div>
      {faults[""] && (
        <Notice tone="bad">
          <p>{faults[""]}</p>
        </Notice>
      )}
      <fieldset>
        <legend>Who gets it</legend>
        <div class="set">
          <Seg name="who" value={release.who} options={Object.entries(WHO)} />
          {names.length > 2 && (
            <div class="panel">
              <Choice
                name="variant"
                label="Variant"
                value={release.variant}
                options={names.map((name) => [name, name])}
              />
            </div>
          )}
          <Fault of="variant" faults={faults} />
          <WhoPanels screen={screen} release={release} />
        </div>
      </fieldset>
      <fieldset>
        <legend>How</legend>
        <div class="set">
          <Seg name="how" value={release.how} options={Object.entries(HOW)} />
          <Fault of="how" faults={faults} />
          <HowPanels screen={screen} release={release} />
        </div>
      </fieldset>
      <Will screen={screen} release={release} />
    </Form>
  );
}

function Fault({ of, faults }: { of: string; faults: Readonly<Record<string, string>> }) {
  if (!faults[of]) return null;
  return (
    <p class="error" id={`release-${of}-error`}>
      {faults[of]}
    </p>
  );
}

/** What says that a field of the release is wrong. */
function wrongAt(of: string, faults: Readonly<Record<string, string>>) {
  return faults[of] ? { "aria-invalid": "true" as const, "aria-describedby": `release-${of}-error` } : {};
}

/** A select without a visible label. */
function Choice({
  name,
  label,
  value,
  options,
  ...wrong
}: {
  name: string;
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
}) {
  return (
    <select name={name} class="short" aria-label={label} {...wrong}>
      {options.map(([each, text]) => (
        <option value={each} selected={each === value}>
          {text}
        </option>
      ))}
    </select>
  );
}

function NumberField({
  name,
  label,
  value,
  ...more
}: {
  name: string;
  label: string;
  value: number | string;
  max?: string;
}) {
  return (
    <input
      class="short number"
      type="number"
      name={name}
      aria-label={label}
      value={Number.isNaN(value) ? "" : value}
      min="0"
      max="100"
      step="any"
      {...more}
    />
  );
}

function WhoPanels({ screen, release }: { screen: Screen; release: Release }) {
  const { place, segments, typed } = screen;
  const faults = typed.release?.faults ?? {};
  const { project, environment } = place;
  return (
    <>
      <div class="panel if-share">
        <NumberField name="share" label="Share" value={release.share} {...wrongAt("share", faults)} /> % of
        users
        <Fault of="share" faults={faults} />
      </div>
      <div class="panel if-segment">
        {segments.length === 0 ? (
          <span class="soft">{environment} has no segment yet.</span>
        ) : (
          <Choice
            name="segment"
            label="Segment"
            value={release.segment}
            options={segments.map((name) => [name, segmentTitle(name)])}
            {...wrongAt("segment", faults)}
          />
        )}
        <A class="small" to={pathTo(NEW_SEGMENT, { project })} query={{ environment }}>
          New segment
        </A>
        <Fault of="segment" faults={faults} />
      </div>
      <p class="panel if-none soft">It is turned off.</p>
      <div class="panel if-rule">
        {conditionRows(typed.release?.fields).map((row, at) => (
          <div class="comparison" role="group" aria-label={`Condition ${at + 1}`}>
            <ComparisonFields
              row={row}
              labelOf={(field) => field}
              operatorLabel="Comparison"
              isWrong={faults["condition"] !== undefined}
            />
          </div>
        ))}
        <Button kind="plain low" name="act" value="and" icon="plus">
          And
        </Button>
        <Fault of="condition" faults={faults} />
      </div>
    </>
  );
}

/** The rows of a condition as they were typed, one more after `And`. */
function conditionRows(fields: Fields | undefined) {
  const blank = { attribute: "", operator: "==", value: "" };
  if (!fields) return [blank];
  const [operators, values] = [textsOf(fields, "operator"), textsOf(fields, "value")];
  const rows = textsOf(fields, "attribute").map((attribute, at) => ({
    attribute,
    operator: operators[at] ?? "==",
    value: values[at] ?? "",
  }));
  return fields.get("act") === "and" || rows.length === 0 ? [...rows, blank] : rows;
}

function HowPanels({ screen, release }: { screen: Screen; release: Release }) {
  const { metrics, typed } = screen;
  const { timeZone } = useView();
  const faults = typed.release?.faults ?? {};
  const steps = Array.from(
    { length: Math.max(STEPS, release.steps.length) },
    (_, at) => release.steps[at] ?? "",
  );
  return (
    <>
      <div class="panel if-at">
        <input
          class="short"
          type="datetime-local"
          name="at"
          aria-label="When"
          value={release.at === null ? typedAt(typed.release, "at").value : wallTime(release.at, timeZone)}
          {...wrongAt("at", faults)}
        />
        <span class="soft small">Time zone {timeZone}</span>
        <Fault of="at" faults={faults} />
      </div>
      <div class="panel if-while">
        for{" "}
        <Choice
          name="span"
          label="How long"
          value={String(release.span)}
          options={SPANS.map((span) => [String(span), spanInWords(span)])}
        />{" "}
        then back to what holds now
      </div>
      <div class="panel if-steps">
        <span class="steps">
          {steps.map((share, at) => (
            <>
              <NumberField
                name="step"
                label={`Step ${at + 1}, %`}
                value={share}
                {...wrongAt("step", faults)}
              />{" "}
              →{" "}
            </>
          ))}
          <span class="if-all">100 %</span>
          <span class="if-share">the share</span>
          <span class="if-some">
            <Choice
              name="last"
              label="Last step"
              value={release.thenEveryone ? "everyone" : "them"}
              options={[
                ["them", "all of them"],
                ["everyone", "everyone"],
              ]}
            />
          </span>
        </span>
        one step every{" "}
        <Choice
          name="every"
          label="Every"
          value={String(release.every)}
          options={PACES.map((pace) => [String(pace), durationInWords(pace).replace(/^1 /, "")])}
        />
        <Fault of="step" faults={faults} />
        <Fault of="every" faults={faults} />
        <Guards metrics={metrics} release={release} />
        <Fault of="guards" faults={faults} />
      </div>
      <div class="panel if-test">
        compare{" "}
        <Choice
          name="metric"
          label="Goal"
          value={release.metric}
          options={metrics.map((metric) => [metric, metricInWords(metric)])}
        />{" "}
        for{" "}
        <Choice
          name="days"
          label="How many days"
          value={String(release.days)}
          options={DAYS.map((days) => [String(days), `${days} days`])}
        />
        <Fault of="metric" faults={faults} />
      </div>
    </>
  );
}

/** What stops a release step by step: errors that rise, and anything else that falls. */
export function Guards({
  metrics,
  release: { guards, onGuard },
}: {
  metrics: readonly string[];
  release: Pick<Release, "guards" | "onGuard">;
}) {
  const known = metrics.map((metric) => `${metric} ${metric === "event:error" ? "rises" : "falls"}`);
  const chosen = new Map(
    guards.map((guard) => [guard.replace(/ [\d.]*%$/, ""), / ([\d.]*)%$/.exec(guard)?.[1]]),
  );
  const all = [...new Set([...known, ...chosen.keys()])];
  const row = (guard: string) => {
    const [metric = "", direction] = guard.split(" ");
    const id = `guard-${guard.replaceAll(/\W/g, "-")}`;
    const name = metricInWords(metric);
    return (
      <div class="line">
        <label for={id}>
          <input type="checkbox" id={id} name="guard" value={guard} checked={chosen.has(guard)} />{" "}
          <b>{name}</b> {direction === "rises" ? "rise" : "fall"} more than
        </label>{" "}
        <NumberField
          name={`percent ${guard}`}
          label={`Percent of ${name}`}
          value={chosen.get(guard) ?? (direction === "rises" ? 10 : 5)}
          max={direction === "rises" ? "1000" : "99"}
        />{" "}
        %
      </div>
    );
  };
  return (
    <div class="guards" role="group" aria-label="Guards">
      <span class="small soft line">
        <Choice
          name="onGuard"
          label="When a guard fires"
          value={onGuard}
          options={GUARD_ACTIONS.map((each) => [each, each === "pause" ? "Stop" : "Go back"])}
        />
        and tell you, if
      </span>
      {all.slice(0, SHOWN_GUARDS).map(row)}
      {all.length > SHOWN_GUARDS && (
        <details>
          <summary class="small">Another guard</summary>
          <div class="stack">{all.slice(SHOWN_GUARDS).map(row)}</div>
        </details>
      )}
    </div>
  );
}

/** What will happen, as a sentence that follows the choices of who and how by style alone, and the button that does it. */
function Will({ screen, release }: { screen: Screen; release: Release }) {
  const { environment, record, typed } = screen;
  const { now, timeZone } = useView();
  const saying = { now, timeZone };
  const control = controlOf(record, release.variant);
  /** A text for each of who gets it, of which one shows. */
  const eachOf = (text: (who: Release["who"]) => string) =>
    WHOS.map((who) => (
      <span class={`if-${who}`}>
        <Foreign text={text(who)} />{" "}
      </span>
    ));
  const { slug, locked, approvals } = environment;
  return (
    <div class="will">
      <div data-part="will">
        <input type="hidden" name="details" value={detailsOf(release)} />
        <p>
          {HOWS.map((how) => (
            <b class={`if-${how}`}>
              {how === "steps"
                ? eachOf((who) => beginningOf({ ...release, how, who }, saying))
                : `${beginningOf({ ...release, how }, saying)} `}
            </b>
          ))}
          {(["steps", "now"] as const).map((how) => (
            <b class={how === "steps" ? "if-steps" : "not-steps"}>
              {eachOf((who) => {
                const last = lastOf({ ...release, how, who });
                return `${last} ${verbOf(last)}`;
              })}
            </b>
          ))}
          <Foreign text={release.variant} />
          {HOWS.map((how) => (
            <span class={`if-${how}`}>
              <Foreign text={endingOf({ ...release, how }, control)} />
            </span>
          ))}
          <Kept screen={screen} />
        </p>
      </div>
      <div class="go">
        <input
          name="why"
          id="release-why"
          aria-label="Why"
          placeholder="Why? Kept in the history"
          value={typedAt(typed.release, "why").value}
          maxlength={500}
        />
        <button type="submit" class="button primary" name="act" value="release">
          {HOWS.map((how) => (
            <span class={`if-${how}`}>
              {labelOf({ ...release, how })} in {slug}
            </span>
          ))}
        </button>
      </div>
      {(locked || approvals > 0) && (
        <p class="small soft">
          {approvals > 0
            ? `Changes of ${slug} need approvals: the next page shows the difference, and proposes it.`
            : `${slug} is locked: the next page shows the difference, and asks once.`}
        </p>
      )}
    </div>
  );
}

/** The conditions that come before a release, and stay. */
function Kept({ screen: { record } }: { screen: Screen }) {
  if (record.rules === null) return null;
  try {
    const { rows } = partsOf(parseRules(record.rules));
    if (rows.length === 0) return null;
  } catch {
    return null;
  }
  return <span class="keep"> The rules that it has come first.</span>;
}

/** What a release does, on the page that asks for it. */
export function ReleaseChange({ sentence, difference }: { sentence: string; difference: Child }) {
  return (
    <>
      <p class="lead">
        <Foreign text={sentence} />
      </p>
      {difference}
    </>
  );
}

/** The page that confirms numbers which the sentence of the form did not show. */
export function releaseCheckPage({
  place,
  fields,
  sentence,
  details,
  label,
}: {
  place: FlagPlace;
  fields: Fields;
  sentence: string;
  details: string;
  label: string;
}): Page {
  const { project, environment, flag } = place;
  const values = [...fields].filter(
    (field): field is [string, string] =>
      typeof field[1] === "string" && field[0] !== "details" && field[0] !== "why",
  );
  return {
    title: `Check the release of ${flag} in ${environment}, ${project}`,
    heading: `${label}?`,
    section: "flags",
    status: 428,
    back: { to: settingPath(place), label: flag },
    content: (
      <div class="stack narrow">
        <ReleaseChange sentence={sentence} difference={null} />
        <Danger
          to={`${settingAction(place)}/release`}
          values={[...values, ["details", details]]}
          id="confirmation"
          why={String(fields.get("why") ?? "")}
          whyId="confirm-why"
          kind="primary"
          act={label}
          back={{ to: settingPath(place) }}
        />
      </div>
    ),
  };
}
