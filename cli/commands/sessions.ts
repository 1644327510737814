import type { Command } from "commander";
import { sessions as operations } from "../../src/operations/access/sessions.ts";
import type { Io } from "../output/terminal.ts";
import { shorten } from "../output/text.ts";
import { addList, addRevoke, ofUser } from "./verbs.ts";
import { heard } from "../session/command-line.ts";

export function addSessionCommands(sessions: Command, io: Io): void {
  heard(sessions)`
[revoke] --all --user: formflag sessions list --user <name> --field id lists the ids to revoke
`;
  sessions.after(`\nExamples:
  formflag sessions list --user ann
  formflag sessions revoke 8k2d-0xqa-w51m
`);
  addList(sessions, io, {
    description: "list the browsers that are signed in, most recently used first",
    ...ofUser("sessions"),
    operation: operations.list,
    head: ["ID", "USER", "SIGNED IN BY", "LAST USED", "SINCE", "ADDRESS", "BROWSER"],
    row: ({ id, user, method, seenAt, createdAt, address, agent }) => [
      id,
      user,
      method,
      seenAt,
      createdAt,
      address,
      shorten(agent, 60),
    ],
    none: () => "No user is signed in.",
  });
  addRevoke(sessions, io, {
    argument: ["[id]", "id of the session, as sessions list shows it"],
    description: "sign a browser out at once",
    operation: operations.end,
    names: (session) => ({ session }),
    kind: "session",
    what: "id",
  });
}
