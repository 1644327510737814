import { wallTime } from "../../../../base/wall-time.ts";
import { durationInWords } from "../../../../base/units.ts";
import { segmentTitle } from "../../../../flags/audience.ts";
import { DAYS, PACES, type Release, SPANS } from "../../../../flags/release/release.ts";
import { metricInWords } from "../../../../flags/release/release-words.ts";
import { type Fields, textsOf } from "../../fields.ts";
import { ComparisonFields } from "../../parts/conditions.tsx";
import { A, Button } from "../../parts/link.tsx";
import { typedAt } from "../../parts/submit.ts";
import { NEW_SEGMENT, pathTo } from "../../paths.ts";
import { useView } from "../../view.ts";
import { Choice, Guards, NumberField } from "./guards.tsx";
import type { Screen } from "../screen.tsx";

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
