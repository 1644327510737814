import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { printable, shown } from "../../output/text.ts";
import { BEGINS, action } from "../../session/action.ts";
import type { Session } from "../../session/session.ts";

export function addLinkCommand(users: Command, io: Io): void {
  users
    .command("link")
    .argument("[name]", "name of the user; by default the only admin")
    .description("print a link that signs a user in to the dashboard once, within 15 minutes")
    .addHelpText(
      "after",
      `
Without any user it creates the first one, an admin, who is called admin unless a name is given.

The link begins with the address that the server is given as --dashboard-url, else with that of --server.
Without --server it begins with FORMFLAG_DASHBOARD_URL. At a terminal it is shown as a QR code too.

Examples:
  formflag users link
  formflag users link ann
  FORMFLAG_DASHBOARD_URL=https://flags.example.com formflag users link
`,
    )
    .action(action(io, (_, name) => name, run, BEGINS));
}

/** As the admin API answers; `url` may be a path. */
type Link = { name: string; url: string; expiresAt: string };

async function run(session: Session, given: string | undefined): Promise<void> {
  const { client, config, io, print, note, suggest } = session;
  const link = await client.call<Link>("POST", "/users/links", given === undefined ? {} : { name: given });
  const url = withServer(link.url, config.server);
  const isWhole = !url.startsWith("/");
  const isShown = io.outIsTerminal && !config.json && !config.quiet;
  await print(link, shown`${url}\n`);
  // Not through the printer, which wraps lines.
  if (isShown && isWhole) await io.out(await qrCode(url, io.outWidth));
  note(shown`it signs ${link.name} in once, until ${link.expiresAt}\n`);
  if (isWhole) return;
  note("put the address of the server in front of it, such as http://127.0.0.1:8787\n");
  suggest("FORMFLAG_DASHBOARD_URL, and serve --dashboard-url, make it a whole link, with a QR code.");
}

/** A path is one on the server that answered. */
function withServer(url: string, server: string | null): string {
  return url.startsWith("/") && server !== null ? `${new URL(server).origin}${url}` : url;
}

/** A QR code in block characters; empty where the terminal is too narrow for it. */
async function qrCode(url: string, width: number | null): Promise<string> {
  const { renderUnicodeCompact } = await import("uqr");
  const code = renderUnicodeCompact(printable(url), { border: 2 });
  const isWideEnough = width === null || code.indexOf("\n") <= width;
  return isWideEnough ? `\n${code}\n\n` : "";
}
