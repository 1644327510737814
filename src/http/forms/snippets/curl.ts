import { isObject } from "../../../base/json.ts";
import type { Form } from "../../../forms/form.ts";
import type { Input } from "../../../forms/intake/input.ts";
import type { Snippet, SnippetOf } from "./snippet.ts";

type Value = [name: string, value: string];

/** A command that sends an example, with the JSON of the answer on its standard output. */
export async function curlSnippet({ form, url, content }: SnippetOf): Promise<Snippet> {
  const files = content.inputs.filter(({ kind, isRequired }) => kind === "file" && isRequired);
  const values = content.inputs.flatMap((input): Value[] => {
    const sample = input.kind === "file" ? undefined : sampleOf(input, form);
    return sample === undefined ? [] : [[input.name, sample]];
  });
  const isText = files.length === 0;
  const fields = values.map(([name, value]) =>
    isText
      ? `--data-urlencode ${quoted(`${encodeURIComponent(name)}=${value}`)}`
      : `--form-string ${quoted(`${name}=${value}`)}`,
  );
  const parts = files.map(({ name }, index) => {
    // The first file comes from standard input.
    const from = index === 0 ? "-;filename=example.txt" : "example.txt";
    return `-F ${quoted(`${name}=@${from}`)}`;
  });
  const command = [`curl ${quoted(`${url}?mode=rest`)}`, ...fields, ...parts].join(" \\\n  ");
  return {
    text: `${isText ? "" : "echo Example | "}${command}\n`,
    notes: await notesOn(form, values, files),
  };
}

/** Reasons why the form would refuse the command unchanged. */
async function notesOn(form: Form, values: Value[], files: readonly Input[]): Promise<string[]> {
  const notes: string[] = [];
  if (form.challenge) {
    notes.push("the form requires a challenge, which curl cannot solve: what it sends is spam");
  }
  if (files.length > 1) notes.push("put a file example.txt beside the command");
  if (files.length > 0 && form.allowedTypes.length > 0 && !form.allowedTypes.includes(".txt")) {
    notes.push(`the form takes files of the types ${form.allowedTypes.join(", ")}: name one of them`);
  }
  if (form.schema !== null) {
    const { compileSchema, validate } = await import("../../../forms/validation/validation.ts");
    const sent = files.map(({ name }) => ({ field: name, name: "example.txt" }));
    const errors = validate(await compileSchema(form.schema), Object.fromEntries(values), "text", sent);
    for (const { message } of errors) notes.push(`change what the command sends: ${message}`);
  }
  return notes;
}

/** A value for an input: its default, an example of the schema, or what fits its limits. */
function sampleOf(input: Input, form: Form): string | undefined {
  const [initial] = input.initial;
  if (initial !== undefined) return initial;
  const example = exampleIn(form, input.name);
  if (example !== undefined) return example;
  switch (input.kind) {
    case "box":
      return "true";
    case "radio":
    case "select":
    case "boxes":
      return input.choices[0]?.value;
    case "number":
      return String(numberFor(input));
    case "area":
      return textFor("Hello", input);
    case "line":
      return input.type === "text"
        ? textFor(input.name === "name" ? "Ann" : "Example", input)
        : SAMPLES[input.type];
    case "file":
    case "fixed":
      return undefined;
    default:
      return input satisfies never;
  }
}

const SAMPLES = {
  email: "ann@example.com",
  url: "https://example.com",
  date: "2026-01-31",
  time: "14:30",
  "datetime-local": "2026-01-31T14:30",
};

function numberFor({ min, max, step }: Extract<Input, { kind: "number" }>): number {
  const first = min ?? (step === "any" ? 1 : step);
  return max !== null && first > max ? max : first;
}

function textFor(
  text: string,
  { minLength, maxLength }: { minLength: number | null; maxLength: number | null },
): string {
  const long = minLength === null ? text : `${text} `.repeat(Math.ceil(minLength / text.length)).trim();
  const enough = long.length < (minLength ?? 0) ? long.padEnd(minLength ?? 0, "x") : long;
  return maxLength === null ? enough : enough.slice(0, Math.max(maxLength, minLength ?? 0));
}

function exampleIn({ schema }: Form, name: string): string | undefined {
  const properties = schema?.["properties"];
  const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  const [example] = (isObject(property) && (property["examples"] as unknown[] | undefined)) || [];
  return typeof example === "string" || typeof example === "number" ? String(example) : undefined;
}

/** A word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
