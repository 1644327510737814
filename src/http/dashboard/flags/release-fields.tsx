import { durationInWords } from "../../../base/units.ts";
import { wallTime } from "../../../base/wall-time.ts";
import { segmentTitle } from "../../../flags/audience.ts";
import { GUARD_ACTIONS } from "../../../flags/ramps/ramp-card.ts";
import { metricInWords } from "../../../flags/release/release-words.ts";
import { DAYS, PACES, type Release, SPANS } from "../../../flags/release/release.ts";
import { findStepsFault } from "../../../flags/release/steps.ts";
import { type Fields, textOf, textsOf } from "../fields.ts";
import type { PropsWithChildren } from "../markup.ts";
import { ComparisonFields } from "../parts/conditions.tsx";
import { A, Button } from "../parts/link.tsx";
import { typedAt } from "../parts/submit.ts";
import { Foreign } from "../parts/text.tsx";
import { NEW_SEGMENT, pathTo } from "../paths.ts";
import { useView } from "../view.ts";
import { BLANK, conditionsIn } from "./rules.ts";
import type { Screen } from "./screen.tsx";

/** Fields for steps before the last. */
const STEPS = 3;

type Faults = Readonly<Record<string, string>>;
type Props = { screen: Screen; release: Release };

/** The fault of a field of the release. */
export function Fault({ of, faults }: { of: string; faults: Faults }) {
  if (!faults[of]) return null;
  return (
    <p class="error" id={`release-${of}-error`}>
      {faults[of]}
    </p>
  );
}

/** The fields of one choice, with what is wrong with them. */
function Panel({ class: className, of, faults, children }: PropsWithChildren<PanelProps>) {
  return (
    <div class={className}>
      {children}
      {of.map((name) => Fault({ of: name, faults }))}
    </div>
  );
}

type PanelProps = { class: string; of: readonly string[]; faults: Faults };

/** Attributes of a field of the release that is wrong. */
function wrongAt(of: string, faults: Faults) {
  return faults[of] ? { "aria-invalid": "true" as const, "aria-describedby": `release-${of}-error` } : {};
}

/** A select without a visible label; an option is its own label unless it has another. */
export function Choice({
  label,
  value,
  options,
  ...rest
}: {
  name: string;
  label: string;
  value: string;
  options: readonly (string | readonly [value: string, label: string])[];
}) {
  return (
    <select class="short" aria-label={label} {...rest}>
      {options
        .map((option) => (typeof option === "string" ? [option, option] : option))
        .map(([each, text]) => (
          <option value={each} selected={each === value}>
            {text}
          </option>
        ))}
    </select>
  );
}

/** A number without a visible label. */
function NumberField({ label, value, ...rest }: NumberProps) {
  const shown = Number.isNaN(value) ? "" : value;
  const limits = { min: "0", max: "100", step: "any" };
  return <input class="short number" type="number" aria-label={label} value={shown} {...limits} {...rest} />;
}

type NumberProps = { name: string; label: string; value: number | string; max?: string };

/** The fields of who gets it, of which those of one choice show. */
export function WhoPanels({ screen: { place, segments, turnsOff, typed }, release }: Props) {
  const { project, environment } = place;
  const { fields, faults = {} } = typed.release ?? {};
  const panel = (of: string) => ({ of: [of], faults });
  const rows = fields ? conditionsIn(fields) : [];
  const shown = rows.length === 0 || fields?.get("act") === "and" ? [...rows, BLANK] : rows;
  return (
    <>
      <Panel class="panel if-share" {...panel("share")}>
        <NumberField name="share" label="Share" value={release.share} {...wrongAt("share", faults)} /> % of
        users
      </Panel>
      <Panel class="panel if-segment" {...panel("segment")}>
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
      </Panel>
      <p class="panel if-none soft">
        <Foreign text={`It is turned off.${turnsOff === null ? "" : ` It ${turnsOff}.`}`} />
      </p>
      <Panel class="panel if-rule" {...panel("condition")}>
        {shown.map((row, at) => (
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
      </Panel>
    </>
  );
}

/** The fields of how it happens. */
export function HowPanels({ screen: { metrics, typed }, release }: Props) {
  const { timeZone } = useView();
  const faults = typed.release?.faults ?? {};
  const count = Math.max(STEPS, release.steps.length);
  const steps = Array.from({ length: count }, (_, at) => release.steps[at] ?? "");
  const wrong = findStepsFault(release)?.at;
  return (
    <>
      <Panel class="panel if-at" of={["at"]} faults={faults}>
        <input
          class="short"
          type="datetime-local"
          name="at"
          aria-label="When"
          value={release.at === null ? typedAt(typed.release, "at").value : wallTime(release.at, timeZone)}
          {...wrongAt("at", faults)}
        />
        <span class="soft small">Time zone {timeZone}</span>
      </Panel>
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
                {...(wrong === undefined || wrong === at ? wrongAt("step", faults) : {})}
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
              options={[["them", "all of them"], "everyone"]}
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
        <span class="soft small">An empty step is left out.</span>
        <Fault of="step" faults={faults} />
        <Fault of="every" faults={faults} />
        <Guards metrics={metrics} release={release} />
        <Fault of="guards" faults={faults} />
      </div>
      <Panel class="panel if-test" of={["metric"]} faults={faults}>
        compare{" "}
        <Choice
          name="metric"
          label="Goal"
          value={release.metric}
          options={[...new Set([...metrics, release.metric])].map((each) => [each, metricInWords(each)])}
        />{" "}
        or <EventField name="event" label="Another event" /> for{" "}
        <Choice
          name="days"
          label="How many days"
          value={String(release.days)}
          options={DAYS.map((days) => [String(days), `${days} days`])}
        />
      </Panel>
    </>
  );
}

function EventField({ name, label }: { name: string; label: string }) {
  return <input class="short" name={name} aria-label={label} placeholder="signup" autocomplete="off" />;
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

/** Guards that show at once. */
const SHOWN_GUARDS = 3;

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
  const rows = [...new Set([...known, ...chosen.keys()])].map((guard) => {
    const [metric = "", direction] = guard.split(" ");
    const isRise = direction === "rises";
    const id = `guard-${guard.replaceAll(/\W/g, "-")}`;
    const name = metricInWords(metric);
    return (
      <div class="line">
        <label for={id}>
          <input type="checkbox" id={id} name="guard" value={guard} checked={chosen.has(guard)} />{" "}
          <b>{name}</b> {isRise ? "rise" : "fall"} more than
        </label>{" "}
        <NumberField
          name={`percent ${guard}`}
          label={`Percent of ${name}`}
          value={chosen.get(guard) ?? (isRise ? 10 : 5)}
          max={isRise ? "1000" : "99"}
        />{" "}
        %
      </div>
    );
  });
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
      {rows.slice(0, SHOWN_GUARDS)}
      <details>
        <summary class="small">Another guard</summary>
        <div class="stack">
          {rows.slice(SHOWN_GUARDS)}
          <div class="line">
            <EventField name="guard-event" label="Event" />
            falls more than{" "}
            <NumberField name="guard-percent" label="Percent of the event" value={5} max="99" /> %
          </div>
        </div>
      </details>
    </div>
  );
}
