import { createForm } from "../../../src/forms/forms.ts";
import { OPERATOR } from "./asking.ts";
import type { World } from "./world.ts";

/** The form that an external check judges; what the check does not judge is spam. */
export const CHECKED = "checked";

export async function furnishChecks({ servers }: World): Promise<void> {
  await createForm(servers[0]!.app, OPERATOR, {
    slug: CHECKED,
    project: "shop",
    uploads: true,
    spamWords: ["casino"],
    checks: ["https://8.8.8.8/check"],
    checkFailing: "spam",
  });
}

type Row = { id: string; text: string; spam: string | null; unchecked: string | null };

/** Each submission was judged once, before it was stored, and is in the folder that the check said. */
export function requireJudged({ db, receivers, violated }: World, moved: ReadonlySet<string>): void {
  const rows = db.query<Row, [string]>(
    `SELECT lower(hex(s.id)) AS id, s.data ->> 'text' AS text, s.spam, s.unchecked FROM submissions s
     JOIN forms f ON f.id = s.form_id WHERE f.slug = ?`,
  );
  const verdicts = new Map([...receivers.verdicts].map(([id, said]) => [id.replaceAll("-", ""), said]));
  const marked = new Set([...moved].map((id) => id.replaceAll("-", "")));
  for (const { id, text, spam, unchecked } of rows.all(CHECKED)) {
    const said = verdicts.get(id) ?? [];
    if (text === "casino") {
      if (said.length > 0) violated(`the check was asked about ${id}, which is spam`);
      continue;
    }
    if (said.length !== 1) violated(`the check was asked ${said.length} times about ${id}`);
    if ((said[0] === "nothing") !== (unchecked !== null)) violated(`${id} says ${unchecked} of its check`);
    const due = { ok: null, spam: `check:${text}`, nothing: "unchecked", refuse: "nothing" }[said[0]!];
    if (!marked.has(id) && spam !== due) violated(`${id} is ${spam}, and its check said ${said.join()}`);
  }
}
