import { parseRules } from "../../../flags/rules/rules.ts";
import type { GuardAction } from "../../../flags/ramps/ramp.ts";
import { AreaField, SelectField, TextField, WhyField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import type { Faults } from "../parts/submit.ts";
import { settingAction } from "../paths.ts";
import { useView } from "../view.ts";
import type { Setting } from "./setting.tsx";

/** A new ramp as it was typed, with what was wrong. */
export type RampDraft = {
  variant: string;
  to: string;
  every: string;
  start: string;
  /** One a line. */
  guards: string;
  onGuard: GuardAction;
  why: string;
  faults: Faults;
};

const BLANK: RampDraft = {
  variant: "",
  to: "1, 10, 50, 100",
  every: "1d",
  start: "",
  guards: "",
  onGuard: "pause",
  why: "",
  faults: {},
};

/** The form that begins a ramp. */
export function NewRamp({ setting, draft }: { setting: Setting; draft: RampDraft | null }) {
  const { environment } = setting.place;
  const { timeZone } = useView();
  const { variant, to, every, start, guards, onGuard, why, faults } = draft ?? BLANK;
  return (
    <details open={draft !== null} id="new-ramp">
      <summary>Begin a ramp</summary>
      <Form
        to={rampPath(setting)}
        values={{ do: "start" }}
        class="stack"
        id="ramp-form"
        label={`Begin a ramp in ${environment}`}
        isChanged={draft !== null}
      >
        <div class="columns">
          <SelectField
            name="variant"
            label="Variant that grows"
            value={variant}
            options={variantsOf(setting).map((name) => ({ value: name, label: name }))}
            error={faults["variant"]}
          />
          <TextField
            name="to"
            label="Shares"
            hint="In percent, rising; 100 makes it the default"
            value={to}
            error={faults["to"]}
            required
          />
          <TextField
            name="every"
            label="A step every"
            hint="Such as 30m, 12h or 1d"
            value={every}
            error={faults["every"]}
            required
          />
          <TextField
            name="start"
            type="datetime-local"
            label="First step at"
            hint={`Empty for now. Time zone ${timeZone}.`}
            value={start}
            error={faults["start"]}
          />
          <AreaField
            name="guards"
            label="Guards"
            hint="One a line, such as event:error rises 0%, or submissions:contact falls 40% of baseline"
            value={guards}
            error={faults["guards"]}
            rows={2}
          />
          <SelectField
            name="onGuard"
            label="When a guard fires"
            value={onGuard}
            options={[
              { value: "pause", label: "pause" },
              { value: "rollback", label: "roll back" },
            ]}
          />
        </div>
        <p class="soft">The first step turns the flag on. Rows of its rule come first.</p>
        <WhyField id="ramp-why" value={why} />
        <p class="buttons">
          <Button kind="primary">Begin the ramp in {environment}</Button>
        </p>
      </Form>
    </details>
  );
}

/** The variants that can grow: all but the default. */
function variantsOf({ record: { rules, enabled } }: Setting): string[] {
  const { variants, defaultVariant } =
    rules === null
      ? { variants: { on: true, off: false }, defaultVariant: enabled ? "on" : "off" }
      : parseRules(rules);
  return Object.keys(variants).filter((name) => name !== defaultVariant);
}

export function rampPath({ place }: Pick<Setting, "place">): string {
  return `${settingAction(place)}/ramp`;
}
