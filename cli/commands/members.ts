import type { Command } from "commander";
import type { MemberRole } from "../../src/access/members/member.ts";
import { INVITATION, MEMBER } from "../../src/access/members/member-card.ts";
import type { NewOf } from "../../src/base/kinds/kinds.ts";
import { invitations } from "../../src/operations/access/invitations.ts";
import { members as operations } from "../../src/operations/access/members.ts";
import type { Io } from "../output/terminal.ts";
import { shown, table } from "../output/text.ts";
import { BEGINS, action } from "../session/action.ts";
import { givenIn, optionsOf } from "../session/card.ts";
import { heard } from "../session/command-line.ts";
import { projectOption } from "../session/config.ts";
import type { Input } from "../session/input.ts";
import { withServer } from "../session/addresses.ts";
import { listAll } from "../session/pages.ts";
import type { Session } from "../session/session.ts";
import { usage } from "../session/usage.ts";
import { addList } from "./verbs.ts";
import { verb } from "../session/verb.ts";

export function addMemberCommands(members: Command, io: Io): void {
  heard(members)`
[formflag] team teams role roles: formflag members list -p <project> shows who may do what in a project, formflag users set <name> --role <role> everywhere
[invite] *: an invitation is a link that you send yourself: formflag members invite -p <project> --role editor prints it
`;
  members.addHelpText(
    "after",
    `
A member has a role in one project. The role that users set gives applies to every project; the stronger one counts.

Examples:
  formflag members set ann -p shop --role editor
  formflag members invite -p shop --role viewer
`,
  );
  addList(members, io, {
    description: "list the members of a project by name",
    options: [projectOption()],
    parse: (input) => input.project(),
    operation: operations.list,
    names: (project) => ({ project }),
    head: ["USER", "ROLE", "SOURCE"],
    row: ({ user, source, ...role }) => [user, describeRole(role), source],
    none: (project) => shown`No members yet. Next: formflag members invite -p ${project} --role viewer`,
  });
  addSetCommand(members, io);
  addRemoveCommand(members, io);
  addInviteCommand(members, io);
  addInvitationsCommand(members, io);
  addUninviteCommand(members, io);
}

/** A role in a project for a person, with the environments that it is limited to. */
export function describeRole({ role, environments }: MemberRole): string {
  return environments === null ? role : `${role} (${environments.join(", ") || "no environment"})`;
}

type Place = { project: string; user: string };

async function readPlace(input: Input, given?: string): Promise<Place> {
  const user = await input.need(given, "name");
  return { project: await input.project(), user };
}

const addSetCommand = verb("set", {
  argument: ["[name]", "name of the user"],
  description: "give a user a role in a project",
  options: ["project", ...optionsOf(MEMBER)],
  help: `
With -e, an editor or a releaser can change flags only in these environments, and read the rest of the project.

Examples:
  formflag members set ann -p shop --role editor
  formflag members set ben -p shop --role editor -e develop -e staging
`,
  parse: async (input, name) => ({
    place: await readPlace(input, name),
    given: await givenIn(MEMBER, input),
  }),
  run: async ({ client, report }, { place, given }) => {
    const member = await client.call(operations.set, { names: place, body: given });
    const { result, user, ...role } = member;
    await report(
      member,
      shown`${result} member ${user} of project ${place.project}: ${describeRole(role)}\n`,
    );
  },
});

const addRemoveCommand = verb("remove delete", {
  argument: ["[name]", "name of the user"],
  description: "end the role of a user in a project, at once",
  options: ["project"],
  help: "\nExamples:\n  formflag members remove ann -p shop\n",
  parse: readPlace,
  run: async ({ client, report }, place) => {
    await client.call(operations.remove, { names: place });
    const { user, project } = place;
    await report({ user, project, result: "removed" }, shown`removed member ${user} of project ${project}\n`);
  },
});

const addInviteCommand = verb("invite", {
  description: "print a link that makes one person a member of a project",
  options: ["project", ...optionsOf(INVITATION)],
  help: `
A signed-in user accepts the invitation. Anyone else chooses a name and a password, and becomes a new user who sees only
this project. The link works once, and ends when the user or token that created it may no longer invite.

Examples:
  formflag members invite -p shop --role editor
  formflag members invite -p shop --role viewer --expires 30d
`,
  ...BEGINS,
  parse: async (input) => {
    const project = await input.project();
    const body = await givenIn(INVITATION, input);
    if (input.options["expires"] !== undefined && body.expiresAt == null)
      throw usage("--expires: an invitation ends within 90 days", "such as --expires 30d");
    return { project, body };
  },
  run: invite,
});

type NewInvitation = { project: string; body: NewOf<typeof INVITATION> };

async function invite(
  { client, config, print, note }: Session,
  { project, body }: NewInvitation,
): Promise<void> {
  const invitation = await client.call(invitations.create, { names: { project }, body });
  const url = withServer(invitation.url, config.server);
  await print(invitation, shown`${url}\n`);
  note(shown`it makes one person a member of ${project}, until ${invitation.expiresAt}\n`);
  if (url.startsWith("/")) note("prefix it with the address of the server, such as http://127.0.0.1:8787\n");
}

function addInvitationsCommand(members: Command, io: Io): void {
  const command = members.command("invitations").description("list the open invitations to a project");
  command
    .addOption(projectOption())
    .after("\nExamples:\n  formflag members invitations -p shop\n")
    .action(
      action(
        io,
        (input) => input.project(),
        async ({ client, print }, project) => {
          const all = await listAll(client, invitations.list, { names: { project }, mayBeEmpty: true });
          const rows = all.map(({ id, by, expiresAt, ...role }) => [
            id,
            describeRole(role),
            by ?? "operator",
            expiresAt,
          ]);
          await print(all, table(["ID", "ROLE", "BY", "EXPIRES"], rows));
        },
      ),
    );
}

const addUninviteCommand = verb("uninvite", {
  argument: ["[id]", "id of the invitation, as members invitations shows it"],
  description: "end an invitation at once",
  options: ["project"],
  help: "\nExamples:\n  formflag members uninvite 8k2d-0xqa-w51m -p shop\n",
  parse: async (input, given) => ({
    invitation: await input.need(given, "id"),
    project: await input.project(),
  }),
  run: async ({ client, report }, names) => {
    await client.call(invitations.revoke, { names });
    await report(
      { id: names.invitation, result: "revoked" },
      shown`revoked invitation ${names.invitation}\n`,
    );
  },
});
