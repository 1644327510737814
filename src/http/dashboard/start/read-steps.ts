import type { Caller } from "../../../access/caller.ts";
import { hasScope, hasScopeSomewhere, projectsWith, visibleProjects } from "../../../access/rights.ts";
import { shortName } from "../../../access/place.ts";
import type { SignedIn } from "../../../access/sign-in.ts";
import type { App } from "../../../app.ts";
import type { DashboardOptions } from "../dashboard-env.ts";

/** Projects that are looked through for a flag. */
const PROJECTS = 20;

/** The first steps, as far as the user may take them. */
export type Steps = {
  /** A message was received; before that, the short name of the form that could receive one. Null without permission. */
  message: { isDone: boolean; form: string | null } | null;
  /** There is a flag; before that, the project that could have one. Null without permission. */
  flag: { isDone: boolean; project: string | null } | null;
  /** The person can sign in without a link. */
  back: { isDone: boolean; passwords: boolean };
};

type Signed = { app: App; caller: Caller; signedIn: SignedIn; passwords: DashboardOptions["passwords"] };

export async function readSteps({ app, caller, signedIn, passwords }: Signed): Promise<Steps> {
  const { user, session } = signedIn;
  const [message, flag, passkeys] = await Promise.all([
    hasScopeSomewhere(caller, "forms:write") ? readMessage(app, caller) : null,
    hasScopeSomewhere(caller, "flags:write") ? readFlag(app, caller) : null,
    app.store.factors.passkeys(user.name),
  ]);
  const isDone = session.method !== "link" || passkeys.length > 0 || (passwords && user.hasPassword);
  return { message, flag, back: { isDone, passwords } };
}

async function readMessage({ store }: App, caller: Caller): Promise<Steps["message"]> {
  const projects = visibleProjects(caller, "forms:write");
  const arrivals = await store.submissions.lastArrivals(1, projects);
  if (arrivals.length > 0) return { isDone: true, form: null };
  const { items } = await store.forms.page({ projects, limit: 1 });
  return { isDone: false, form: items[0] ? shortName(items[0]) : null };
}

async function readFlag(app: App, caller: Caller): Promise<Steps["flag"]> {
  const { items } = await app.store.projects.page({ limit: PROJECTS }, projectsWith(caller, "flags:write"));
  for (const { slug } of items)
    if ((await app.store.flags.heads(slug, { limit: 1 })).items.length > 0)
      return { isDone: true, project: slug };
  // The first project is for an admin to create.
  if (items.length === 0 && !hasScope(caller, "admin")) return null;
  return { isDone: false, project: items[0]?.slug ?? null };
}

/** Whether the user has more to do than to set a way to sign in again. */
export function isToBegin({ message, flag }: Steps): boolean {
  return [message, flag].some((step) => step !== null && !step.isDone);
}
