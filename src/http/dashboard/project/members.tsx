import type { Invitation } from "../../../access/members/invitation.ts";
import { createInvitation, listInvitations, revokeInvitation } from "../../../access/members/invitations.ts";
import { memberRoleSchema } from "../../../access/members/member-schema.ts";
import type { Member } from "../../../access/members/member.ts";
import { listMembers, removeMember, setMember } from "../../../access/members/members.ts";
import { AppError } from "../../../base/errors.ts";
import { MAX_PAGE } from "../../../base/pages.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, textOf } from "../fields.ts";
import { PROJECT, pathTo } from "../paths.ts";
import { check, submit } from "../parts/submit.ts";
import type { Dashboard } from "../routes.ts";
import { type Typed, invitedPage, membersPage } from "./members-page.tsx";

const MEMBERS = `${PROJECT}/members` as const;

/** The members of a project, and invitations to it. */
export function memberRoutes({ app, options, get, post }: Dashboard) {
  const show = async (c: DashboardContext, slug: string, typed?: Typed) => {
    const project = await getProject(app, slug);
    const caller = c.get("caller");
    const { items: members } = await listMembers(app, caller, slug, { limit: MAX_PAGE });
    const { items: invitations } = await listInvitations(app, caller, slug, { limit: MAX_PAGE });
    return membersPage({ project, members, invitations, typed });
  };
  const baseOf = (c: DashboardContext) =>
    options.dashboardUrl ?? (c.req.header("origin") ?? new URL(c.req.url).origin) + options.basePath;

  get(MEMBERS, "admin", (c, { project }) => show(c, project));
  post(MEMBERS, "admin", async (c, fields, { project }) => {
    const [caller, user] = [c.get("caller"), textOf(fields, "user").trim()];
    const act = textOf(fields, "do");
    const to = pathTo(MEMBERS, { project });
    return submit(
      async () => {
        switch (act) {
          case "set": {
            const { member } = await setMember(app, caller, project, user, roleIn(fields));
            return { to, text: `${user} is ${member.role} in ${project}.` };
          }
          case "remove":
            await removeMember(app, caller, project, user);
            return { to, text: `${user} is not a member of ${project} any more.` };
          case "invite": {
            const { invitation, secret } = await createInvitation(app, caller, project, roleIn(fields));
            return invitedPage(invitation, `${baseOf(c)}/dashboard/invitation/${secret}`);
          }
          case "uninvite":
            await revokeInvitation(app, caller, project, textOf(fields, "invitation"));
            return { to, text: "The invitation has ended." };
          default:
            throw new AppError("invalid", "the form names no action: load the page again");
        }
      },
      ({ form: fault = "" }) => show(c, project, { user, act, fault }),
      { invalid: "form", conflict: "form", not_found: "form" },
    );
  });
}

/** The role that a form names: it has a field for all environments, or for each of some. */
function roleIn(fields: Fields): Pick<Member | Invitation, "role" | "environments"> {
  const environments = fields.getAll("environment").filter((each) => typeof each === "string");
  return check(memberRoleSchema, {
    role: textOf(fields, "role"),
    environments: environments.length === 0 ? null : environments,
  });
}
