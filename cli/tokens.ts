import type { Command } from "commander";
import { SCOPES, type CreatedToken, type Token } from "../src/tokens.ts";
import { path } from "./client.ts";
import { environmentOption, projectOption } from "./config.ts";
import type { Io } from "./io.ts";
import { action, BEGINS } from "./session.ts";
import { table } from "./text.ts";
import { collect, expiryValue } from "./values.ts";

export function addTokenCommands(tokens: Command, io: Io): void {
  tokens.addHelpText(
    "after",
    `\nExamples:
  formflag tokens create pipeline --scope flags:write --expires 90d
  formflag tokens list
  formflag tokens revoke pipeline
`,
  );

  tokens
    .command("create")
    .argument("[name]", "name of the new token")
    .description("create a token and print it, this one time")
    .option(
      "--scope <scope>",
      `what it may do; may be repeated: ${SCOPES.join(", ")} (default: admin)`,
      collect,
    )
    .option("--expires <time>", "when it ends: 90d, ISO 8601, or never")
    .addOption(projectOption())
    .addOption(environmentOption())
    .addHelpText(
      "after",
      `
The scope flags:evaluate is for applications: it evaluates the flags of one environment, named with -p and -e, over
OFREP, and nothing else.

Examples:
  formflag tokens create laptop > token.txt
  formflag tokens create pipeline --scope flags:write --expires 90d
  formflag tokens create web-shop --scope flags:evaluate -p shop -e production
`,
    )
    .action(
      action(
        io,
        async (session, given) => {
          const name = await session.need(given, "name");
          const { scope, expires } = session.options as { scope?: string[]; expires?: string };
          const project = scope?.includes("flags:evaluate") ? await session.project() : undefined;
          const token = await session.client.call<CreatedToken>("POST", "/tokens", {
            name,
            scopes: scope,
            ...(project === undefined ? {} : { project, environment: await session.environment(project) }),
            expiresAt: expires === undefined ? null : expiryValue(expires, "--expires", Date.now()),
          });
          await session.print(token, `${token.token}\n`);
          session.suggest(`Keep it: it is not shown again. Use it as FORMFLAG_TOKEN or with --token-file.`);
        },
        BEGINS,
      ),
    );

  tokens
    .command("list")
    .alias("ls")
    .description("list tokens by name, without their secrets")
    .action(
      action(io, async (session) => {
        const { tokens: all } = await session.client.call<{ tokens: Token[] }>("GET", "/tokens");
        const rows = all.map(({ name, scopes, project, environment, createdAt, expiresAt }) => [
          name,
          project === undefined ? scopes.join(", ") : `${scopes.join(", ")} ${project}/${environment}`,
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
        await session.report({ name, result: "revoked" }, `revoked token ${name}\n`);
      }),
    );
}
