import { type Command, Option } from "commander";
import type { Form } from "../../../../src/forms/form.ts";
import type { PageContent } from "../../../../src/forms/input.ts";
import { readerOf } from "../../../../src/http/forms/pages/reader.ts";
import type { Io } from "../../../output/terminal.ts";
import { action } from "../../../session/action.ts";
import { path } from "../../../session/client.ts";
import type { Input } from "../../../session/input.ts";
import type { Session } from "../../../session/session.ts";
import { usage } from "../../../session/usage.ts";
import { withUrl } from "../describe.ts";

const KINDS = ["html", "fetch", "curl"] as const;

type Kind = (typeof KINDS)[number];

/** What a snippet is made from. */
export type SnippetOf = {
  form: Form;
  /** The absolute address that submissions are posted to. */
  url: string;
  content: PageContent;
  texts: { send: string; failed: string; leaveEmpty: string; choose: string };
};

/** A snippet, and what its reader has to know. */
export type Snippet = { text: string; notes: string[] };

/** Where a server listens unless its settings say otherwise. */
const LOCAL = "http://127.0.0.1:8787";

export function addSnippetCommand(forms: Command, io: Io): void {
  forms
    .command("snippet")
    .argument("[form]", "slug or key of the form")
    .description("print code that sends to a form: its fields are those of its schema")
    .addOption(
      new Option("--kind <kind>", "a form, a form with a script, or a command")
        .choices(KINDS)
        .default("html"),
    )
    .addHelpText(
      "after",
      `
A form without a schema gets the fields of a contact form. The address is that of the server (--server), or begins with
FORMFLAG_PUBLIC_URL.

Examples:
  formflag forms snippet contact > contact.html
  formflag forms snippet contact --kind fetch
  formflag forms snippet contact --kind curl | sh
`,
    )
    .action(action(io, parse, run));
}

type Values = { name: string; kind: Kind };

async function parse(input: Input, given?: string): Promise<Values> {
  return { name: await input.need(given, "form"), kind: input.options["kind"] as Kind };
}

async function run({ client, config, io, note, print }: Session, { name, kind }: Values): Promise<void> {
  const form = await client.call<Form>("GET", path`/forms/${name}`);
  const { url, isAssumed } = addressOf(withUrl(config, form).url);
  const { language, texts } = await readerOf(form.language, null);
  const content = form.schema === null ? contactForm(form, texts.form) : await contentOf(form);
  const { send, leaveEmpty, choose } = texts.form;
  const failed = texts.problems.general[0];
  const snippet = await (
    await load(kind)
  )({ form, url, content, texts: { send, leaveEmpty, choose, failed } });
  if (config.json) await print({ form: form.slug, kind, language, snippet: snippet.text }, "");
  else await io.out(snippet.text);
  const assumed = "the address is that of a server on this machine: set FORMFLAG_PUBLIC_URL, or use --server";
  for (const each of isAssumed ? [assumed, ...snippet.notes] : snippet.notes) note(`${each}\n`);
}

async function load(kind: Kind): Promise<(of: SnippetOf) => Snippet | Promise<Snippet>> {
  if (kind === "curl") return (await import("./curl.ts")).curlSnippet;
  if (kind === "fetch") return (await import("./fetch.ts")).fetchSnippet;
  return (await import("./html.ts")).htmlSnippet;
}

/** An address that is only a path is one of a server on this machine. Throws `invalid`. */
function addressOf(url: string): { url: string; isAssumed: boolean } {
  if (url.startsWith("/")) return { url: LOCAL + url, isAssumed: true };
  if (URL.canParse(url)) return { url, isAssumed: false };
  throw usage("FORMFLAG_PUBLIC_URL is not a web address", "it looks like https://forms.example.com");
}

async function contentOf(form: Form): Promise<PageContent> {
  const { pageContentOf } = await import("../../../../src/forms/inputs.ts");
  return pageContentOf(form);
}

function contactForm({ name }: Form, labels: { name: string; email: string; message: string }): PageContent {
  const common = { hint: null, isRequired: true, initial: [] };
  const lengths = { minLength: null, maxLength: null };
  return {
    title: name,
    description: null,
    inputs: [
      { ...common, ...lengths, kind: "line", type: "text", name: "name", label: labels.name },
      { ...common, ...lengths, kind: "line", type: "email", name: "email", label: labels.email },
      { ...common, ...lengths, kind: "area", name: "message", label: labels.message },
    ],
  };
}
