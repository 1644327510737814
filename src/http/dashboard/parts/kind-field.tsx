import type { AppError } from "../../../base/errors.ts";
import { type Card, type Kind, type NewOf, type Read, readKind } from "../../../base/kinds/kinds.ts";
import { parseTestContext } from "../../../flags/contexts/test-context.ts";
import { sentence } from "../../../base/shapes/words.ts";
import { type Fields, textOf } from "../fields.ts";
import { parseJson } from "../json-text.ts";
import { AreaField, CheckField, SelectField, TextField } from "./field.tsx";
import { Hidden } from "./link.tsx";
import { type Faults, type Typed, faultsAt, typedAt } from "./submit.ts";

type Props = {
  kind: Kind;
  name: string;
  label: string;
  hint?: string | undefined;
  /** The value as a person types it. */
  value: string;
  error?: string | undefined;
  /** Distinguishes fields of one name on a page. */
  id?: string;
  required?: boolean;
  /** Whether a choice may be none of its values. */
  mayLack?: boolean;
  timeZone?: string;
};

/** The field of a page for a value of a kind. */
function KindField({ kind, value, mayLack = false, timeZone = "UTC", hint, ...common }: Props) {
  const rest = { ...common, ...(hint && { hint }) };
  switch (kind.is) {
    case "switch":
      return <CheckField {...rest} checked={value === "on"} />;
    case "choice":
      return <SelectField {...rest} value={value} options={optionsOf(kind, mayLack)} />;
    case "list":
    case "phrases":
    case "lines":
    case "origins":
    case "senders":
      return <AreaField {...rest} value={value} rows={3} />;
    case "area":
      return <AreaField {...rest} value={value} rows={Math.min(Math.max(value.split("\n").length, 4), 12)} />;
    case "json":
      return <AreaField {...rest} value={value} rows={10} code />;
    case "time":
      return (
        <TextField {...rest} hint={`In ${timeZone}; empty for none`} type="datetime-local" value={value} />
      );
    case "name":
    case "url":
    case "text":
    case "field":
    case "flag":
    case "zone":
    case "count":
    case "bytes":
    case "seconds":
    case "expiry":
    case "rate":
    case "names":
    case "named":
    case "weights":
    case "shares":
    case "condition":
    case "context":
      return <TextField {...rest} value={value} />;
    default:
      return kind satisfies never;
  }
}

/** The options of a choice, with an empty one if there may be none. */
function optionsOf({ among, labels }: Extract<Kind, { is: "choice" }>, mayLack: boolean) {
  const values = mayLack ? ["", ...among] : among;
  return values.map((value) => ({ value, label: labels[value] ?? value }));
}

/** A setting with the text of its value. */
type Setting = Omit<Props, "value" | "error" | "timeZone"> & { text: string };

/** The field with the text that a page was made with, beside the one of the setting. */
const beforeName = (name: string) => `before-${name}`;

/** Whether a form carries a setting: a box that is not ticked is not sent, but what it was before is. */
export function wasSent(fields: Fields, name: string): boolean {
  return fields.has(name) || fields.has(beforeName(name));
}

/** The fields of settings, as they are or as they were sent; {@link changedIn} reads the changed ones. */
export function SettingFields({
  settings,
  sent,
  timeZone = "UTC",
}: {
  settings: readonly Setting[];
  sent: Typed | undefined;
  timeZone?: string;
}) {
  const textIn = (field: string, text: string) =>
    sent?.fields.has(field) ? textOf(sent.fields, field) : text;
  return (
    <>
      <Hidden values={settings.map(({ name, text }) => [beforeName(name), textIn(beforeName(name), text)])} />
      <div class="columns">
        {settings.map(({ text, ...setting }) => {
          const { [setting.name]: fault } = sent?.faults ?? {};
          const value = sent && wasSent(sent.fields, setting.name) ? textOf(sent.fields, setting.name) : text;
          return (
            <KindField {...setting} value={value} timeZone={timeZone} error={fault && sentence(fault)} />
          );
        })}
      </div>
    </>
  );
}

/**
 * The settings that a form changed, and the faults of texts that stand for no value: these are false, which no setting is that
 * has a text. Unchanged ones keep the stored value, which may be newer than the page, or more exact than its text.
 */
export function changedIn(
  kinds: readonly (readonly [name: string, kind: Kind])[],
  fields: Fields,
  timeZone = "UTC",
): { patch: Record<string, unknown>; faults: Faults } {
  const faults: Record<string, string> = {};
  const patch: Record<string, unknown> = {};
  for (const [name, kind] of kinds) {
    const [text, before] = [name, beforeName(name)].map((field) => textOf(fields, field).trim());
    if (fields.has(beforeName(name)) && text === before) continue;
    const typed = readTyped(kind, textOf(fields, name), { now: 0, timeZone });
    patch[name] = "value" in typed && typed.value;
    if ("fault" in typed) faults[name] = typed.fault;
  }
  return { patch, faults };
}

function readTyped(kind: Kind, typed: string, moment: { now: number; timeZone: string }): Read {
  if (kind.is === "context") return { value: parseTestContext(typed) };
  if (kind.is !== "json") return readKind(kind, typed, moment);
  const parsed = typed.trim() === "" ? { value: null } : parseJson(typed.trim());
  return "value" in parsed ? parsed : { fault: parsed.fault };
}

/** The faults of settings; an error such as `schema: …`, with the name of a setting in front, stands at its field. */
export function settingFaults(fields: Fields, faults: Faults, { errors, message }: AppError): Faults {
  const [, name = "", fault = ""] = /^(\w+): (.*)$/s.exec(message) ?? [];
  return errors === null && fields.has(name) ? { [name]: fault } : faults;
}

/**
 * The fields of a record, as its card has them; their ids begin with `id`, if there is one. `typed` is what was sent, null for
 * nothing, and `texts` are the values of one that is not new.
 */
export function CardFields({
  card,
  typed,
  texts = {},
  id,
}: {
  card: Card;
  typed: { fields: Fields | null; faults: Faults } | null;
  texts?: Readonly<Record<string, string>>;
  id?: string;
}) {
  return (
    <>
      {Object.entries(card).map(
        ([name, { kind, label, hint, required, suggested = "", default: unset, control = name }]) =>
          label === undefined ? null : (
            <KindField
              kind={kind}
              mayLack={unset === null}
              {...typedAt(typed, control, texts[name] ?? suggested)}
              label={label}
              hint={hint}
              {...(id && { id: `${id}-${control}` })}
              {...(required && { required })}
            />
          ),
      )}
    </>
  );
}

/** The fields of a record that a form gives, as the admin API takes them. Throws the faults of what cannot be read. */
export function givenIn<C extends Card>(card: C, fields: Fields, now: number): NewOf<C> {
  const given: Record<string, unknown> = {};
  const faults: [string, string][] = [];
  for (const [name, { kind, control = name }] of Object.entries(card)) {
    const text = textOf(fields, control);
    if (text.trim() === "") continue;
    const read = readTyped(kind, text, { now, timeZone: "UTC" });
    if ("fault" in read) faults.push([control, read.fault]);
    else given[name] = read.value;
  }
  if (faults.length > 0) throw faultsAt(faults);
  // The server checks the values.
  return given as NewOf<C>;
}

/** The fields of a page at which refusals of a record are shown, where their names differ. */
export function controlsOf(card: Card): Record<string, string> {
  return Object.fromEntries(Object.entries(card).map(([name, { control = name }]) => [name, control]));
}
