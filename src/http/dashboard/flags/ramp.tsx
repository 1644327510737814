import { isoTime } from "../../../base/clock.ts";
import { parseDuration } from "../../../base/units.ts";
import type { FlagPlace } from "../../../flags/flag.ts";
import type { rampSchema } from "../../../flags/ramps/ramp-schema.ts";
import { parseShares, rampCourseInWords, rampInWords } from "../../../flags/ramps/ramp-words.ts";
import { viewRamp } from "../../../flags/ramps/ramp.ts";
import { settled } from "../../../flags/ramps/ramp-plan.ts";
import { parseRules } from "../../../flags/rules/rules.ts";
import type { Operation } from "../../../operations/operation.ts";
import { ramps } from "../../../operations/ramps.ts";
import { chosenOf, textOf } from "../fields.ts";
import { AreaField, SelectField, TextField, WhyField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { faultAt, typedAt } from "../parts/submit.ts";
import { SETTING, settingAction, settingPath } from "../paths.ts";
import type { Dashboard, Sent } from "../routes.ts";
import { useView } from "../view.ts";
import { type Again, type Screen, confirmationOf, timeIn } from "./screen.tsx";

/** Errors of a ramp by their field; the empty name is the card as a whole. */
const AT = {
  "ramp-start": "start",
  "ramp-variant": "variant",
  "not-proposable": "",
  "form-not-found": "guards",
  "form-ambiguous": "guards",
  forbidden: "guards",
  invalid: "to",
  conflict: "",
};

/** An act on a ramp: its verb, the words for it once it is done, and the act that takes it back. */
type RampAct = {
  operation: Operation<{ output: typeof rampSchema }>;
  verb: string;
  done: string;
  back?: "pause" | "resume";
  bodyOf?: (sent: Sent<FlagPlace>) => object;
};

/** Takes the forms of the ramp of a flag; `again` shows the screen of the flag with what was typed. */
export function rampRoutes({ app, act, post, viewOf }: Dashboard, again: Again) {
  /** The course of a new ramp. Throws the fault of a field. */
  const planIn = ({ c, fields }: Pick<Sent<FlagPlace>, "c" | "fields">) => {
    const text = (name: string) => textOf(fields, name).trim();
    const to = parseShares(text("to"));
    if (!to) throw faultAt("to", "write percentages with commas, such as 1, 10, 50, 100");
    const every = parseDuration(text("every"));
    if (every === undefined) throw faultAt("every", "write a time such as 30m, 12h or 1d");
    const isNow = text("start") === "";
    const guards = text("guards")
      .split("\n")
      .flatMap((line) => line.trim() || []);
    return {
      variant: text("variant"),
      to,
      every,
      ...(!isNow && { start: isoTime(timeIn(fields, "start", viewOf(c).timeZone)) }),
      ...(guards.length > 0 && { guards, onGuard: text("onGuard") || "pause" }),
    };
  };
  const courseOf = async (sent: Sent<FlagPlace>, isNew: boolean) => {
    if (isNew) {
      const { to, ...plan } = planIn(sent);
      return rampCourseInWords({ ...plan, steps: to.map((share) => ({ share })) });
    }
    const found = await app.store.ramps.find(sent.names);
    return found && rampInWords(viewRamp(settled(found)));
  };
  const handler = ({ operation, verb, done, back, bodyOf }: RampAct) =>
    act({
      operation,
      input: (sent: Sent<FlagPlace>) => ({ names: sent.names, ...(bodyOf && { body: bodyOf(sent) }) }),
      done({ share, variant }, { names }) {
        const text = `The ramp of ${names.flag} in ${names.environment} is ${done}: ${share} % get ${variant}.`;
        const undo = back && { to: rampPath(names), values: { do: back } };
        return { to: settingPath(names), text, undo };
      },
      confirm: async (sent) =>
        confirmationOf(app, sent.c.get("caller"), sent.names, {
          what: "ramp",
          label: `${verb} the ramp in ${sent.names.environment}`,
          change: <p>{await courseOf(sent, verb === "Begin")}.</p>,
        }),
      again: ({ c, fields, names }, faults) =>
        again(c, names, () => ({ typed: { ramp: { fields, faults } } })),
      at: AT,
    });
  const acts = {
    start: handler({ operation: ramps.start, verb: "Begin", done: "begun", bodyOf: planIn }),
    pause: handler({ operation: ramps.pause, verb: "Pause", done: "paused", back: "resume" }),
    resume: handler({ operation: ramps.resume, verb: "Resume", done: "resumed", back: "pause" }),
    abort: handler({
      operation: ramps.abort,
      verb: "Abort",
      done: "aborted",
      bodyOf: ({ fields }) => ({ keep: textOf(fields, "keep") === "on" }),
    }),
  };
  post(`${SETTING}/ramp`, "flags:write", (c, fields, place) => chosenOf(acts, fields)(c, fields, place));
}

/** The form that begins a ramp. */
export function NewRamp({ screen }: { screen: Screen }) {
  const { place } = screen;
  const typed = screen.typed.ramp;
  const { timeZone } = useView();
  return (
    <details open={typed !== undefined} id="new-ramp">
      <summary>Begin a ramp</summary>
      <Form
        to={rampPath(place)}
        values={{ do: "start" }}
        class="stack"
        id="ramp-form"
        label={`Begin a ramp in ${place.environment}`}
        isChanged={typed !== undefined}
      >
        <div class="columns">
          <SelectField
            {...typedAt(typed, "variant")}
            label="Variant that grows"
            options={variantsOf(screen).map((name) => ({ value: name, label: name }))}
          />
          <TextField
            {...typedAt(typed, "to", "1, 10, 50, 100")}
            label="Shares"
            hint="In percent, rising; 100 makes it the default"
            required
          />
          <TextField
            {...typedAt(typed, "every", "1d")}
            label="A step every"
            hint="Such as 30m, 12h or 1d"
            required
          />
          <TextField
            {...typedAt(typed, "start")}
            type="datetime-local"
            label="First step at"
            hint={`Empty for now. Time zone ${timeZone}.`}
          />
          <AreaField
            {...typedAt(typed, "guards")}
            label="Guards"
            hint="One a line, such as event:error rises 0%, or submissions:contact falls 40% of baseline"
            rows={2}
          />
          <SelectField
            {...typedAt(typed, "onGuard", "pause")}
            label="When a guard fires"
            options={[
              { value: "pause", label: "pause" },
              { value: "rollback", label: "roll back" },
            ]}
          />
        </div>
        <p class="soft">The first step turns the flag on. Rows of its rule come first.</p>
        <WhyField id="ramp-why" value={typedAt(typed, "why").value} />
        <p class="buttons">
          <Button kind="primary">Begin the ramp in {place.environment}</Button>
        </p>
      </Form>
    </details>
  );
}

/** The variants that can grow: all but the default. */
function variantsOf({ record: { rules, enabled } }: Screen): string[] {
  const { variants, defaultVariant } =
    rules === null
      ? { variants: { on: true, off: false }, defaultVariant: enabled ? "on" : "off" }
      : parseRules(rules);
  return Object.keys(variants).filter((name) => name !== defaultVariant);
}

export function rampPath(place: FlagPlace): string {
  return `${settingAction(place)}/ramp`;
}
