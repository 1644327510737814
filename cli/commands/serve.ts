import type { Command } from "commander";
import type { Io } from "../output/terminal.ts";
import { serveOptions } from "../serve/options.ts";
import { localAction } from "../session/action.ts";
import { type StorageSettings, environmentOf, loadStorage, readStorageSettings } from "../session/storage.ts";
import { usage } from "../session/usage.ts";

export function addServeCommand(command: Command, io: Io): void {
  for (const option of serveOptions()) command.addOption(option);
  command
    .addHelpText(
      "after",
      `
Addresses are HOST:PORT; port 0 picks a free one. After SIGTERM, SIGINT or the end of its terminal, requests in progress
have at most 10 s to finish; 5 s later the process ends, whatever it still waits for. With --drain, /readyz first
answers 503 for that time while requests are still served; a second SIGTERM ends it. With --database, any number of
servers can serve the same data. Uploaded files are then in the bucket of --blobs or, for a single server, in the
directory of --data; without both, submissions with files are refused. If the directory of --data has its own database,
it is used instead of a database that only a variable names.

Examples:
  formflag serve
  formflag serve --listen 0.0.0.0:8787 --admin-listen 127.0.0.1:8788
  formflag serve --public-url https://forms.example.com --trusted-proxy 127.0.0.1/32
  FORMFLAG_DATABASE_URL=postgres://user:password@db/formflag formflag serve --blobs 's3://bucket?region=eu-west-1'
  formflag serve --listen 0.0.0.0:443 --tls-cert fullchain.pem --tls-key privkey.pem
`,
    )
    .action(localAction(io, parse, run));
}

type Values = { options: Record<string, unknown>; storage: StorageSettings };

function parse(command: Command): Values {
  if (command.getOptionValueSourceWithGlobals("server") === "cli")
    throw usage("--server does not go with serve", "it serves its own data: see --data and --database");
  return {
    options: command.optsWithGlobals<Record<string, unknown>>(),
    storage: readStorageSettings(command),
  };
}

/** Loads the modules of the server only here, because help does not need them. */
async function run(io: Io, { options, storage }: Values): Promise<void> {
  const [{ readServeConfig }, { serve }] = await Promise.all([
    import("../serve/config.ts"),
    import("../serve/serve.ts"),
  ]);
  await serve(readServeConfig(options), await loadStorage(storage), io, environmentOf(storage));
}
