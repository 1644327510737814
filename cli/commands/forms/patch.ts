import type { Form, FormPatch } from "../../../src/forms/form.ts";
import { openingOf } from "../../../src/forms/intake/opening.ts";
import { DEFAULT_SETTINGS } from "../../../src/forms/settings/settings.ts";
import { shown } from "../../output/text.ts";
import { path } from "../../session/client.ts";
import type { Session } from "../../session/session.ts";
import { describeForm, withUrl } from "./describe.ts";

/** Changes settings of a form, by its slug or key, and reports the form. */
export async function patchForm(
  { client, config, report, note }: Session,
  { name, patch }: { name: string; patch: FormPatch },
): Promise<void> {
  const answer = await client.call<Form & { result: string }>("PATCH", path`/forms/${name}`, patch);
  const form = withUrl(config, answer);
  await report(form, shown`${form.result} form ${form.slug}\n` + describeForm(form));
  const isOpened = patch.enabled === true || patch.closesAt !== undefined;
  if (isOpened && openingOf({ ...DEFAULT_SETTINGS, ...form }, Date.now()) === "late")
    note(
      shown`${form.slug} takes no submissions since ${form.closesAt!}; to change that: formflag forms set ${form.slug} --closes-at none\n`,
    );
}
