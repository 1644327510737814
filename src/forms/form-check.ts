import { AppError } from "../base/errors.ts";
import type { Outgoing } from "../delivery/outgoing.ts";
import type { FormRecord } from "./form.ts";

/**
 * Checks a form beyond the schema of its patch: settings that depend on each other, the page of the form, and templates
 * and the JSON Schema if they differ from `before`, the record before the change. Throws `invalid` with the name of the
 * setting.
 */
export async function checkForm(form: FormRecord, before?: FormRecord): Promise<void> {
  const { opensAt, closesAt, schema, checks } = form;
  const twice = checks.find((each, at) => checks.indexOf(each) < at);
  if (twice !== undefined && !Bun.deepEquals(checks, before?.checks))
    throw new AppError("invalid", `checks: ${twice} is named twice`);
  if (opensAt !== null && closesAt !== null && Date.parse(opensAt) >= Date.parse(closesAt)) {
    throw new AppError(
      "invalid",
      `closesAt: the form would close at ${closesAt}, before it opens at ${opensAt}`,
      {
        hint: "set the two times together, or remove one of them",
      },
    );
  }
  for (const name of [
    "notifySubject",
    "autoreplySubject",
    "autoreplyText",
    "optInSubject",
    "optInText",
  ] as const) {
    const template = form[name];
    if (template === null || template === before?.[name]) continue;
    // Loaded on demand: few commands set a template or a schema.
    const { checkTemplate } = await import("../delivery/template.ts");
    checkTemplate(template, name);
  }
  if (form.optInText !== null && !form.optInText.replaceAll(" ", "").includes("{{link}}"))
    throw new AppError("invalid", "optInText: it has no {{link}}, by which its reader confirms");
  const { replyTemplates } = form;
  if (replyTemplates !== null && replyTemplates !== before?.replyTemplates) {
    const { checkReplyTemplates } = await import("../delivery/reply-templates.ts");
    checkReplyTemplates(replyTemplates);
  }
  if (schema !== null && !Bun.deepEquals(schema, before?.schema, true)) {
    const { checkUnicode, compileSchema } = await import("./validation/validation.ts");
    await named("schema", () => compileSchema(schema));
    await named("schema", () => checkUnicode(schema));
  }
  if (form.page) {
    const { pageContentOf } = await import("./intake/page-content.ts");
    await named("page", () => pageContentOf(form));
  }
}

/** Throws `invalid` for external checks that cannot be reached: see `Outgoing.check`. */
export async function checkReach(
  checks: readonly string[],
  outgoing: Pick<Outgoing, "check">,
): Promise<void> {
  for (const url of checks) await named("checks", () => outgoing.check({ kind: "webhook", url }));
}

/** Puts the name of a setting in front of the errors of its check. */
async function named(setting: string, check: () => unknown): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, `${setting}: ${error.message}`, {
      reason: error.reason ?? undefined,
      hint: error.hint ?? undefined,
      cause: error,
    });
  }
}
