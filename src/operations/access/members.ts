import { listMembers, removeMember, setMember } from "../../access/members/members.ts";
import { MAX_LIST, nextOf } from "../../base/pages.ts";
import { noun } from "../operation.ts";

const ALL = "/projects/:project/members";
const ONE = "/projects/:project/members/:user";

const shared = { scope: "admin", place: "project", confirms: false, explains: false } as const;

export const members = noun("members", async () => (await import("./schema/members-schema.ts")).members, {
  list: {
    ...shared,
    method: "GET",
    path: ALL,
    summary: "List the members of a project",
    defaults: { limit: MAX_LIST },
    run: async ({ app, caller, names, query }) => {
      const page = await listMembers(app, caller, names.project, query);
      return { members: page.items, next: nextOf(page, ({ user, source }) => `${user}/${source}`) };
    },
  },
  set: {
    ...shared,
    method: "PUT",
    path: ONE,
    summary: "Give a user a role in a project",
    run: async ({ app, caller, names, body }) => {
      const { member, result } = await setMember(app, caller, names.project, names.user, body);
      return { ...member, result };
    },
  },
  remove: {
    ...shared,
    method: "DELETE",
    path: ONE,
    summary: "End the role of a user in a project",
    run: ({ app, caller, names }) => removeMember(app, caller, names.project, names.user),
  },
});
