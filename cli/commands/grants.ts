import type { Command } from "commander";
import { grants as operations } from "../../src/operations/access/grants.ts";
import type { Io } from "../output/terminal.ts";
import { shorten } from "../output/text.ts";
import { addList, addRevoke, ofUser } from "./verbs.ts";

export function addGrantCommands(grants: Command, io: Io): void {
  grants.after(`\nExamples:
  formflag grants list --user ann
  formflag grants revoke 8k2d-0xqa-w51m
`);
  addList(grants, io, {
    description: "list the assistants that people have signed in, most recently used first",
    ...ofUser("assistants"),
    operation: operations.list,
    head: ["ID", "USER", "ASSISTANT", "RIGHTS", "PROJECT", "ENVIRONMENT", "LAST USED", "SINCE"],
    row: ({ id, user, name, scopes, project, environment, usedAt, createdAt }) => [
      id,
      user,
      shorten(name, 60),
      scopes.join(","),
      project ?? "every",
      environment ?? "every",
      usedAt,
      createdAt,
    ],
    none: () => "No assistant is signed in.",
  });
  addRevoke(grants, io, {
    argument: ["[id]", "id of the grant, as grants list shows it"],
    description: "end an assistant's access at once",
    operation: operations.revoke,
    names: (grant) => ({ grant }),
    kind: "grant",
    what: "id",
  });
}
