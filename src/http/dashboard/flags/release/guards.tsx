import type { Release } from "../../../../flags/release/release.ts";
import { metricInWords } from "../../../../flags/release/release-words.ts";
import { GUARD_ACTIONS } from "../../../../flags/ramps/ramp.ts";
import { type Fields, textOf, textsOf } from "../../fields.ts";

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
