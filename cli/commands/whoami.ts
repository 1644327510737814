import type { Command } from "commander";
import { me } from "../../src/operations/access/me.ts";
import { fieldOption } from "../output/field.ts";
import type { Io } from "../output/terminal.ts";
import { details } from "../output/text.ts";
import { action } from "../session/action.ts";
import type { Session } from "../session/session.ts";

export function addWhoamiCommand(whoami: Command, io: Io): void {
  whoami
    .addOption(fieldOption())
    .after("\nExamples:\n  formflag whoami\n  formflag whoami --server https://flags.example.com\n")
    .action(action(io, () => {}, showSelf));
}

async function showSelf({ client, print }: Session): Promise<void> {
  const self = await client.call(me.get, {});
  const { name, type, role, scopes, projects, expiresAt } = self;
  const places = (projects ?? []).map(({ slug, role: inProject, environments }): [string, string] => [
    `in ${slug}`,
    [inProject ?? scopes?.join(", "), environments && `(${environments.join(", ")})`]
      .filter(Boolean)
      .join(" "),
  ]);
  const text = details([
    ["name", name],
    ["type", type],
    ["role", role],
    ["scopes", scopes?.join(", ")],
    ["projects", projects === null ? "all" : null],
    ...places,
    ["expires", expiresAt],
  ]);
  await print(self, text);
}
