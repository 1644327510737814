import { viewInvitation } from "../../access/members/invitation.ts";
import { createInvitation, listInvitations, revokeInvitation } from "../../access/members/invitations.ts";
import { MAX_LIST } from "../../base/pages.ts";
import { noun } from "../operation.ts";
import { created } from "../results.ts";

const ALL = "/projects/:project/invitations";

const shared = { scope: "admin", place: "project", confirms: false, explains: false } as const;

export const invitations = noun(
  "members",
  async () => (await import("./schema/members-schema.ts")).invitations,
  {
    list: {
      ...shared,
      method: "GET",
      path: ALL,
      summary: "List the open invitations to a project, without their addresses",
      defaults: { limit: MAX_LIST },
      run: async ({ app, caller, names, query }) => {
        const { items, more, last } = await listInvitations(app, caller, names.project, query);
        return { invitations: items.map(viewInvitation), next: more ? last : null };
      },
    },
    create: {
      ...shared,
      method: "POST",
      path: ALL,
      summary: "Create a link that makes one person a member of a project; it is shown only once",
      status: 201,
      run: async ({ app, deployment, caller, names, body }) => {
        const { invitation, secret } = await createInvitation(app, caller, names.project, body);
        const url = await deployment.pageUrl(`/invitation/${secret}`);
        return created({ ...viewInvitation(invitation), url });
      },
    },
    revoke: {
      ...shared,
      method: "DELETE",
      path: "/projects/:project/invitations/:invitation",
      summary: "End an invitation",
      run: ({ app, caller, names }) => revokeInvitation(app, caller, names.project, names.invitation),
    },
  },
);
