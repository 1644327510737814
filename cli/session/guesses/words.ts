/** Guesses at any command, or in place of one, in lines as `heard` describes them. */
export const EVERYWHERE = String.raw`
version -v -V: type formflag --version
man docs documentation quickstart tutorial guide welcome hello getting-started: type formflag help, or formflag help <command>; formflag docs holds the documentation
init setup install bootstrap onboard provision scaffold: nothing has to be set up: type formflag serve, or formflag projects create <project>
stop restart reload down: Ctrl-C ends a server in the foreground, systemctl stop formflag a service; formflag serve starts it again
logs log journal: the server logs to standard error; as a service: journalctl -u formflag. What was changed: formflag history
update self-update: upgrade
auth signin sign-in log-in: formflag login --server <url> signs in to a server; FORMFLAG_SERVER and FORMFLAG_TOKEN name one and its token
signout sign-out log-out: type formflag logout --server <url>
me: whoami
audit-log auditlog audit-logs: formflag audit list shows who did what; formflag history, what was changed
create new add make ls rm remove delete rename list get show describe inspect edit: the noun comes first, as in formflag flags list or formflag forms create <form>
reset wipe nuke factory-reset purge-all truncate: stop the server and move its data directory away: formflag serve begins with a new one
sdk sdks client clients: formflag docs sdks reads flags in seven languages; the server describes its API at /openapi.json
api openapi swagger graphql rest http spec request requests curl stream sse: the server describes its API at /openapi.json; formflag docs http has it by example
scale cluster replica replicas: formflag docs scale-out describes several servers on one PostgreSQL database
relay proxy edge nginx caddy traefik docker compose k8s kubernetes kubectl helm: formflag docs reverse-proxy, docker and scale-out describe a server behind, in and beside others
quota quotas limit limits billing pricing: formflag docs limits lists every limit; it costs nothing
mfa 2fa totp passkey passkeys sso oidc saml ldap scim: users sign in to the dashboard: formflag docs dashboard describes how, and their roles
encrypt decrypt vault: formflag docs security describes what is protected from whom
bench benchmark stress load: formflag docs benchmark has figures, and how they are measured
support bug issue changelog news whatsnew credits license: formflag docs changelog says what is new, formflag docs security where to write
[list] --fields --columns: --field <name> prints one field, --json all
[list] --limit: it lists everything
[list] --all -A --all-namespaces --all-projects: it lists everything that -p and -e, or formflag use, select
[list] -w --watch: it lists once, and everything that -p and -e select
[list get] -o --output --format --csv --table --yaml: --json prints JSON, --field <name> one field a line
[projects environments forms] --key --keys --show-keys: --field key prints the key alone
[doctor config check] --field: --json prints JSON, from which jq takes a field
[projects environments] --description --title: --name is for people; it has no description
[flags segments] --all-environments --all-envs --everywhere: name each environment: -e develop,staging,production
[serve doctor service] --acme-dir --acme-directory --acme-server --acme-endpoint: --acme-url
[serve doctor service] --acme-root --acme-roots --acme-cert --acme-trust: --acme-ca
[export backup] --out --out-file --save --dest: -o <file> names the file
[doctor mail stats] --url --address: --server <url> names the server
[serve check doctor restore] *: the data directory is an option: --data $0
[status stats] --watch -w --follow: it shows one moment: watch -n 5 formflag status repeats it
[serve healthcheck doctor service] -p --port --host --bind --address --hostname: the address has the port: formflag serve --listen 127.0.0.1:9000
[login] *: type formflag login --server $0
--env --environments -E: the environment is named with -e or --environment
-P --proj --projects: the project is named with -p or --project
--host --url --remote: --server https://flags.example.com acts on a server
--token --api-key --password --secret: a token on a command line can be seen by other users of the machine: put it into FORMFLAG_TOKEN, or into a file named with --token-file
-f --force: --yes answers every question, and --confirm opens the lock of an environment
-json -j --JSON: type --json
--colour --colors: colours are for terminals: --no-color, or NO_COLOR, turns them off
--verbose --debug: formflag serve --log-level debug logs more
--dry-run: only apply, flags import, flags promote and submissions know a trial; formflag diff shows what a file would change
`;

/** Synonymous verbs: a noun has at most one of each row, the first of which are suggested first. */
export const SYNONYMS = [
  ["create", "set", "add", "new", "make"],
  ["set", "update", "edit", "change", "patch", "modify"],
  ["get", "show", "view", "describe", "info", "read"],
  ["delete", "revoke", "remove", "rm", "del", "destroy", "kill", "end"],
  ["list", "all"],
  ["test", "ping", "send", "try"],
  ["rotate", "roll", "renew", "secret"],
  ["enable", "on", "open", "start"],
  ["disable", "off", "close", "stop", "pause"],
];

/** Nouns, each with the words that other programs have for it. */
export const ALIASES = [
  ["flags", "flag", "ff", "feature", "features", "feature-flag", "feature-flags", "toggles", "gates"],
  ["environments", "env", "envs"],
  ["tokens", "apikey", "apikeys", "api-key", "api-keys", "sdk-key", "sdk-keys", "api-token", "api-tokens"],
  ["projects", "workspace", "workspaces", "app", "apps"],
];
