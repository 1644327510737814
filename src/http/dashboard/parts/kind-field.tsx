import { type Card, type Kind, readKind } from "../../../base/kinds/kinds.ts";
import { type Fields, textOf } from "../fields.ts";
import { AreaField, CheckField, SelectField, TextField } from "./field.tsx";
import { type Faults, faultsAt } from "./submit.ts";

type Props = {
  kind: Kind;
  name: string;
  label: string;
  hint?: string | undefined;
  /** The value as a person types it. */
  value: string;
  error?: string | undefined;
  /** Whether a choice may be none of its values. */
  mayLack?: boolean;
  timeZone?: string;
};

/** The field of a page for a value of a kind. */
export function KindField({ kind, value, mayLack = false, timeZone = "UTC", hint, ...common }: Props) {
  const rest = { ...common, ...(hint && { hint }) };
  switch (kind.is) {
    case "switch":
      return <CheckField {...rest} checked={value === "on"} />;
    case "choice":
      return <SelectField {...rest} value={value} options={optionsOf(kind, mayLack)} />;
    case "list":
    case "origins":
    case "senders":
      return <AreaField {...rest} value={value} rows={3} />;
    case "area":
      return <AreaField {...rest} value={value} rows={4} />;
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

/** The fields of a new record, as its card has them; `typed` are the fields that were sent, null for none. */
export function CardFields({ card, typed, faults }: { card: Card; typed: Fields | null; faults: Faults }) {
  return (
    <>
      {Object.entries(card).map(([name, { kind, label, hint, control = name }]) =>
        label === undefined ? null : (
          <KindField
            kind={kind}
            name={control}
            label={label}
            hint={hint}
            value={typed ? textOf(typed, control) : ""}
            error={faults[control]}
          />
        ),
      )}
    </>
  );
}

/** The fields of a record that a form gives, as the admin API takes them. Throws the faults of what cannot be read. */
export function givenIn(card: Card, fields: Fields, now: number): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  const faults: [string, string][] = [];
  for (const [name, { kind, control = name }] of Object.entries(card)) {
    const text = textOf(fields, control);
    if (text.trim() === "" || kind.is === "json") continue;
    const read = readKind(kind, text, { now, timeZone: "UTC" });
    if ("fault" in read) faults.push([control, read.fault]);
    else given[name] = read.value;
  }
  if (faults.length > 0) throw faultsAt(faults);
  return given;
}

/** The fields of a page at which refusals of a record are shown, for those that have another name there. */
export function controlsOf(card: Card): Record<string, string> {
  return Object.fromEntries(Object.entries(card).map(([name, { control = name }]) => [name, control]));
}
