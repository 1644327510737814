import { html, raw } from "hono/html";
import { type Choice, type Input, limitsOf } from "../../../forms/intake/input.ts";
import type { Html } from "./layout.ts";
import type { Reader } from "./reader.ts";

/** An input as a page shows it. */
export type Field = {
  input: Input;
  id: string;
  values: string[];
  hints: string[];
  /** Error of the value; null for none. */
  error: string | null;
  /** Note about the submitted value; null for none. */
  note: string | null;
  /** The types that a file input offers; empty for any. */
  accept: string;
  /** Whether it has the focus when the page opens. */
  hasFocus: boolean;
};

/** The attributes of an element: absent if they are null or false, without a value if they are true. */
type Attributes = Record<string, string | number | boolean | null>;

/** An input with its label, hints and error. */
export function fieldHtml(field: Field, reader: Reader): Html {
  const { input, values } = field;
  const [value = ""] = values;
  switch (input.kind) {
    case "fixed":
      return input.isShown ? line(field, { readonly: true, value }) : hidden(input.name, value);
    case "box":
      return html`<div class="field">
${choice({ ...common(field), type: "checkbox", value: "true", checked: isTicked(values) }, input.label, input.isRequired)}
${remarks(field)}</div>
`;
    case "radio":
    case "boxes":
      return group(field, input.choices, input.kind === "radio" ? "radio" : "checkbox");
    case "select":
      return labelled(field, select(field, input.choices, reader));
    case "area":
      // A parser drops the first line break.
      return labelled(
        field,
        html`<textarea${attributes({ ...common(field), ...limitsOf(input) })}>
${value}</textarea>`,
      );
    case "file":
      return line(field, { type: "file", multiple: input.isMultiple, accept: field.accept || null });
    case "number":
      return line(field, { type: "number", min: input.min, max: input.max, step: input.step, value });
    case "line":
      return line(field, { type: input.type, ...limitsOf(input), autocomplete: purposeOf(input), value });
    default:
      return input satisfies never;
  }
}

function line(field: Field, specific: Attributes): Html {
  return labelled(field, html`<input${attributes({ ...common(field), ...specific })}>`);
}

/** A value that is sent and not seen. */
export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">
`;
}

function labelled(field: Field, control: Html): Html {
  const { input, id } = field;
  return html`<div class="field">
<label for="${id}">${input.label}${mark(input.isRequired)}</label>
${remarks(field)}${control}
</div>
`;
}

function group(field: Field, choices: readonly Choice[], type: "radio" | "checkbox"): Html {
  const { input, id, values, error, hasFocus } = field;
  const role = type === "radio" ? "radiogroup" : "group";
  const described = {
    role,
    "aria-describedby": describedBy(field),
    class: error === null ? "field" : "field invalid",
  };
  const items = choices.map(({ value, label }, index) =>
    choice(
      {
        id: index === 0 ? id : `${id}-${index + 1}`,
        type,
        name: input.name,
        value,
        checked: values.includes(value),
        required: type === "radio" && input.isRequired,
        autofocus: hasFocus && index === 0,
      },
      label,
      false,
    ),
  );
  return html`<fieldset${attributes(described)}>
<legend>${input.label}${mark(input.isRequired)}</legend>
${remarks(field)}${items}</fieldset>
`;
}

function select(field: Field, choices: readonly Choice[], { texts }: Reader): Html {
  const isChosen = (value: string) => field.values.includes(value);
  const option = ({ value, label }: Omit<Choice, "isText">) =>
    html`<option${attributes({ value, selected: isChosen(value) })}>${label}</option>
`;
  return html`<select${attributes(common(field))}>
${option({ value: "", label: texts.form.choose })}${choices.map(option)}</select>`;
}

function choice(given: Attributes, label: string, isRequired: boolean): Html {
  return html`<label class="choice"><input${attributes(given)}><span>${label}${mark(isRequired)}</span></label>
`;
}

function common(field: Field): Attributes {
  const { input, id, error, hasFocus } = field;
  return {
    id,
    name: input.name,
    required: input.isRequired,
    "aria-describedby": describedBy(field),
    "aria-invalid": error === null ? null : "true",
    autofocus: hasFocus,
  };
}

/** Hints and errors, which {@link describedBy} refers to. */
function remarks({ id, hints, error, note }: Field): Html {
  return html`${hints.map(
    (hint, index) => html`<p class="hint lines" id="${id}-hint-${index}">${hint}</p>
`,
  )}${
    error === null
      ? ""
      : html`<p class="wrong" id="${id}-error">${error}</p>
`
  }${
    note === null
      ? ""
      : html`<p class="wrong" id="${id}-note">${note}</p>
`
  }`;
}

function describedBy({ id, hints, error, note }: Field): string | null {
  const ids = [
    ...hints.map((_, index) => `${id}-hint-${index}`),
    ...(error === null ? [] : [`${id}-error`]),
    ...(note === null ? [] : [`${id}-note`]),
  ];
  return ids.join(" ") || null;
}

function mark(isRequired: boolean): Html | "" {
  return isRequired ? html`<span class="must" aria-hidden="true"> *</span>` : "";
}

function isTicked(values: readonly string[]): boolean {
  return values.includes("true") || values.includes("on");
}

/** `autocomplete` values by field name, in lower case without `_` and `-` (HTML, 4.10.18.7). */
const PURPOSES = new Map([
  ["name", "name"],
  ["firstname", "given-name"],
  ["lastname", "family-name"],
  ["phone", "tel"],
  ["tel", "tel"],
  ["company", "organization"],
  ["organization", "organization"],
  ["street", "street-address"],
  ["city", "address-level2"],
  ["zip", "postal-code"],
  ["postalcode", "postal-code"],
  ["country", "country-name"],
]);

function purposeOf({ name, type }: Extract<Input, { kind: "line" }>): string | null {
  return type === "email" ? "email" : (PURPOSES.get(name.toLowerCase().replaceAll(/[_-]/g, "")) ?? null);
}

function attributes(given: Attributes): Html[] {
  return Object.entries(given).flatMap(([name, value]) => {
    if (value === null || value === false) return [];
    return [value === true ? raw(` ${name}`) : html` ${raw(name)}="${value}"`];
  });
}
