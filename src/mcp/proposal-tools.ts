import { changes, cursorOf } from "../operations/changes/changes.ts";
import { USUAL, limitedTo, listed } from "./lists.ts";
import { type Tool, toolOf } from "./tool.ts";

/** Proposals of a list at most. */
const MOST = 100;

/** Tools for what was proposed. None approves, rejects or applies a proposal: a person does. */
export const PROPOSAL_TOOLS: readonly Tool[] = [
  toolOf(changes.list, {
    title: "List proposals",
    description:
      "The proposed changes of a project, newest first: who proposed each, why, its status and how many approvals it needs; changes_get has the differences.",
    required: ["project"],
    takes: ["status", "limit", "cursor"],
    own: limitedTo(MOST, USUAL),
    run: async (api, { project, status, limit = USUAL, cursor }, operation) => {
      const query = { status, limit, before: cursor };
      const page = await api(operation, { names: { project }, query });
      const items = page.changes.map((change) => ({ ...change, differences: undefined }));
      return listed(items, page.next, (item) => cursorOf(item));
    },
  }),
  toolOf(changes.get, {
    title: "Get a proposal",
    description:
      "A proposed change: its differences, what it does to the test contexts of the project (impact), its reviews, and the address of its page, where people approve it.",
    required: ["project", "change"],
    run: async (api, { project, change }, operation) => ({
      value: await api(operation, { names: { project, change } }),
    }),
  }),
  toolOf(changes.withdraw, {
    title: "Withdraw a proposal",
    description: "Ends a proposed change that you made and that is still open. It cannot be reopened.",
    required: ["project", "change"],
    scopes: ["flags:write"],
    isChange: true,
    run: async (api, { project, change }, operation) => ({
      value: await api(operation, { names: { project, change } }),
    }),
  }),
];
