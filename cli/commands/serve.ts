import type { Command } from "commander";
import type { Io } from "../output/terminal.ts";
import { serveOptions } from "../serve/options.ts";
import { localAction } from "../session/action.ts";
import { type StorageSettings, environmentOf, loadStorage, readStorageSettings } from "../session/storage.ts";
import { usage } from "../session/usage.ts";
import { heard } from "../session/command-line.ts";

export function addServeCommand(command: Command, io: Io): void {
  heard(command)`
[formflag] start run server up: serve
[formflag] listen host hosts port dns url: formflag serve --listen 127.0.0.1:9000 names the address, --public-url the address that senders see
[formflag] ssl tls https cert certs certificate certificates letsencrypt acme domain domains: formflag serve --domain forms.example.com serves HTTPS with a certificate that it gets itself; --tls-cert <file> and --tls-key <file> name one of yours, formflag docs reverse-proxy leaves HTTPS to a proxy
[formflag] debug trace: formflag serve --log-level debug logs more
--workers --cluster --processes: --threads <n> says how many threads serve; formflag docs scale-out describes several machines
--no-forms --no-flags --only: every service runs; --forms-listen, --flags-listen and --admin-listen give one an address of its own
--cors --allow-origin: a form has its own: formflag forms set <form> --allow-origin <url>
--admin-password --password --user --admin --auth --token: formflag users link prints a link that signs in, formflag tokens create a token for the admin API
--readonly --read-only: no such mode: tokens and roles say who may change what
-d --daemon --detach --background --fork: the server runs in the foreground; formflag service install runs it under systemd
-c --config --config-file --conf --env-file: no settings file: each option has a variable, as formflag serve --help lists
--debug --dev --trace -v --verbose: formflag serve --log-level debug logs more
--smtp --mail --smtp-host: --smtp-url smtp://user@mail.example.com:587 names the mail server
--oidc-client-secret --oidc-secret --client-secret: a secret on a command line can be seen by other users of the machine: put it into FORMFLAG_OIDC_CLIENT_SECRET, or into a file named with --oidc-client-secret-file
--oidc --sso --oidc-url --oidc-provider: --oidc-issuer https://auth.example.com names the provider: formflag docs sign-in
--db --database-url: --data names the data directory, --database a PostgreSQL database
--url: --public-url
--tls --ssl --https --letsencrypt --acme: --domain forms.example.com serves HTTPS with a certificate that the server gets itself; --tls-cert and --tls-key name one of yours
--cert --certificate --key: --tls-cert and --tls-key name a certificate and its key; with --domain forms.example.com the server gets one itself
--log-file --logfile --log: it logs to standard error: 2> formflag.log
--open --browser: formflag users link prints a link to the dashboard
--relay --edge --replica --upstream: formflag serve --follow <url> --token-file <file> serves the flags of another server: formflag docs relay
--metrics: /metrics needs a token, or an address of its own: --metrics-listen
/^(start|run|up|stop|now)$/: formflag serve starts the server, without another word
/^\d+$/: the port is part of the address: --listen 127.0.0.1:$0
/:\d+$/: the address is an option: --listen $0
`;
  command.withOptions(...serveOptions());
  command
    .after(`
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
`)
    .action(localAction(io, parse, run));
}

type Values = { options: Record<string, unknown>; storage: StorageSettings; command: Command };

function parse(command: Command): Values {
  if (command.getOptionValueSourceWithGlobals("server") === "cli")
    throw usage("--server does not go with serve", "it serves its own data: see --data and --database");
  return {
    options: command.optsWithGlobals<Record<string, unknown>>(),
    storage: readStorageSettings(command),
    command,
  };
}

/** Loads the modules of the server only here, because help does not need them. */
async function run(io: Io, { options, storage, command }: Values): Promise<void> {
  const { readServeConfig } = await import("../serve/config.ts");
  const config = readServeConfig(options);
  if (config.follow) {
    const { serveRelay } = await import("../serve/relay/serve-relay.ts");
    return serveRelay(config, config.follow, io, command);
  }
  const { serve } = await import("../serve/serve.ts");
  await serve(config, await loadStorage(storage), io, environmentOf(storage));
}
