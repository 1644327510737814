import type { Form, FormPatch } from "../../../src/forms/form.ts";
import { shown } from "../../output/text.ts";
import { path } from "../../session/client.ts";
import type { Session } from "../../session/session.ts";
import { describeForm, withUrl } from "./describe.ts";

/** Changes settings of a form, by its slug or key, and reports the form. */
export async function patchForm(
  { client, config, report }: Session,
  { name, patch }: { name: string; patch: FormPatch },
): Promise<void> {
  const answer = await client.call<Form & { result: string }>("PATCH", path`/forms/${name}`, patch);
  const form = withUrl(config, answer);
  await report(form, shown`${form.result} form ${form.slug}\n` + describeForm(form));
}
