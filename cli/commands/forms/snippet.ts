import { Option } from "commander";
import { SNIPPET_KINDS, type SnippetKind } from "../../../src/http/forms/snippets/snippet.ts";
import { createSnippet } from "../../../src/http/forms/snippets/snippets.ts";
import { forms as operations } from "../../../src/operations/forms.ts";
import { usage } from "../../session/usage.ts";
import { served, withUrl } from "./describe.ts";
import { verb } from "../../session/verb.ts";

/** Default address of a server. */
const LOCAL = "http://127.0.0.1:8787";

export const addSnippetCommand = verb("snippet", {
  argument: ["[form]", "slug or key of the form"],
  description: "print code that sends to a form, with the fields of its schema",
  options: [
    new Option("--kind <kind>", "what to print: a form, a form with a script, or a command")
      .choices(SNIPPET_KINDS)
      .default("html"),
    "project of forms",
  ],
  help: `
For a form without a schema, the fields are those of a contact form. The address begins with FORMFLAG_PUBLIC_URL, if it
is set. Otherwise it is that of --server, or of the server that is running on the data directory.

Examples:
  formflag forms snippet contact > contact.html
  formflag forms snippet contact --kind fetch
  formflag forms snippet contact --kind curl | sh
`,
  parse: async (input, given) => ({
    name: await input.form(given),
    kind: input.options["kind"] as SnippetKind,
  }),
  run: async ({ client, config, io, note, print }, { name, kind }) => {
    const form = await client.call(operations.get, { names: { form: name } });
    const { url, isAssumed } = addressOf((await served(config, withUrl(config, form))).url);
    const { text, notes, language } = await createSnippet(form, url, kind);
    if (config.json) await print({ form: form.slug, kind, language, snippet: text }, "");
    else await io.out(text);
    const assumed =
      "the address is that of a server on this machine: set FORMFLAG_PUBLIC_URL, or use --server";
    for (const each of isAssumed ? [assumed, ...notes] : notes) note(`${each}\n`);
  },
});

/** An address that is only a path is one of a server on this machine. Throws `invalid`. */
function addressOf(url: string): { url: string; isAssumed: boolean } {
  if (url.startsWith("/")) return { url: LOCAL + url, isAssumed: true };
  if (URL.canParse(url)) return { url, isAssumed: false };
  throw usage("FORMFLAG_PUBLIC_URL is not a web address", "it looks like https://forms.example.com");
}
