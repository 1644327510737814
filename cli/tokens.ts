import type { Command } from "commander";
import { SCOPES, type CreatedToken, type Token } from "../src/tokens.ts";
import { path } from "./client.ts";
import type { Io } from "./io.ts";
import { action } from "./session.ts";
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
    .addHelpText(
      "after",
      "\nExamples:\n  formflag tokens create laptop > token.txt\n  formflag tokens create pipeline --scope flags:write --expires 90d\n",
    )
    .action(
      action(io, async (session, given) => {
        const name = await session.need(given, "name");
        const { scope, expires } = session.options as { scope?: string[]; expires?: string };
        const token = await session.client.call<CreatedToken>("POST", "/tokens", {
          name,
          scopes: scope,
          expiresAt: expires === undefined ? null : expiryValue(expires, "--expires", Date.now()),
        });
        await session.print(token, `${token.token}\n`);
        session.suggest(`Keep it: it is not shown again. Use it as FORMFLAG_TOKEN or with --token-file.`);
      }),
    );

  tokens
    .command("list")
    .alias("ls")
    .description("list tokens by name, without their secrets")
    .action(
      action(io, async (session) => {
        const { tokens: all } = await session.client.call<{ tokens: Token[] }>("GET", "/tokens");
        const rows = all.map(({ name, scopes, createdAt, expiresAt }) => [
          name,
          scopes.join(", "),
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
