import { INCLUDES, SCOPES, type Scope } from "../../src/access/scope.ts";
import { me } from "../../src/operations/access/me.ts";
import { stackOf } from "../../src/base/errors.ts";
import { printableLines, shown } from "../output/text.ts";
import { listOption } from "../session/command-line.ts";
import { usage } from "../session/usage.ts";
import { VERSION } from "../version.ts";
import { lone } from "../session/verb.ts";

/** Scopes that a tool needs, or that include one. */
const OF_TOOLS: readonly Scope[] = [
  "read",
  "flags:read",
  "flags:write",
  "flags:locked",
  "forms:read",
  "forms:write",
  "admin",
];

export const addMcpCommand = lone({
  options: [
    listOption("--scope <scope...>", `scopes of the assistant: ${OF_TOOLS.join(", ")} (default: read)`),
  ],
  help: `
An assistant starts this command and talks to it over the Model Context Protocol. The command works on the data
directory, whether or not a server is running, and by default only reads. --scope flags:write allows changes of flags,
--scope flags:locked also in locked environments, and --scope admin everything that has a tool; --scope flags:read hides
the forms. With --server, the token decides. The command ends when its input ends. Each call is logged on standard error
with the tool and the name of the caller.

Examples:
  formflag mcp
  formflag mcp --data /var/lib/formflag --scope flags:write
  formflag mcp --server https://flags.example.com --token-file assistant.token
`,
  scopes: (options) => scopesOf(options["scope"]),
  reads: (options) => options["scope"] === undefined,
  parse: ({ config, options }) => {
    const { scope } = options as { scope?: string[] };
    if (config.server !== null && scope !== undefined)
      throw usage("--scope does not go with --server", "the token decides: formflag tokens create --scope");
    scopesOf(scope);
    return null;
  },
  run: async ({ client, config, note }) => {
    const [{ identityOf }, { serveStreams }] = await Promise.all([
      import("../../src/mcp/api.ts"),
      import("../../src/mcp/stdio.ts"),
    ]);
    const identify = async () => identityOf(await client.call(me.get, {}));
    // Fails now for a folder without data, and for a wrong token.
    await identify();
    const session = {
      send: async (operation: Parameters<typeof client.send>[0], sent: object) =>
        (await client.send(operation, { ...sent, source: "mcp" })).value,
      origin: config.server === null ? null : new URL(config.server).origin,
      identify,
      log: (tool: string, name: string) => note(shown`${tool} by ${name}\n`),
      report: (error: unknown) => note(`internal error: ${printableLines(stackOf(error))}\n`),
    };
    await serveStreams(session, VERSION, { input: process.stdin, output: process.stdout });
  },
});

/** The scopes of a connection: scopes beyond `read` are added to it. Throws `invalid`. */
function scopesOf(given: unknown): Scope[] {
  const scopes = ((given as string[] | undefined) ?? ["read"]).map((name) => {
    const found = OF_TOOLS.find((each) => each === name);
    if (found) return found;
    const what = SCOPES.some((each) => each === name) ? "has no tool" : "is no scope";
    throw usage(`--scope ${name} ${what}`, `these have: ${OF_TOOLS.join(", ")}`);
  });
  const isWider = scopes.some((scope) => scope !== "read" && !INCLUDES.read.includes(scope));
  return [...new Set(isWider ? ["read" as const, ...scopes] : scopes)];
}
