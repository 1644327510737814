/** Options that people guess, by the commands they are guessed for; the first that fits wins. */
export type Guess = [commands: RegExp, options: string, hint: string];

const ADDRESS = "the address has the port: formflag serve --listen 127.0.0.1:9000";
const CONFIG = "there is no file of settings: each option has a variable, as formflag serve --help lists";
const HISTORY =
  "formflag projects history <project>, forms history <form> and flags history <flag> list the changes of one";
const LOGS = "formflag serve --log-level debug logs more";

const FOREGROUND = "the server runs in the foreground; formflag service install runs it under systemd";

/** Guesses for the commands that run a server, move its data, or read files. */
export const OPERATING_GUESSES: Guess[] = [
  [/^(status|stats)/, "--watch -w --follow", "it shows one moment: watch -n 5 formflag status repeats it"],
  [
    /^healthcheck/,
    "--timeout --retries --interval",
    "it waits 5 seconds at most: timeout 2 formflag healthcheck ends it sooner",
  ],
  [/^/, "--colour --colors", "colours are for terminals: --no-color, or NO_COLOR, turns them off"],
  [
    /^serve/,
    "--no-forms --no-flags --only",
    "every service runs; --forms-listen, --flags-listen and --admin-listen give one an address of its own",
  ],
  [/^serve/, "--cors --allow-origin", "a form has its own: formflag forms set <form> --allow-origin <url>"],
  [
    /^serve/,
    "--admin-password --password --user --admin --auth --token",
    "formflag users link prints a link that signs in, formflag tokens create a token for the admin API",
  ],
  [/^serve/, "--readonly --read-only", "there is no such mode: tokens and roles say who may change what"],
  [/^(doctor|config show|check)/, "--field", "--json prints JSON, from which jq takes a field"],
  [/^stats/, "--week --month --today --year", "--days <n> says how many days, today included"],
  [/^users link/, "--expires --ttl --valid --expiry", "a link is valid for 15 minutes, and once"],
  [
    /^projects (list|get|set|delete)/,
    "-p --project",
    "the project follows the command: formflag projects get shop",
  ],
  [/^history$/, "-p --project -e --environment --form --flag", HISTORY],
  [/^stats/, "--from --since --until --to", "--days <n> says how many days, today included"],
  [/export$|^backup/, "--out --out-file --save --dest", "-o <file> names the file"],
  [/^backup create/, "-z --compress --gzip", "a name that ends in .gz compresses: -o backup.tar.gz"],
  [/^backup restore/, "--force --overwrite", "--replace renames what is there"],
  [/^diff/, "--exit-code --check", "it exits 9 if something differs"],
  [/^completion/, "--shell", "the shell follows the command: formflag completion bash"],
  [/^(serve|healthcheck|doctor|service)\b/, "-p --port --host --bind --address --hostname", ADDRESS],
  [/^serve/, "-d --daemon --detach --background --fork", FOREGROUND],
  [/^serve/, "-c --config --config-file --conf --env-file", CONFIG],
  [/^serve/, "--debug --dev --trace", LOGS],
  [
    /^serve/,
    "--smtp --mail --smtp-host",
    "--smtp-url smtp://user@mail.example.com:587 names the mail server",
  ],
  [
    /^(serve|doctor)/,
    "--oidc-client-secret --oidc-secret --client-secret",
    "a secret on a command line can be seen by other users of the machine: put it into FORMFLAG_OIDC_CLIENT_SECRET, or into a file named with --oidc-client-secret-file",
  ],
  [
    /^serve/,
    "--oidc --sso --oidc-url --oidc-provider",
    "--oidc-issuer https://auth.example.com names the provider: docs/sign-in.md",
  ],
  [/^serve/, "--db --database-url", "--data names the data directory, --database a PostgreSQL database"],
  [/^serve/, "--url --domain", "--public-url https://forms.example.com is the address that senders see"],
  [/^serve/, "--tls --ssl --https --cert --key", "--tls-cert and --tls-key name a certificate and its key"],
  [
    /^serve/,
    "--workers --cluster --threads",
    "one process serves; docs/scale-out.md describes several machines",
  ],
  [/^serve/, "--log-file --logfile --log", "it logs to standard error: 2> formflag.log"],
  [/^serve/, "--open --browser", "formflag users link prints a link to the dashboard"],
  [/^serve/, "--metrics", "/metrics needs a token, or an address of its own: --metrics-listen"],
  [/^migrate/, "--from --source", "--data names what is moved, --to the database"],
  [
    /^migrate/,
    "--dry-run",
    "the first run changes nothing where the data is, and may be repeated; only --final ends the move",
  ],
  [/^(check|doctor)/, "--fix --repair", "it only reads: formflag backup restore brings back what was lost"],
  [/^backup restore/, "--to", "--data names the data directory to create"],
  [/^backup (verify|restore)/, "--file -f", "the file follows the command: formflag backup verify <file>"],
  [/^export/, "-f --file --format=json", "-o <file> names the file; --format json writes JSON"],
  [/^export/, "-n --namespace", "the project is an option: -p <project>"],
  [
    /^sessions revoke/,
    "--all --user",
    "formflag sessions list --user <name> --field id lists the ids to revoke",
  ],
  [/^apply/, "--dry-run", "--dry-run takes no value: formflag apply <file> --dry-run"],
  [/^backup/, "--output-dir --dir --to", "-o <file> names the archive"],
  [/^backup restore/, "--into --target", "--data names the data directory to create"],
  [/^(apply|diff)/, "-k -R --recursive --filename", "one file is named: formflag apply flags.yaml"],
  [/^(apply|diff)/, "--delete --remove", "--prune deletes what the file leaves out"],
  [
    /^(apply|diff)/,
    "-p --project -e --environment -n --namespace",
    "the file names its projects and environments",
  ],
  [/^healthcheck|^doctor|^mail|^stats/, "--url --address", "--server <url> names the server"],
  [/^serve/, "-v --verbose", LOGS],
];
