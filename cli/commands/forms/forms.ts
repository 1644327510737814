import type { Command } from "commander";
import { formatBytes } from "../../../src/base/bytes.ts";
import type { Form, FormPatch } from "../../../src/forms/form.ts";
import { formUrl } from "../../../src/http/forms/links.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { details, shown, table } from "../../output/text.ts";
import { path } from "../../session/client.ts";
import { create, ifNotExistsOption } from "../../session/create.ts";
import { listAll } from "../../session/pages.ts";
import { BEGINS, type Session, action } from "../../session/session.ts";
import { usage } from "../../session/values.ts";
import { onOff, settingsOf, withSettings } from "./settings.ts";

export function addFormCommands(forms: Command, io: Io): void {
  forms.addHelpText(
    "after",
    `\nExamples:
  formflag forms create contact
  formflag forms uploads contact on
  formflag forms set contact --success-url https://example.com/thanks
`,
  );

  withSettings(
    forms
      .command("create")
      .argument("[form]", "slug of the new form")
      .description("create a form and the key in its address")
      .addOption(ifNotExistsOption("the form"))
      .addOption(fieldOption()),
  )
    .option("--uploads <on|off>", "accept files (default: off)")
    .addHelpText(
      "after",
      "\nExamples:\n  formflag forms create contact\n  formflag forms create jobs --uploads on --max-file-size 10MB --success-url https://example.com/thanks\n",
    )
    .action(
      action(
        io,
        async (session, given) => {
          const slug = await session.need(given, "form");
          const body = { slug, ...settingsOf(session.options) };
          const find = () => session.client.call<Form>("GET", path`/forms/${slug}`);
          const form = withUrl(session, await create(session, "/forms", body, find));
          await session.report(form, describeForm(form));
          session.suggest(
            shown`\nNext: let a page post to ${form.url}, then: formflag submissions list ${slug}`,
          );
        },
        BEGINS,
      ),
    );

  withSettings(
    forms
      .command("set")
      .argument("[form]", "slug or key of the form")
      .description("change the settings of a form"),
  )
    .addHelpText(
      "after",
      `
Examples:
  formflag forms set contact --success-url https://example.com/thanks --error-url https://example.com/oops
  formflag forms set contact --allow-origin https://example.com https://www.example.com
  formflag forms set contact --max-file-size 10MB --max-files 3
  formflag forms set contact --rate-limit 20/h --block-sender 203.0.113.0/24
`,
    )
    .action(
      action(io, async (session, given) => {
        const form = await session.need(given, "form");
        const patch = settingsOf(session.options);
        if (Object.keys(patch).length === 0)
          throw usage("nothing to change", "formflag forms set --help shows the settings");
        await patchForm(session, form, patch);
      }),
    );

  forms
    .command("uploads")
    .argument("[form]", "slug or key of the form")
    .argument("[on|off]", "whether it accepts files")
    .description("accept files with submissions, or refuse them")
    .addHelpText("after", "\nExample:\n  formflag forms uploads jobs on\n")
    .action(
      action(io, async (session, given, state) => {
        const form = await session.need(given, "form");
        if (state === undefined) throw usage("say on or off", `formflag forms uploads ${form} on`);
        await patchForm(session, form, { uploads: onOff(state) });
      }),
    );

  for (const [verb, enabled, text] of [
    ["enable", true, "accept submissions again"],
    ["disable", false, "refuse submissions; those stored stay"],
  ] as const) {
    forms
      .command(verb)
      .argument("[form]", "slug or key of the form")
      .description(text)
      .action(
        action(io, async (session, given) =>
          patchForm(session, await session.need(given, "form"), { enabled }),
        ),
      );
  }

  forms
    .command("list")
    .alias("ls")
    .description("list forms by name")
    .addOption(fieldOption())
    .action(
      action(io, async (session) => {
        const listed = await listAll<Form>(session.client, "/forms", "forms");
        const all = listed.map((form) => withUrl(session, form));
        const rows = all.map((form) => [
          form.slug,
          form.name,
          form.key,
          form.enabled ? "open" : "closed",
          uploadsOf(form),
          form.url,
        ]);
        await session.print(all, table(["FORM", "NAME", "KEY", "STATE", "FILES", "ADDRESS"], rows));
        if (all.length === 0) session.suggest("No forms yet. Next: formflag forms create <form>");
      }),
    );

  forms
    .command("get")
    .argument("[form]", "slug or key of the form")
    .description("show a form, its key and its settings")
    .addOption(fieldOption())
    .action(
      action(io, async (session, given) => {
        const url = path`/forms/${await session.need(given, "form")}`;
        const form = withUrl(session, await session.client.call<Form>("GET", url));
        await session.print(form, describeForm(form));
      }),
    );

  forms
    .command("delete")
    .argument("[form]", "slug or key of the form")
    .description("delete a form, its submissions and their files")
    .action(
      action(io, async (session, given) => {
        const name = await session.need(given, "form");
        const { slug } = await session.client.call<Form>("GET", path`/forms/${name}`);
        await session.confirmDelete("form", slug, " with all its submissions and files");
        await session.client.call("DELETE", path`/forms/${slug}`);
        await session.report({ slug, result: "deleted" }, shown`deleted form ${slug}\n`);
      }),
    );
}

async function patchForm(session: Session, name: string, patch: FormPatch): Promise<void> {
  const answer = await session.client.call<Form & { result: string }>("PATCH", path`/forms/${name}`, patch);
  const form = withUrl(session, answer);
  await session.report(form, shown`${form.result} form ${form.slug}\n` + describeForm(form));
}

type WithUrl<T> = T & { url: string };

/** A form with its address, as whole as it is known. */
function withUrl<T extends Form & { url?: string }>({ config }: Session, form: T): WithUrl<T> {
  const url = form.url ?? formUrl(null, "", form.key);
  if (config.server === null || URL.canParse(url)) return { ...form, url };
  const { origin, pathname } = new URL(config.server);
  // A proxy may take a prefix away that the server knows nothing of.
  const prefix = pathname.replace(/\/+$/, "");
  return { ...form, url: origin + (url.startsWith(`${prefix}/`) ? url : prefix + url) };
}

function describeForm(form: WithUrl<Form>): string {
  const { rateLimit } = form;
  return details([
    ["form", form.slug],
    ["name", form.name],
    ["key", form.key],
    ["address", form.url],
    ["state", form.enabled ? "open" : "closed"],
    ["files", uploadsOf(form)],
    ["success URL", form.successUrl ?? "built-in page"],
    ["error URL", form.errorUrl ?? "built-in page"],
    ["origins", form.allowedOrigins.join(", ") || "any"],
    ["rate limit", rateLimit ? `${rateLimit.count} in ${rateLimit.seconds} s from one sender` : "none"],
    ["blocked senders", form.blockedSenders.join(", ") || "none"],
    ["created", form.createdAt],
    ["updated", form.updatedAt],
  ]);
}

function uploadsOf(form: Form): string {
  return form.uploads ? `at most ${form.maxFiles} of ${formatBytes(form.maxFileSize)}` : "off";
}
