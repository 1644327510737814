import type { Command } from "commander";
import type { Io } from "../output/terminal.ts";
import { serveOptions } from "../serve/options.ts";
import { localAction } from "../session/action.ts";
import { usage } from "../session/usage.ts";

export function addServeCommand(command: Command, io: Io): void {
  for (const option of serveOptions()) command.addOption(option);
  command
    .addHelpText(
      "after",
      `
Addresses are HOST:PORT; port 0 picks a free one. SIGTERM and SIGINT finish what is under way, for 10 s at most.
With --drain, /readyz answers 503 after SIGTERM, and requests are served for that long; a second SIGTERM ends that.

Examples:
  formflag serve
  formflag serve --listen 0.0.0.0:8787 --admin-listen 127.0.0.1:8788
  formflag serve --public-url https://forms.example.com --trusted-proxy 127.0.0.1/32
  formflag serve --listen 0.0.0.0:443 --tls-cert fullchain.pem --tls-key privkey.pem
`,
    )
    .action(localAction(io, parse, run));
}

function parse(command: Command): Record<string, unknown> {
  if (command.getOptionValueSourceWithGlobals("server") === "cli")
    throw usage("--server does not go with serve", "it serves a data directory of this machine: see --data");
  return command.optsWithGlobals<Record<string, unknown>>();
}

/** Loads the modules of the server only here, because help does not need them. */
async function run(io: Io, options: Record<string, unknown>): Promise<void> {
  const [{ readServeConfig }, { serve }] = await Promise.all([
    import("../serve/config.ts"),
    import("../serve/serve.ts"),
  ]);
  await serve(readServeConfig(options), io);
}
