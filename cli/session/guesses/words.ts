/** Guesses at any command, or in place of one, in lines as `heard` describes them. */
export const EVERYWHERE = String.raw`
version -v -V: type formflag --version
man docs documentation quickstart tutorial guide welcome hello getting-started: type formflag help, or formflag help <command>; docs/ holds the documentation
init setup install bootstrap onboard provision scaffold: nothing has to be set up: type formflag serve, or formflag projects create <project>
stop restart reload kill down: Ctrl-C ends a server in the foreground, systemctl stop formflag a service; formflag serve starts it again
logs log journal: the server logs to standard error; as a service: journalctl -u formflag. What was changed: formflag history
update self-update: upgrade
auth signin sign-in log-in: formflag login --server <url> signs in to a server; FORMFLAG_SERVER and FORMFLAG_TOKEN name one and its token
signout sign-out log-out: type formflag logout --server <url>
me: whoami
audit-log auditlog audit-logs: formflag audit list shows who did what; formflag history, what was changed
create new add make ls rm remove delete rename list get show describe inspect edit: the noun comes first, as in formflag flags list or formflag forms create <form>
reset wipe nuke factory-reset purge-all truncate: stop the server and move its data directory away: formflag serve begins with a new one
sdk sdks client clients: docs/sdks.md reads flags in seven languages; the server describes its API at /openapi.json
api openapi swagger graphql rest http spec request requests curl stream sse: the server describes its API at /openapi.json; docs/http.md has it by example
scale cluster replica replicas: docs/scale-out.md describes several servers on one PostgreSQL database
relay proxy edge nginx caddy traefik docker compose k8s kubernetes kubectl helm: docs/reverse-proxy.md, docs/docker.md and docs/scale-out.md describe a server behind, in and beside others
quota quotas limit limits billing pricing: docs/limits.md lists every limit; there is nothing to pay
mfa 2fa totp passkey passkeys sso oidc saml ldap scim password passwords: users sign in to the dashboard: docs/dashboard.md describes how, and their roles
encrypt decrypt vault: SECURITY.md describes what is protected from whom
bench benchmark stress load: docs/benchmark.md has figures, and how they are measured
support bug issue changelog news whatsnew credits license: README.md, CONTRIBUTING.md, CHANGELOG.md and SECURITY.md say what is new, and where to write
[list] --fields --columns: --field <name> prints one field, --json all
[list] --all --limit: it lists everything
[list] -w --watch -A --all-namespaces: it lists once, and everything that -p and -e select
[list get] -o --output --format --csv --table --yaml: --json prints JSON, --field <name> one field a line
[projects environments forms] --key --keys --show-keys: --field key prints the key alone
[doctor config check] --field: --json prints JSON, from which jq takes a field
[projects environments] --description --title: --name is for people; it has no description
[flags segments] --all-environments --all-envs --everywhere: name each environment: -e develop,staging,production
[export backup] --out --out-file --save --dest: -o <file> names the file
[doctor mail stats] --url --address: --server <url> names the server
[serve check doctor restore] *: the data directory is an option: --data $0
[status stats] --watch -w --follow: it shows one moment: watch -n 5 formflag status repeats it
[serve healthcheck doctor service] -p --port --host --bind --address --hostname: the address has the port: formflag serve --listen 127.0.0.1:9000
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

/** Guesses at commands that do not declare theirs with `heard`. */
export const LATER: Record<string, string> = {
  targets: String.raw`
[formflag] webhook webhooks hook hooks integration integrations addon addons slack discord: targets add
[formflag] plugin plugins extension extensions marketplace theme themes template templates: there are no plugins: formflag targets add <form> <url> sends submissions on, and the API does the rest
[formflag] rotate rekey: formflag targets rotate <id> replaces the secret of a target; a token is replaced by another
set update edit: a target is enabled, disabled or rotated; for another URL add a target, then delete this one
[add] --slack --discord --telegram --type: the service goes before the URL: formflag targets add <form> slack:https://hooks.slack.com/services/<path>
[add] --secret --signing-secret: the secret is made here and printed once; formflag targets rotate <id> makes another
[add] --header --headers --method: a delivery is a POST of JSON: docs/forms.md describes it
[add] --target-network: it is an option of formflag serve; a command without --server reads FORMFLAG_TARGET_NETWORK
[add] --url --webhook: the URL follows the form: formflag targets add <form> <url>
[add] *: the service and its URL are one word: formflag targets add <form> slack:https://hooks.slack.com/services/<path>
`,
  tokens: String.raw`
[formflag] apikey apikeys api-key api-keys api-token api-tokens secret secrets: tokens create
[formflag] service-account bot ci: type formflag tokens create <name> --scope flags:write -p <project>
[formflag] revoke: formflag tokens revoke <name> ends a token, formflag sessions revoke <id> signs a browser out
set update edit: a token is not changed: revoke it, then create another
rotate roll renew: create another token, then revoke this one
--show --reveal: secrets are not stored: create another token, and revoke this one
--name --slug --id: the name follows the command, as in formflag tokens create <name>
[list] --expired --active --revoked: it lists everything: --json and jq choose
[list] *: formflag tokens get $0 shows one token
[revoke] --all: name each: the list of them has the names
[create] --permission --permissions --access --grant: --scope flags:write says what it may do
[create] --readonly --read-only --ro: --scope read reads everything, --scope flags:read the flags
[create] --role --roles: a token has scopes: --scope flags:write; roles are for users
[create] --field: it prints the token alone: TOKEN=$(formflag tokens create <name>); --json prints all of it
[create] --form --forms: the scopes of forms cannot be limited to one form
[create] --ttl --expiry --expire --valid: --expires 90d says when it ends
[create] /:|^(admin|read)$/: scopes are an option: --scope $0
`,
  users: String.raw`
[formflag] signup register invite account accounts: formflag users create <name> --role <role> adds a user, formflag users link <name> signs one in
[formflag] permission permissions acl policy policies rbac scope scopes grant: formflag users set <name> --role <role> says what a user may do, formflag tokens create <name> --scope flags:read what a token may
[formflag] dashboard ui web open browse admin console: formflag users link prints a link that signs in to the dashboard; formflag status shows its address
[formflag users] link login impersonate sudo: type formflag users link <name>
password passwd reset-password: formflag users link <name> signs in once; the password is set on the dashboard
invite signup: formflag users create <name> --role <role>, then formflag users link <name>
role promote: type formflag users set <name> --role <role>
--email --mail: a user has no address: formflag users create <name> --role <role>
--password --pass: passwords are not typed here: formflag users link <name> prints a link to sign in
--scope --scopes --admin: a user has a role: --role admin
[list] --expired --active --revoked: it lists everything: --json and jq choose
[delete] --all: name each: the list of them has the names
[link] --expires --ttl --valid --expiry: a link is valid for 15 minutes, and once
[set] --name --rename: a name stays as it is: create another user, and delete this one
[create set] *: one user at a time, and the role is an option: --role editor
`,
  members: String.raw`
[formflag] team teams role roles: formflag members list -p <project> shows who may do what in a project, formflag users set <name> --role <role> everywhere
[invite] *: an invitation is a link that you send yourself: formflag members invite -p <project> --role editor prints it
`,
};

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
