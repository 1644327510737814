import type { Input } from "../../../forms/intake/input.ts";
import { formHtml } from "./html.ts";
import type { Snippet, SnippetOf } from "./snippet.ts";

/** A form and a script that sends it as JSON, or with files as multipart, and shows the answer below it. */
export function fetchSnippet(of: SnippetOf): Snippet {
  const { form, url, content, texts } = of;
  const id = `formflag-${form.slug}`;
  const hasFiles = content.inputs.some(({ kind }) => kind === "file");
  const html = formHtml(of, { id });
  const script = `<p id="${id}-answer" role="status" style="white-space: pre-line"></p>
<script type="module">
  const form = document.getElementById("${id}");
  const answer = document.getElementById("${id}-answer");
${hasFiles ? "" : dataFunction(content.inputs)}
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    try {
      const response = await fetch(${literal(`${url}?mode=rest`)}, {
        method: "POST",
${hasFiles ? "        body: new FormData(form)," : JSON_BODY}
      });
      const { success, message, errors = [] } = await response.json();
      answer.textContent = errors.length > 0 ? errors.map((error) => error.message).join("\\n") : message;
      if (success) form.reset();
    } catch {
      answer.textContent = ${literal(texts.failed)};
    } finally {
      button.disabled = false;
    }
  });
</script>
`;
  return { text: html + script.replaceAll(/\n{2,}/g, "\n"), notes: [] };
}

const JSON_BODY = `        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(readForm()),`;

/** A function that reads a form as JSON: an empty field is left out. */
function dataFunction(inputs: readonly Input[]): string {
  const isJson = (input: Input) =>
    input.kind === "number" ||
    input.kind === "box" ||
    (input.kind === "fixed" && !input.isText) ||
    ("choices" in input && input.choices.every(({ isText }) => !isText));
  const parsed = inputs.filter(isJson).map(({ name }) => name);
  const lists = inputs.filter(({ kind }) => kind === "boxes").map(({ name }) => name);
  const value = parsed.length > 0 ? "value" : "text";
  return [
    ...(parsed.length > 0 ? [`  const parsed = ${literal(parsed)};`] : []),
    ...(lists.length > 0 ? [`  const lists = ${literal(lists)};`] : []),
    "  const readForm = () => {",
    "    const data = {};",
    "    for (const [name, text] of new FormData(form)) {",
    '      if (text === "") continue;',
    ...(parsed.length > 0 ? ["      const value = parsed.includes(name) ? JSON.parse(text) : text;"] : []),
    `      data[name] = ${lists.length > 0 ? `lists.includes(name) ? [...(data[name] ?? []), ${value}] : ${value}` : value};`,
    "    }",
    "    return data;",
    "  };",
  ].join("\n");
}

/** A literal that does not end the script around it. */
function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", String.raw`\u003c`);
}
