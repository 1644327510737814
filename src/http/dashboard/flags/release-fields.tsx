import { durationInWords } from "../../../base/units.ts";
import { wallTime } from "../../../base/wall-time.ts";
import { segmentTitle } from "../../../flags/audience.ts";
import { GUARD_ACTIONS } from "../../../flags/ramps/ramp.ts";
import { metricInWords } from "../../../flags/release/release-words.ts";
import { DAYS, PACES, type Release, SPANS } from "../../../flags/release/release.ts";
import { type Fields, textOf, textsOf } from "../fields.ts";
import { ComparisonFields } from "../parts/conditions.tsx";
import { A, Button } from "../parts/link.tsx";
import { typedAt } from "../parts/submit.ts";
import { NEW_SEGMENT, pathTo } from "../paths.ts";
import { useView } from "../view.ts";
import type { Screen } from "./screen.tsx";

/** Fields for steps before the last. */
const STEPS = 3;

export function Fault({ of, faults }: { of: string; faults: Readonly<Record<string, string>> }) {
  if (!faults[of]) return null;
  return (
    <p class="error" id={`release-${of}-error`}>
      {faults[of]}
    </p>
  );
}

/** Attributes of a field of the release that is wrong. */
function wrongAt(of: string, faults: Readonly<Record<string, string>>) {
  return faults[of] ? { "aria-invalid": "true" as const, "aria-describedby": `release-${of}-error` } : {};
}

/** The fields of who gets it, of which those of one choice show. */
export function WhoPanels({ screen, release }: { screen: Screen; release: Release }) {
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

/** The fields of how it happens. */
export function HowPanels({ screen, release }: { screen: Screen; release: Release }) {
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
          options={SPANS.map((span) => [String(span), durationInWords(span)])}
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
          options={[...new Set([...metrics, release.metric])].map((metric) => [
            metric,
            metricInWords(metric),
          ])}
        />{" "}
        or{" "}
        <input
          class="short"
          name="event"
          aria-label="Another event"
          placeholder="signup"
          autocomplete="off"
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

/** Guards that show at once. */
const SHOWN_GUARDS = 3;

/** A select without a visible label. */
export function Choice({
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

/** A number without a visible label. */
export function NumberField({
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

/** The guards of a form, as texts. */
export function guardsIn(fields: Fields): string[] {
  const of = (guard: string, percent: string) => `${guard} ${percent.trim() || "0"}%`;
  const event = textOf(fields, "guard-event").trim();
  return [
    ...textsOf(fields, "guard").map((guard) => of(guard, textOf(fields, `percent ${guard}`))),
    ...(event === "" ? [] : [of(`event:${event} falls`, textOf(fields, "guard-percent"))]),
  ];
}

/** Guards of a release step by step: errors that rise, and anything else that falls. */
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
      <details>
        <summary class="small">Another guard</summary>
        <div class="stack">
          {all.slice(SHOWN_GUARDS).map(row)}
          <div class="line">
            <input
              class="short"
              name="guard-event"
              aria-label="Event"
              placeholder="signup"
              autocomplete="off"
            />
            falls more than{" "}
            <NumberField name="guard-percent" label="Percent of the event" value={5} max="99" /> %
          </div>
        </div>
      </details>
    </div>
  );
}
