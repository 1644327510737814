import { type Command, Option } from "commander";
import { SNIPPET_KINDS, type SnippetKind } from "../../../src/http/forms/snippets/snippet.ts";
import { createSnippet } from "../../../src/http/forms/snippets/snippets.ts";
import { forms as operations } from "../../../src/operations/forms.ts";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import type { Input } from "../../session/input.ts";
import { formProjectOption } from "../../session/config.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { served, withUrl } from "./describe.ts";

/** Default address of a server. */
const LOCAL = "http://127.0.0.1:8787";

export function addSnippetCommand(forms: Command, io: Io): void {
  forms
    .command("snippet")
    .argument("[form]", "slug or key of the form")
    .description("print code that sends to a form, with the fields of its schema")
    .addOption(
      new Option("--kind <kind>", "what to print: a form, a form with a script, or a command")
        .choices(SNIPPET_KINDS)
        .default("html"),
    )
    .addOption(formProjectOption())
    .after(`
For a form without a schema, the fields are those of a contact form. The address begins with FORMFLAG_PUBLIC_URL, if it
is set. Otherwise it is that of --server, or of the server that is running on the data directory.

Examples:
  formflag forms snippet contact > contact.html
  formflag forms snippet contact --kind fetch
  formflag forms snippet contact --kind curl | sh
`)
    .action(action(io, parse, run));
}

type Values = { name: string; kind: SnippetKind };

async function parse(input: Input, given?: string): Promise<Values> {
  return { name: await input.form(given), kind: input.options["kind"] as SnippetKind };
}

async function run({ client, config, io, note, print }: Session, { name, kind }: Values): Promise<void> {
  const form = await client.call(operations.get, { names: { form: name } });
  const { url, isAssumed } = addressOf((await served(config, withUrl(config, form))).url);
  const { text, notes, language } = await createSnippet(form, url, kind);
  if (config.json) await print({ form: form.slug, kind, language, snippet: text }, "");
  else await io.out(text);
  const assumed = "the address is that of a server on this machine: set FORMFLAG_PUBLIC_URL, or use --server";
  for (const each of isAssumed ? [assumed, ...notes] : notes) note(`${each}\n`);
}

/** An address that is only a path is one of a server on this machine. Throws `invalid`. */
function addressOf(url: string): { url: string; isAssumed: boolean } {
  if (url.startsWith("/")) return { url: LOCAL + url, isAssumed: true };
  if (URL.canParse(url)) return { url, isAssumed: false };
  throw usage("FORMFLAG_PUBLIC_URL is not a web address", "it looks like https://forms.example.com");
}
