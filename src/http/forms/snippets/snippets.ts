import type { Form } from "../../../forms/form.ts";
import type { PageContent } from "../../../forms/intake/input.ts";
import { readerOf } from "../pages/reader.ts";
import type { Snippet, SnippetKind, SnippetOf } from "./snippet.ts";

/**
 * Returns code that sends to a form, in the form's language. Its fields are those of the form's schema, or those of a
 * contact form, with a file if the form takes files. `url` is the absolute address that submissions are posted to.
 */
export async function createSnippet(
  form: Form,
  url: string,
  kind: SnippetKind,
): Promise<Snippet & { language: string }> {
  const { language, texts } = await readerOf(form.language, null);
  const content = form.schema === null ? contactForm(form, texts.form) : await contentOf(form);
  const { send, leaveEmpty, choose } = texts.form;
  const create = await load(kind);
  const failed = texts.problems.general[0];
  return { ...(await create({ form, url, content, texts: { send, leaveEmpty, choose, failed } })), language };
}

async function load(kind: SnippetKind): Promise<(of: SnippetOf) => Snippet | Promise<Snippet>> {
  if (kind === "curl") return (await import("./curl.ts")).curlSnippet;
  if (kind === "fetch") return (await import("./fetch.ts")).fetchSnippet;
  return (await import("./html.ts")).htmlSnippet;
}

async function contentOf(form: Form): Promise<PageContent> {
  const { pageContentOf } = await import("../../../forms/intake/page-content.ts");
  return pageContentOf(form);
}

type Labels = { name: string; email: string; message: string; file: string };

function contactForm({ name, uploads, maxFiles }: Form, labels: Labels): PageContent {
  const common = { hint: null, isRequired: true, initial: [] };
  const lengths = { minLength: null, maxLength: null };
  const file = { kind: "file", isMultiple: maxFiles > 1, name: "file", label: labels.file } as const;
  return {
    title: name,
    description: null,
    inputs: [
      { ...common, ...lengths, kind: "line", type: "text", name: "name", label: labels.name },
      { ...common, ...lengths, kind: "line", type: "email", name: "email", label: labels.email },
      { ...common, ...lengths, kind: "area", name: "message", label: labels.message },
      ...(uploads ? [{ ...common, isRequired: false, ...file }] : []),
    ],
  };
}
