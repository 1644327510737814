import { type Command, Option } from "commander";
import type { viewSession } from "../../src/access/session.ts";
import type { Io } from "../output/terminal.ts";
import { shorten } from "../output/text.ts";
import { path } from "../session/client.ts";
import { addList, addRevoke } from "./verbs.ts";

type Shown = ReturnType<typeof viewSession>;

export function addSessionCommands(sessions: Command, io: Io): void {
  sessions.addHelpText(
    "after",
    `\nExamples:
  formflag sessions list --user ann
  formflag sessions revoke 8k2d-0xqa-w51m
`,
  );
  addList<Record<string, string>, Shown>(sessions, io, {
    description: "list the browsers that are signed in, the one used last first",
    options: [new Option("--user <user>", "only those of a user")],
    parse: ({ options }) => (typeof options["user"] === "string" ? { user: options["user"] } : {}),
    url: () => "/sessions",
    query: (query) => query,
    items: "sessions",
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
    none: () => "Nobody is signed in.",
  });
  addRevoke(sessions, io, {
    argument: ["[id]", "id of the session, as sessions list shows it"],
    description: "sign a browser out at once",
    url: (id) => path`/sessions/${id}`,
    kind: "session",
    what: "id",
  });
}
