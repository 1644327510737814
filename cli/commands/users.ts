import type { Command } from "commander";
import { ROLE_WORDS, SCOPES_OF, USER_ROLES } from "../../src/access/role.ts";
import type { Membership } from "../../src/access/members/member.ts";
import { USER } from "../../src/access/members/member-card.ts";
import type { User } from "../../src/access/user.ts";
import { users as operations } from "../../src/operations/access/users.ts";
import type { Io } from "../output/terminal.ts";
import { details, printable, shown } from "../output/text.ts";
import { BEGINS } from "../session/action.ts";
import { givenIn, optionsOf } from "../session/card.ts";
import { heard } from "../session/command-line.ts";
import { create, ifNotExistsOption } from "../session/create.ts";
import { withServer } from "../session/addresses.ts";
import { describeRole } from "./members.ts";
import { named, verb } from "../session/verb.ts";
import { addDelete, addGet, addList } from "./verbs.ts";

export function addUserCommands(users: Command, io: Io): void {
  heard(users)`
[formflag] signup register invite account accounts: formflag users create <name> --role <role> adds a user, formflag users link <name> signs one in
[formflag] permission permissions acl policy policies rbac scope scopes grant: formflag users set <name> --role <role> says what a user may do, formflag tokens create <name> --scope flags:read what a token may
[formflag] dashboard ui web open browse admin console: formflag users link prints a link that signs in to the dashboard; formflag status shows its address
[formflag users] link login impersonate sudo: type formflag users link <name>
[formflag users] password passwords passwd reset-password: formflag users link <name> signs in once; the password is set on the dashboard
invite signup: formflag users create <name> --role <role>, then formflag users link <name>
role promote: type formflag users set <name> --role <role>
--email --mail: a user has no address: formflag users create <name> --role <role>
--password --pass: passwords are not typed here: formflag users link <name> prints a link to sign in
--scope --scopes --admin: a user has a role: --role admin
[list] --expired --active --revoked: it lists everything: --json and jq choose
[delete] --all: name each: the list of them has the names
[link] --expires --ttl --valid --expiry: a link is valid for 15 minutes, and once
[set] --name --rename: a name stays as it is: create another user, and delete this one
[create set] *: one user at a time, and the role is an option: --role editor
`;
  users.addHelpText(
    "after",
    `
Roles and their rights in every project:
${USER_ROLES.map((role) => `  ${role.padEnd(8)}  ${ROLE_WORDS[role]}`).join("\n")}

Examples:
  formflag users link
  formflag users create ann --role editor
  formflag users link ann
`,
  );
  addCreateCommand(users, io);
  addList(users, io, {
    description: "list users by name",
    parse: () => {},
    operation: operations.list,
    head: ["USER", "ROLE", "PASSWORD", "CREATED"],
    row: ({ name, role, hasPassword, createdAt }) => [name, role, hasPassword ? "set" : "not set", createdAt],
    none: () => "No users yet. Next: formflag users link",
  });
  addGet(users, io, {
    argument: NAMED,
    description: "show a user",
    parse: named("name"),
    operation: operations.get,
    names: namesOf,
    describe: describeUser,
  });
  addSetCommand(users, io);
  addDelete(users, io, {
    argument: NAMED,
    description: "delete a user, and sign them out everywhere at once",
    parse: named("name"),
    operations,
    names: namesOf,
    kind: "user",
    id: (_, { name }) => ({ name }),
  });
  addLinkCommand(users, io);
  addResetCommand(users, io);
}

const NAMED: [string, string] = ["[name]", "name of the user"];

const ROLE = { role: USER.role };

const namesOf = (user: string) => ({ user });

/** A user, with what it is a member of where that was asked for. */
type Described = User & { memberships?: Membership[] };

/** A user for a person. */
function describeUser({
  name,
  role,
  hasPassword,
  secondFactors,
  createdAt,
  memberships = [],
}: Described): string {
  return details([
    ["name", name],
    ["role", role],
    ...memberships.map((each): [string, string] => [`in ${each.project}`, describeRole(each)]),
    // A newer server may have a role that is unknown here.
    ["scopes", (SCOPES_OF[role] ?? []).join(", ")],
    ["password", hasPassword ? "set" : "not set"],
    ["second factors", secondFactors.join(", ") || "none"],
    ["created", createdAt],
  ]);
}

const addCreateCommand = verb("create", {
  argument: USER.name.option,
  description: "create a user of the dashboard",
  options: [...optionsOf(USER), ifNotExistsOption("the user"), "field"],
  help: `
A new user has no password and signs in with a link: see users link. A user and a token cannot have the same name.

Examples:
  formflag users create ann --role editor
`,
  ...BEGINS,
  parse: async (input, given) => {
    const name = await input.need(given, "name");
    return {
      user: { ...(await givenIn(USER, input)), name },
      ifNotExists: input.options["ifNotExists"] === true,
    };
  },
  run: async ({ client, report, suggest }, { user, ifNotExists }) => {
    const make = () => client.call(operations.create, { body: user });
    const find = () => client.call(operations.get, { names: { user: user.name } });
    const created = await create<User>(make, ifNotExists ? find : null);
    await report(created, describeUser(created));
    suggest(shown`\nNext: formflag users link ${user.name}`);
  },
});

const addSetCommand = verb("set", {
  argument: NAMED,
  description: "change the role of a user, at once",
  options: [...optionsOf(ROLE)],
  help: "\nExamples:\n  formflag users set ann --role releaser\n",
  parse: async (input, given) => ({ name: await input.need(given, "name"), ...(await givenIn(ROLE, input)) }),
  run: async ({ client, report }, { name, role }) => {
    const user = await client.call(operations.set, { names: { user: name }, body: { role } });
    const text = user.result === "unchanged" ? "unchanged" : "updated";
    await report(user, shown`${text} user ${name}: the role is ${user.role}\n`);
  },
});

const addResetCommand = verb("reset", {
  argument: NAMED,
  description: "remove every second factor of a user, and sign them out everywhere at once",
  help: `
Use this for a user who has lost their recovery codes and the device with the authenticator app or passkey. The password
stays, and is enough to sign in until the user sets up another factor.

Examples:
  formflag users reset ann
`,
  parse: (input, given) => input.need(given, "name"),
  run: async ({ client, report }, name) => {
    const user = await client.call(operations.reset, { names: { user: name } });
    const text =
      user.result === "unchanged"
        ? shown`unchanged user ${name}: no second factor, no session\n`
        : shown`reset user ${name}: no second factor is left, and every session has ended\n`;
    await report(user, text);
  },
});

const addLinkCommand = verb("link", {
  argument: ["[name]", "name of the user (default: the only admin)"],
  description: "print a link that signs a user in to the dashboard once, within 15 minutes",
  help: `
If there is no user yet, the command creates the first one, an admin called admin or the given name.

With --server, the link begins with the --dashboard-url of that server, or else with the address given as --server.
Without it, the link begins with FORMFLAG_DASHBOARD_URL, or else with the address of the server that is running on the
data directory. At a terminal it is also shown as a QR code.

Examples:
  formflag users link
  formflag users link ann
  FORMFLAG_DASHBOARD_URL=https://flags.example.com formflag users link
`,
  ...BEGINS,
  parse: (_, name) => name,
  run: async (session, given) => {
    const { client, config, io, print, note, suggest } = session;
    const link = await client.call(operations.link, { body: { name: given } });
    const url = withServer(link.url, config.server);
    const isWhole = !url.startsWith("/");
    const isShown = io.outIsTerminal && !config.json && !config.quiet;
    await print(link, shown`${url}\n`);
    // Not through the printer, which wraps lines.
    if (isShown && isWhole) await io.out(await qrCode(url, io.outWidth));
    if (link.isFirst) note(shown`created ${link.name}, the first user, who is an admin\n`);
    note(shown`it signs ${link.name} in once, until ${link.expiresAt}\n`);
    if (isWhole) return;
    note("prefix it with the address of the server, such as http://127.0.0.1:8787\n");
    suggest("FORMFLAG_DASHBOARD_URL, and serve --dashboard-url, make it a whole link, with a QR code.");
  },
});

/** A QR code in block characters; empty if the terminal is too narrow for it. */
async function qrCode(url: string, width: number | null): Promise<string> {
  const { renderUnicodeCompact } = await import("uqr");
  const code = renderUnicodeCompact(printable(url), { border: 2 });
  const isWideEnough = width === null || code.indexOf("\n") <= width;
  return isWideEnough ? `\n${code}\n\n` : "";
}
