import type { Command } from "commander";
import type { Io } from "../output/terminal.ts";
import { localAction } from "../session/action.ts";
import { usage } from "../session/usage.ts";

export function addDemoCommand(demo: Command, io: Io): void {
  demo
    .option("--listen <address>", "address of all services; port 0 picks a free one", "127.0.0.1:0")
    .option("--no-open", "do not open the dashboard in a browser")
    .option("--keep <dir>", "store the data in this directory, and keep it")
    .after(`
Serves a small shop with the last six weeks of its forms and flags: 400 messages, replies, spam, experiments, a beta with
its people, a release that its guard stopped, a change that waits for approval, and a target that fails. It prints a link
that signs you in as mara, the admin; jonas and hanna are members. Nothing is sent to other machines. The data is in a temporary directory,
which is removed when you press Ctrl-C. The settings of other servers (FORMFLAG_…) do not apply.

Examples:
  formflag demo
  formflag demo --listen 127.0.0.1:9000 --no-open
  formflag demo --keep ./shop-data
`)
    .action(localAction(io, parse, run));
}

type Values = { listen: string; opens: boolean; keep: string | null };

function parse(command: Command): Values {
  for (const name of ["server", "data", "database", "blobs"])
    if (command.getOptionValueSourceWithGlobals(name) === "cli")
      throw usage(`--${name} does not go with demo`, "it has data of its own, which --keep DIR leaves");
  const { listen, open, keep } = command.opts<{ listen: string; open: boolean; keep?: string }>();
  if (keep === "") throw usage("--keep needs a directory");
  return { listen, opens: open, keep: keep ?? null };
}

/** Loads the modules of the server only here, because help does not need them. */
async function run(io: Io, values: Values): Promise<void> {
  const { demonstrate } = await import("../demo/demo.ts");
  await demonstrate(values, io);
}
