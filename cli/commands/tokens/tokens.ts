import type { Command } from "commander";
import { SCOPES } from "../../../src/access/scope.ts";
import type { Token } from "../../../src/access/token.ts";
import { AppError } from "../../../src/base/errors.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { shown, table } from "../../output/text.ts";
import { path } from "../../session/client.ts";
import { create, ifNotExistsOption } from "../../session/create.ts";
import { listAll } from "../../session/pages.ts";
import { BEGINS, type Session, action } from "../../session/session.ts";
import { collect, expiryValue } from "../../session/values.ts";

export function addTokenCommands(tokens: Command, io: Io): void {
  tokens.addHelpText(
    "after",
    `\nExamples:
  formflag tokens create pipeline --scope flags:write -p shop --expires 90d
  formflag tokens list
  formflag tokens revoke pipeline
`,
  );

  tokens
    .command("create")
    .argument("[name]", "name of the new token")
    .description("create a token and print it, this one time only")
    .option(
      "--scope <scope>",
      `what it may do; may be repeated: ${SCOPES.join(", ")} (default: admin)`,
      collect,
    )
    .option("--expires <time>", "when it ends: 90d, ISO 8601, or never")
    // Without FORMFLAG_PROJECT and FORMFLAG_ENVIRONMENT: only what is named here limits a token.
    .option("-p, --project <project>", "limit it to this project")
    .option("-e, --environment <environment>", "limit it to this environment of the project")
    .addOption(ifNotExistsOption("the token"))
    .addHelpText(
      "after",
      `
With --if-not-exists nothing is printed for a token that exists already: its secret is not shown again.

With -p, the scopes flags:read, flags:write and flags:locked reach only that project, with -e only that environment.
A flag's slug and description belong to the whole project, also where a token for one environment sets them.
The other scopes cannot be limited.

The scope flags:evaluate is for applications: it evaluates the flags of one environment, named with -p and -e, over
OFREP, and nothing else.

Examples:
  formflag tokens create laptop > token.txt
  formflag tokens create pipeline --scope flags:write -p shop --expires 90d
  formflag tokens create web-shop --scope flags:evaluate -p shop -e production
`,
    )
    .action(
      action(
        io,
        async (session, given) => {
          const name = await session.need(given, "name");
          const { scope, expires, ...named } = session.options as Record<string, string | undefined> & {
            scope?: string[];
          };
          const inEnvironment = scope?.includes("flags:evaluate") || named["environment"] !== undefined;
          const inProject = inEnvironment || named["project"] !== undefined;
          const project = inProject ? await session.project() : undefined;
          const body = {
            name,
            scopes: scope,
            project,
            environment: project && inEnvironment ? await session.environment(project) : undefined,
            expiresAt: expires === undefined ? null : expiryValue(expires, "--expires", Date.now()),
          };
          const token = await create(session, "/tokens", body, () => findToken(session, name));
          if (token.token === null) {
            io.err(shown`the token ${name} exists already, and its secret is not shown again\n`);
            return session.print(token, "");
          }
          await session.print(token, shown`${token.token}\n`);
          session.suggest(`Keep it: it is not shown again. Use it as FORMFLAG_TOKEN or with --token-file.`);
        },
        BEGINS,
      ),
    );

  tokens
    .command("list")
    .alias("ls")
    .description("list tokens by name, without their secrets")
    .addOption(fieldOption())
    .action(
      action(io, async (session) => {
        const all = await listAll<Token>(session.client, "/tokens", "tokens");
        const rows = all.map(({ name, scopes, project, environment, createdAt, expiresAt }) => [
          name,
          [scopes.join(", "), [project, environment].filter(Boolean).join("/")].join(" ").trimEnd(),
          createdAt,
          expiresAt ?? "never",
        ]);
        await session.print(all, table(["TOKEN", "SCOPES", "CREATED", "EXPIRES"], rows));
      }),
    );

  tokens
    .command("revoke")
    .argument("[name]", "name of the token")
    .description("revoke a token at once")
    .action(
      action(io, async (session, given) => {
        const name = await session.need(given, "name");
        await session.client.call("DELETE", path`/tokens/${name}`);
        await session.report({ name, result: "revoked" }, shown`revoked token ${name}\n`);
      }),
    );
}

/** A token that exists already; its secret is stored nowhere. */
async function findToken({ client }: Session, name: string): Promise<Token & { token: string | null }> {
  const tokens = await listAll<Token>(client, "/tokens", "tokens");
  const token = tokens.find((each) => each.name === name);
  if (!token)
    throw new AppError("conflict", `the token ${name} was revoked meanwhile`, { hint: "try again" });
  return { ...token, token: null };
}
