import { AppError } from "../../../base/errors.ts";
import { own } from "../../../base/shapes/own.ts";
import type { Served } from "../../../flags/reads/served.ts";
import { type Fields, fitsInLine, textOf, textsOf } from "../fields.ts";
import { parseJson } from "../json-text.ts";
import { formatCount } from "../parts/chart.tsx";
import { Button } from "../parts/link.tsx";
import { Foreign } from "../parts/text.tsx";
import { useMay } from "../view.ts";

/** The types that the variants of a flag can have in its form: one for all of them. */
export const TYPES = ["boolean", "text", "number", "JSON"] as const;

type Type = (typeof TYPES)[number];

type Values = Readonly<Record<string, unknown>>;

/** A variant as it is typed. `standard` is the colour that it has without one of its own; empty if it has one. */
export type EditedVariant = { name: string; value: string; colour: string; standard: string };

/** The variants of a form, which may be wrong or not complete. */
export type EditedVariants = { type: Type; rows: EditedVariant[] };

/** Readable on light and dark pages. */
export const COLOUR_NAMES: Readonly<Record<string, string>> = {
  "#1c7ed6": "blue",
  "#e67700": "orange",
  "#9c36b5": "purple",
  "#0b7285": "teal",
  "#c2255c": "pink",
  "#5c940d": "green",
};
export const COLOURS = Object.keys(COLOUR_NAMES);
const OF_SWITCH = { on: "#2f9e44", off: "#868e96" };

/** The colour of a variant that has none of its own. */
function standardColour(value: unknown, at: number): string {
  if (typeof value === "boolean") return value ? OF_SWITCH.on : OF_SWITCH.off;
  return COLOURS[at % COLOURS.length]!;
}

/** The colour of each variant. */
export function coloursFor(variants: Values, own: Readonly<Record<string, string>>): Map<string, string> {
  const entries = Object.entries(variants);
  return new Map(
    entries.map(([name, value], at) => [
      name,
      Object.hasOwn(own, name) ? own[name]! : standardColour(value, at),
    ]),
  );
}

/** The variants of a flag as fields. */
export function editedVariants(variants: Values, own: Readonly<Record<string, string>>): EditedVariants {
  const entries = Object.entries(variants);
  const type = TYPES.find((each) => entries.every(([, value]) => isOf(each, value)))!;
  const colours = coloursFor(variants, own);
  const rows = entries.map(([name, value]) => ({
    name,
    value: type === "JSON" ? JSON.stringify(value) : String(value),
    colour: colours.get(name)!,
    standard: Object.hasOwn(own, name) ? "" : colours.get(name)!,
  }));
  return { type, rows };
}

function isOf(type: Type, value: unknown): boolean {
  if (type === "text") return typeof value === "string" && fitsInLine(value);
  return type === "JSON" || typeof value === type;
}

/** A row for another variant. */
export function blankVariant({ type, rows }: EditedVariants): EditedVariant {
  const standard = standardColour(type === "boolean" ? rows.length % 2 === 0 : undefined, rows.length);
  return { name: "", value: type === "boolean" ? "true" : "", colour: standard, standard };
}

/** The variants of a form; null if it has no table of them. */
export function variantsIn(fields: Fields): EditedVariants | null {
  if (!fields.has("variant-type")) return null;
  const type = TYPES.find((each) => each === textOf(fields, "variant-type")) ?? "JSON";
  const [names, values, colours, standards] = ["name", "value", "colour", "standard"].map((field) =>
    textsOf(fields, `variant-${field}`),
  );
  const rows = names!.map((name, at) => ({
    name: name.trim(),
    value: values![at] ?? "",
    colour: textOf(fields, `variant-colour-${at + 1}`) || (colours![at] ?? ""),
    standard: standards![at] ?? "",
  }));
  return { type, rows };
}

/** The named variants with their values. Throws `invalid` for the first row that is wrong. */
export function valuesOf({ type, rows }: EditedVariants): Values {
  const values = new Map<string, unknown>();
  for (const [at, { name, value }] of rows.entries()) {
    if (name === "" && (value.trim() === "" || type === "boolean")) continue;
    if (name === "") throw new AppError("invalid", `variant ${at + 1} has no name`);
    if (values.has(name)) throw new AppError("invalid", `two variants have the name ${name}`);
    values.set(name, valueOf(type, name, value));
  }
  return Object.fromEntries(values);
}

function valueOf(type: Type, name: string, text: string): unknown {
  const fail = (what: string) => new AppError("invalid", `the value of ${name} is not ${what}`);
  if (type === "text") return text;
  if (type === "boolean") {
    if (text !== "true" && text !== "false") throw fail("true or false");
    return text === "true";
  }
  if (type === "number") {
    const number = Number(text);
    if (text.trim() === "" || !Number.isFinite(number)) throw fail("a number");
    return number;
  }
  const parsed = parseJson(text);
  if (parsed.fault !== undefined) throw fail(`JSON: ${parsed.fault}`);
  return parsed.value;
}

/** The colours of a flag after its form; `before` are those it has, and `was` its variants. */
export function coloursIn(
  { rows }: EditedVariants,
  before: Readonly<Record<string, string>>,
  was: Values,
): Record<string, string> {
  const others = Object.entries(before).filter(([name]) => !Object.hasOwn(was, name));
  const own = rows.filter(
    ({ name, colour, standard }) => name !== "" && colour !== "" && colour !== standard,
  );
  return Object.fromEntries([...others, ...own.map(({ name, colour }) => [name, colour])]) as Record<
    string,
    string
  >;
}

const ERROR = "variants-error";
/** The library would leave out a false one. */
const AS_WRITTEN: object = { spellcheck: "false", autocapitalize: "off", dir: "auto" };

/** The variants of a flag as fields, with one type for all of them, and how often each was served today. */
export function VariantsTable({
  variants: { type, rows },
  served,
  fault,
}: {
  variants: EditedVariants;
  served: Served;
  fault: string | undefined;
}) {
  const mayWrite = useMay("flags:write");
  const names = new Set(rows.map(({ name }) => name));
  const others = Object.entries(served.variants).filter(([name]) => !names.has(name));
  if (served.none > 0) others.push(["", served.none]);
  return (
    <div class="stack" id="variants">
      <table class="cards variants" aria-label="Variants" aria-describedby={fault ? ERROR : undefined}>
        <caption>
          <strong>Variants</strong>{" "}
          <label>
            Type{" "}
            <select name="variant-type" class="short" data-redraws="">
              {TYPES.map((each) => (
                <option value={each} selected={each === type}>
                  {each}
                </option>
              ))}
            </select>
          </label>
        </caption>
        <thead>
          <tr>
            {["Name", "Value", "Colour"].map((label) => (
              <th scope="col">{label}</th>
            ))}
            <th scope="col" class="numeric">
              Served today
            </th>
            {mayWrite && (
              <th scope="col">
                <span class="unseen">Remove</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <Row
              row={row}
              number={at + 1}
              type={type}
              served={served}
              isWrong={fault !== undefined && isOfVariant(fault, row, at)}
              mayWrite={mayWrite}
            />
          ))}
        </tbody>
      </table>
      {fault !== undefined && (
        <p class="error" id={ERROR}>
          {fault}
        </p>
      )}
      {others.length > 0 && (
        <p class="soft small">
          Today also:{" "}
          {others.map(([name, count], at) => (
            <>
              {at > 0 && ", "}
              {name === "" ? "no variant" : <Foreign text={name} />} {formatCount(count)}
            </>
          ))}
          .
        </p>
      )}
      {mayWrite && (
        <p>
          <Button name="act" value="variant" icon="plus">
            Add variant
          </Button>
        </p>
      )}
    </div>
  );
}

/** Whether a fault is of a row, which it names. */
function isOfVariant(fault: string, { name }: EditedVariant, at: number): boolean {
  if (name === "") return fault.toLowerCase().startsWith(`variant ${at + 1} `);
  return fault.includes(` ${name} is not `) || fault.replace(/\.$/, "").endsWith(` ${name}`);
}

function Row({
  row: { name, value, colour, standard },
  number,
  type,
  served,
  isWrong,
  mayWrite,
}: {
  row: EditedVariant;
  number: number;
  type: EditedVariants["type"];
  served: Served;
  isWrong: boolean;
  mayWrite: boolean;
}) {
  const fault = isWrong ? { "aria-invalid": "true" as const, "aria-describedby": ERROR } : {};
  const isNameWrong = isWrong && name === "";
  return (
    <tr>
      <td data-label="Name">
        <input
          name="variant-name"
          aria-label={`Name of variant ${number}`}
          value={name}
          autocomplete="off"
          {...AS_WRITTEN}
          {...(isNameWrong ? fault : {})}
        />
      </td>
      <td data-label="Value">
        <ValueField
          type={type}
          label={`Value of variant ${number}`}
          value={value}
          fault={isNameWrong ? {} : fault}
        />
      </td>
      <td data-label="Colour">
        <details class="menu">
          <summary aria-label={`Colour of variant ${number}`}>
            <Swatch colour={colour} />
          </summary>
          <ul>
            {[...new Set([...COLOURS, standard || colour, colour])].map((each) => (
              <li>
                <label>
                  <input
                    type="radio"
                    name={`variant-colour-${number}`}
                    value={each}
                    checked={each === colour}
                  />
                  <Swatch colour={each} /> {own(COLOUR_NAMES, each) ?? each}
                </label>
              </li>
            ))}
          </ul>
        </details>
        <input type="hidden" name="variant-standard" value={standard} />
      </td>
      <td data-label="Served today" class="numeric">
        <div data-served={name}>
          <ServedShare served={served} name={name} />
        </div>
      </td>
      {mayWrite && (
        <td>
          <Button
            kind="quiet"
            name="act"
            value={`drop-${number}`}
            icon="x"
            label={`Remove variant ${number}`}
          >
            Remove
          </Button>
        </td>
      )}
    </tr>
  );
}

/** A colour, where it stands for a variant. */
export function Swatch({ colour }: { colour: string }) {
  return (
    <svg class="key" viewBox="0 0 10 10" aria-hidden="true">
      <circle cx="5" cy="5" r="5" fill={colour} />
    </svg>
  );
}

function ServedShare({ served, name }: { served: Served; name: string }) {
  const count = Object.hasOwn(served.variants, name) ? served.variants[name]! : 0;
  if (count === 0) return <span class="soft">0</span>;
  return (
    <>
      {formatCount(count)} <span class="soft">{Math.round((1000 * count) / served.reads) / 10} %</span>
    </>
  );
}

function ValueField({
  type,
  label,
  value,
  fault,
}: {
  type: EditedVariants["type"];
  label: string;
  value: string;
  fault: object;
}) {
  if (type === "boolean") {
    const options = ["true", "false"].includes(value) ? ["true", "false"] : [value, "true", "false"];
    return (
      <select name="variant-value" aria-label={label} {...fault}>
        {options.map((each) => (
          <option value={each} selected={each === value}>
            {each}
          </option>
        ))}
      </select>
    );
  }
  return (
    <input
      name="variant-value"
      aria-label={label}
      value={value}
      inputmode={type === "number" ? "decimal" : undefined}
      class={type === "JSON" ? "code" : undefined}
      autocomplete="off"
      {...AS_WRITTEN}
      {...fault}
    />
  );
}
