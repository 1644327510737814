import { listInvitations } from "../../../access/members/invitations.ts";
import { listMembers } from "../../../access/members/members.ts";
import { MAX_PAGE } from "../../../base/pages.ts";
import { invitations } from "../../../operations/access/invitations.ts";
import { members } from "../../../operations/access/members.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, chosenOf, textOf, textsOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { submit } from "../parts/submit.ts";
import { PROJECT, pathTo } from "../paths.ts";
import type { Dashboard, Done } from "../routes.ts";
import { type Typed, invitedPage, membersPage } from "./members-page.tsx";

const MEMBERS = `${PROJECT}/members` as const;

/** The members of a project, and invitations to it. */
export function memberRoutes({ app, get, post, perform }: Dashboard) {
  const show = async (c: DashboardContext, slug: string, typed?: Typed) => {
    const [caller, query] = [c.get("caller"), { limit: MAX_PAGE }];
    const [project, members, invitations] = await Promise.all([
      getProject(app, slug),
      listMembers(app, caller, slug, query),
      listInvitations(app, caller, slug, query),
    ]);
    return membersPage({ project, members: members.items, invitations: invitations.items, typed });
  };

  get(MEMBERS, "admin", (c, { project }) => show(c, project));
  post(MEMBERS, "admin", (c, fields, { project }) => {
    const [user, to] = [textOf(fields, "user").trim(), pathTo(MEMBERS, { project })];
    const acts: Record<string, () => Promise<Done | Page>> = {
      async set() {
        const { role } = await perform(c, members.set, { names: { project, user }, body: roleIn(fields) });
        return { to, text: `${user} is ${role} in ${project}.` };
      },
      async remove() {
        await perform(c, members.remove, { names: { project, user } });
        return { to, text: `${user} is not a member of ${project} any more.` };
      },
      async invite() {
        const given = { names: { project }, body: roleIn(fields) };
        return invitedPage(project, await perform(c, invitations.create, given));
      },
      async uninvite() {
        const invitation = textOf(fields, "invitation");
        await perform(c, invitations.revoke, { names: { project, invitation } });
        return { to, text: "The invitation has ended." };
      },
    };
    return submit(
      chosenOf(acts, fields),
      ({ form: fault = "" }) => show(c, project, { user, act: textOf(fields, "do"), fault }),
      { role: "form", environments: "form", invalid: "form", conflict: "form", not_found: "form" },
    );
  });
}

/** The role that a form names: it has a field for all environments, or for each of some. */
function roleIn(fields: Fields) {
  const environments = textsOf(fields, "environment");
  return { role: textOf(fields, "role"), environments: environments.length === 0 ? null : environments };
}
