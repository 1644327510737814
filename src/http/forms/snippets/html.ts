import { escapeHtml } from "../../../delivery/text.ts";
import { CHALLENGE_FIELD, HONEYPOT_NAMES } from "../../../forms/intake/control-fields.ts";
import { type Choice, type Input, limitsOf } from "../../../forms/intake/input.ts";
import type { Snippet, SnippetOf } from "./snippet.ts";

/** A form for any page, which needs no script unless a challenge is required. */
export function htmlSnippet(of: SnippetOf): Snippet {
  return { text: formHtml(of, { action: of.url, method: "post" }), notes: [] };
}

/** A form with these attributes, and the script of its challenge. */
export function formHtml({ form, url, content, texts }: SnippetOf, given: Attributes): string {
  const hasFiles = content.inputs.some(({ kind }) => kind === "file");
  const enctype = hasFiles ? "multipart/form-data" : null;
  const widget = { name: CHALLENGE_FIELD, challenge: `${url}/challenge` };
  const trap = {
    name: HONEYPOT_NAMES[0],
    "aria-label": texts.leaveEmpty,
    "aria-hidden": "true",
    tabindex: -1,
    autocomplete: "off",
    style: "position: absolute; left: -9999px",
  };
  const lines = [
    // The page that it is pasted into may be in another encoding.
    `<form${attributes({ ...given, enctype, "accept-charset": "utf-8" })}>`,
    ...content.inputs
      .flatMap((input) => inputHtml(input, form.allowedTypes, texts.choose))
      .map((line) => `  ${line}`),
    `  <input${attributes(trap)}>`,
    ...(form.challenge ? [`  <altcha-widget${attributes(widget)}></altcha-widget>`] : []),
    `  <p><button>${escapeHtml(texts.send)}</button></p>`,
    "</form>",
  ];
  const script = { type: "module", src: new URL("../altcha.js", url).href };
  return [...(form.challenge ? [`<script${attributes(script)}></script>`] : []), ...lines, ""].join("\n");
}

/** The attributes of an element: absent if they are null or false, without a value if they are true. */
type Attributes = Record<string, string | number | boolean | null>;

function inputHtml(input: Input, allowedTypes: readonly string[], choose: string): string[] {
  const { name, isRequired: required, initial } = input;
  const common = { name, required };
  const value = initial[0] ?? null;
  switch (input.kind) {
    case "fixed":
      return input.isShown
        ? labelled(input, [`<input${attributes({ ...common, readonly: true, value })}>`])
        : [`<input${attributes({ type: "hidden", name, value })}>`];
    case "box": {
      const box = `<input${attributes({ type: "checkbox", ...common, value: "true", checked: value === "true" })}>`;
      return [`<p><label>${box} ${escapeHtml(input.label)}</label>${hintOf(input)}</p>`];
    }
    case "radio":
    case "boxes":
      return group(input, input.choices, input.kind === "radio" ? "radio" : "checkbox");
    case "select": {
      const options = [{ value: "", label: choose }, ...input.choices].map(
        (each) =>
          `  <option${attributes({ value: each.value, selected: initial.includes(each.value) })}>${escapeHtml(each.label)}</option>`,
      );
      return labelled(input, [`<select${attributes(common)}>`, ...options, "</select>"]);
    }
    case "area":
      return labelled(input, [
        `<textarea${attributes({ ...common, rows: 6, ...limitsOf(input) })}>${escapeHtml(initial[0] ?? "")}</textarea>`,
      ]);
    case "file": {
      const accept = allowedTypes.join(",") || null;
      return labelled(input, [
        `<input${attributes({ type: "file", ...common, multiple: input.isMultiple, accept })}>`,
      ]);
    }
    case "number": {
      const { min, max, step } = input;
      return labelled(input, [`<input${attributes({ type: "number", ...common, min, max, step, value })}>`]);
    }
    case "line": {
      const type = input.type === "text" ? null : input.type;
      return labelled(input, [`<input${attributes({ type, ...common, ...limitsOf(input), value })}>`]);
    }
    default:
      return input satisfies never;
  }
}

function labelled(input: Input, control: string[]): string[] {
  const [first = "", ...rest] = control;
  const last = rest.pop();
  const hint = hintOf(input);
  if (last === undefined) return [`<p><label>${escapeHtml(input.label)}<br>${first}</label>${hint}</p>`];
  return [`<p><label>${escapeHtml(input.label)}<br>${first}`, ...rest, `${last}</label>${hint}</p>`];
}

function group(input: Input, choices: readonly Choice[], type: "radio" | "checkbox"): string[] {
  const { name, isRequired, initial } = input;
  const items = choices.map(({ value, label }) => {
    const required = type === "radio" && isRequired;
    const given = { type, name, required, value, checked: initial.includes(value) };
    return `  <label><input${attributes(given)}> ${escapeHtml(label)}</label>`;
  });
  const hint = hintOf(input);
  return [
    "<fieldset>",
    `  <legend>${escapeHtml(input.label)}</legend>`,
    ...(hint === "" ? [] : [` ${hint}`]),
    ...items,
    "</fieldset>",
  ];
}

function hintOf({ hint }: Input): string {
  return hint === null ? "" : ` <small>${escapeHtml(hint)}</small>`;
}

function attributes(given: Attributes): string {
  return Object.entries(given)
    .map(([name, value]) => {
      if (value === null || value === false) return "";
      return value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`;
    })
    .join("");
}
