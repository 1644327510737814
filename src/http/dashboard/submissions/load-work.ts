import type { Caller } from "../../../access/caller.ts";
import { hasScope } from "../../../access/rights.ts";
import type { App } from "../../../app.ts";
import { type ReplyTemplate, replyTemplatesIn } from "../../../delivery/reply-templates.ts";
import type { Form } from "../../../forms/form.ts";
import { findPerson } from "../../../forms/keeping/person.ts";
import type { Submission } from "../../../forms/submission.ts";

/** The choices that a page of a submission offers to those who work on it. */
export type Work = {
  /** Users who see it, by name. */
  users: readonly string[];
  /** Labels of other submissions of the form. */
  labels: readonly string[];
  templates: readonly ReplyTemplate[];
};

/** Users that a page offers. */
const MAX_USERS = 200;

/** Null for a caller who may not write. */
export async function loadWork(
  app: App,
  caller: Caller,
  { key, replyTemplates }: Form,
  { project }: Submission,
): Promise<Work | null> {
  if (!hasScope(caller, "forms:write", { project })) return null;
  const [users, members] = await Promise.all([
    app.store.users.page({ limit: MAX_USERS }),
    app.store.members.page(project, { limit: MAX_USERS }),
  ]);
  const names = [
    ...users.items.filter(({ role }) => role !== "none").map(({ name }) => name),
    ...members.items.map(({ user }) => user),
  ];
  return {
    users: [...new Set(names)].toSorted(),
    labels: await app.store.submissions.labels(key),
    templates: replyTemplatesIn(replyTemplates),
  };
}

/** Other submissions of a person, the newest, and whether there are more. */
export type Others = { submissions: readonly Submission[]; isMore: boolean };

/** Submissions that are counted. */
const MAX_OTHERS = 50;

export async function loadOthers(
  app: App,
  caller: Caller,
  { id }: Submission,
  address: string | null,
): Promise<Others | null> {
  if (address === null) return null;
  const page = await findPerson(app, caller, address, { limit: MAX_OTHERS + 1, before: null });
  const others = page.submissions.filter((each) => each.id !== id);
  const isMore = page.next !== null || others.length > MAX_OTHERS;
  return { submissions: others.slice(0, MAX_OTHERS), isMore };
}
