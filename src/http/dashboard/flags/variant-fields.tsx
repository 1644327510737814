import { own } from "../../../base/shapes/own.ts";
import type { Served } from "../../../flags/reads/served.ts";
import { Button } from "../parts/link.tsx";
import { Foreign, formatCount } from "../parts/text.tsx";
import { useMay } from "../view.ts";
import type { Values } from "./draft.ts";
import { ValueField } from "./rule-fields.tsx";
import { COLOUR_NAMES, COLOURS, type EditedVariant, type EditedVariants, TYPES } from "./variant-rows.ts";

const ERROR = "variants-error";
/** The library would leave out a false one. */
const AS_WRITTEN: object = { spellcheck: "false", autocapitalize: "off", dir: "auto" };

/** The variants of a flag as fields, with one type for all of them, and how often each was served today. */
function VariantsTable({
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

type Shared = { type: EditedVariants["type"]; served: Served; mayWrite: boolean };

function Row({
  row: { name, value, colour, standard },
  number,
  isWrong,
  type,
  served,
  mayWrite,
}: Shared & { row: EditedVariant; number: number; isWrong: boolean }) {
  const fault = isWrong ? { "aria-invalid": "true" as const, "aria-describedby": ERROR } : {};
  const isNameWrong = isWrong && name === "";
  const count = Object.hasOwn(served.variants, name) ? served.variants[name]! : 0;
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
        <VariantValue
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
          {count === 0 ? (
            <span class="soft">0</span>
          ) : (
            <>
              {formatCount(count)}{" "}
              <span class="soft">{Math.round((1000 * count) / served.reads) / 10} %</span>
            </>
          )}
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

function VariantValue({
  type,
  label,
  value,
  fault,
}: Pick<Shared, "type"> & { label: string; value: string; fault: object }) {
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

/** The variants as a table, or as JSON. */
export function VariantFields({ values, served }: { values: Values; served: Served }) {
  const { variants, faults } = values;
  if (variants) return <VariantsTable variants={variants} served={served} fault={faults["variants"]} />;
  return (
    <ValueField
      name="variants"
      values={values}
      hint={
        <>
          The values to choose from, by name, such as <code>{'{"on": true, "off": false}'}</code>. Other
          values than these take the place of the payload. Empty for none.
        </>
      }
    />
  );
}
