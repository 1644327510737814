import { type Command, Option } from "commander";
import { LONE_SCOPES, PLACED_SCOPES, SCOPES } from "../../src/access/scope.ts";
import type { NewToken, Token } from "../../src/access/token.ts";
import { TOKEN } from "../../src/access/token-card.ts";
import { AppError } from "../../src/base/errors.ts";
import { tokens as operations } from "../../src/operations/access/tokens.ts";
import type { Io } from "../output/terminal.ts";

import { details, shown } from "../output/text.ts";
import { BEGINS } from "../session/action.ts";
import { givenIn, optionsOf } from "../session/card.ts";
import type { Client } from "../session/client.ts";
import { heard } from "../session/command-line.ts";
import { create, ifNotExistsOption } from "../session/create.ts";
import type { Input } from "../session/input.ts";
import { listAll } from "../session/pages.ts";
import type { Session } from "../session/session.ts";
import { usage } from "../session/usage.ts";
import { verb } from "../session/verb.ts";
import { addList, addRevoke } from "./verbs.ts";

export function addTokenCommands(tokens: Command, io: Io): void {
  heard(tokens)`
[formflag] apikey apikeys api-key api-keys api-token api-tokens sdk-key sdk-keys server-key client-key secret secrets: tokens create
[formflag] service-account bot ci: type formflag tokens create <name> --scope flags:write -p <project>
[formflag] revoke: formflag tokens revoke <name> ends a token, formflag sessions revoke <id> signs a browser out
set update edit: a token is not changed: revoke it, then create another
rotate roll renew: create another token, then revoke this one
--show --reveal: secrets are not stored: create another token, and revoke this one
--name --slug --id: the name follows the command, as in formflag tokens create <name>
[list] --expired --active --revoked: it lists everything: --json and jq choose
[list] *: formflag tokens get $0 shows one token
[revoke] --all: name each: the list of them has the names
[create] --permission --permissions --access --grant: --scope flags:write says what it may do
[create] --readonly --read-only --ro: --scope read reads everything, --scope flags:read the flags
[create] --role --roles: a token has scopes: --scope flags:write; roles are for users
[create] --field: it prints the token alone: TOKEN=$(formflag tokens create <name>); --json prints all of it
[create] --form --forms: the scopes of forms cannot be limited to one form
[create] --ttl --expiry --expire --valid: --expires 90d says when it ends
[create] /:|^(admin|read)$/: scopes are an option: --scope $0
`;
  tokens.addHelpText(
    "after",
    `\nExamples:
  formflag tokens create pipeline --scope flags:write -p shop --expires 90d
  formflag tokens list
  formflag tokens revoke pipeline
`,
  );
  addCreateCommand(tokens, io);
  addList(tokens, io, {
    description: "list tokens by name, without their secrets",
    options: [ofProjectOption()],
    parse: projectIn,
    operation: operations.list,
    query: (query) => query,
    head: ["TOKEN", "SCOPES", "CREATED", "EXPIRES"],
    row: (token) => [token.name, scopesOf(token), token.createdAt, token.expiresAt ?? "never"],
  });
  addGetCommand(tokens, io);
  addRevoke(tokens, io, {
    argument: ["[name]", "name of the token"],
    description: "revoke a token at once",
    options: [ofProjectOption()],
    query: projectIn,
    operation: operations.revoke,
    names: (name) => ({ name }),
    kind: "token",
    what: "name",
  });
}

/** Without FORMFLAG_PROJECT: only what is named here selects among tokens. */
function ofProjectOption(): Option {
  return new Option("-p, --project <project>", "only tokens that are limited to this project");
}

function projectIn({ options }: Input): Record<string, string> {
  const { project } = options as { project?: string };
  return project === undefined ? {} : { project };
}

/** The scopes of a token, and what they are limited to. */
function scopesOf({ scopes, project, environment }: Token): string {
  return [scopes.join(", "), [project, environment].filter(Boolean).join("/")].join(" ").trimEnd();
}

const addGetCommand = verb("get", {
  argument: ["[name]", "name of the token"],
  description: "show a token, without its secret",
  options: [ofProjectOption(), "field"],
  parse: async (input, given): Promise<{ name: string; project?: string }> => ({
    name: await input.need(given, "name"),
    ...projectIn(input),
  }),
  run: async ({ client, print }, { name, project }) => {
    const found = await findToken(client, name, project);
    if (!found)
      throw new AppError("not_found", `token "${name}" does not exist`, { reason: "token-not-found" });
    const text = details([
      ["token", found.name],
      ["scopes", scopesOf(found)],
      ["origins", found.allowedOrigins?.join(", ") ?? null],
      ["created", found.createdAt],
      ["expires", found.expiresAt ?? "never"],
    ]);
    await print(found, text);
  },
});

const addCreateCommand = verb("create", {
  ...BEGINS,
  argument: TOKEN.name.option,
  description: "create a token and print it, which is shown only once",
  // Without FORMFLAG_PROJECT and FORMFLAG_ENVIRONMENT: only what is named here limits a token.
  options: [
    ...optionsOf(TOKEN).map((each) => Object.assign(each, each.long === "--environment" && { mayBeKept })),
    ifNotExistsOption("the token"),
  ],
  help: `
With --if-not-exists, nothing is printed for an existing token: its secret cannot be shown again.

With -p, a token can reach only that project, whatever its scopes are, and other projects can have a token of the same
name. With -e, the scopes flags:read, flags:write and flags:locked are limited to that environment. What a flag
has once for the whole project (its slug, description, owner, tags and colours, and whether it is permanent) can be set
by such a token too, for all environments; archiving a flag takes one for the project.

The scope flags:evaluate is for applications: it can only evaluate the flags of one environment, named with -p and -e,
over OFREP. The scope flags:refs is for pipelines: it can upload and delete the code references of the project named
with -p.

The scope flags:browser is for pages, where every visitor can read the token: it can evaluate the flags of one
environment that are marked for browsers (flags set --browser on), over OFREP, and send events. With --allow-origin,
only pages of these websites can use it.

The scope flags:sync is for flagd, for providers that evaluate in their own process, and for relays: it can only read
one environment, with the hashes of its readers' tokens for a relay, and send what the relay has counted.

Examples:
  formflag tokens create laptop > token.txt
  formflag tokens create pipeline --scope flags:write -p shop --expires 90d
  formflag tokens create ci --scope flags:refs --scope flags:read -p shop
  formflag tokens create web-shop --scope flags:evaluate -p shop -e production
  formflag tokens create flagd --scope flags:sync -p shop -e production
  formflag tokens create site --scope flags:browser -p shop -e production --allow-origin https://shop.example.com
`,
  parse,
  run,
});

type Values = { token: NewToken; ifNotExists: boolean };

async function parse(input: Input, given?: string): Promise<Values> {
  const name = await input.need(given, "name");
  const { scopes = [], ...token } = await givenIn(TOKEN, input);
  requireScopes(scopes);
  const inEnvironment =
    LONE_SCOPES.some((scope) => scopes.includes(scope)) || token.environment !== undefined;
  const inProject = inEnvironment || scopes.includes("flags:refs") || token.project !== undefined;
  const project = inProject ? await input.project() : undefined;
  const environment = project && inEnvironment ? await input.environment(project) : undefined;
  return {
    token: { ...token, name, ...(scopes.length > 0 && { scopes }), project, environment },
    ifNotExists: input.options["ifNotExists"] === true,
  };
}

/** Whether a kept environment is for a token: not with scopes that cannot be limited to one. */
function mayBeKept({ scope: scopes = [] }: { scope?: string[] }): boolean {
  const isPlaced = (scope: string) => scope !== "flags:refs" && PLACED_SCOPES.some((each) => each === scope);
  return scopes.length > 0 && scopes.every(isPlaced);
}

/** Throws `invalid` for a scope that does not exist. */
function requireScopes(scopes: readonly string[]): void {
  const other = scopes.find((each) => !SCOPES.some((scope) => scope === each));
  if (other === undefined) return;
  const near = SCOPES.filter((scope) => scope.split(":").includes(other));
  throw usage(
    `--scope: a scope is one of ${SCOPES.join(", ")}`,
    near.length > 0
      ? `did you mean ${near.join(" or ")}?`
      : /^(?:all|any|full|everything|\*)$/i.test(other)
        ? "--scope admin is everything; -p <project> limits it to a project"
        : `${other} is not a scope; roles are for users`,
  );
}

async function run({ client, io, note, print, suggest }: Session, values: Values): Promise<void> {
  const { name, project } = values.token;
  const make = () => client.call(operations.create, { body: values.token });
  const find = async () => {
    const found = await findToken(client, name, project);
    if (!found)
      throw new AppError("conflict", `the token ${name} was revoked meanwhile`, { hint: "try again" });
    return { ...found, token: null };
  };
  const token = await create<Token & { token: string | null }>(make, values.ifNotExists ? find : null);
  if (token.token === null) {
    io.err(shown`the token ${name} exists already, and its secret is not shown again\n`);
    return print(token, "");
  }
  await print(token, shown`${token.token}\n`);
  if (values.token.scopes === undefined) {
    const where = project === undefined ? "" : shown` in project ${project}`;
    note(shown`${name} may do everything${where}, as an admin may; --scope limits a token\n`);
  }
  suggest(`Keep it: it is not shown again. Use it as FORMFLAG_TOKEN or with --token-file.`);
}

/** An existing token, without its secret, which is not stored. */
async function findToken(client: Client, name: string, project?: string): Promise<Token | undefined> {
  const tokens = await listAll(client, operations.list, { query: { project } });
  return tokens.find((each) => each.name === name);
}
