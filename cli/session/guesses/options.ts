import { type Guess, OPERATING_GUESSES } from "./operating-options.ts";
import { SETUP_GUESSES } from "./setup-options.ts";
import { SUBMISSION_GUESSES } from "./submission-options.ts";

const ON_OFF = "--on turns a flag on, --off turns it off";
const EVALUATE = `a user is part of the context: --context '{"targetingKey":"ann"}'`;
const TARGET = "formflag targets add <form> <url> sends submissions there";
const NOTIFY = "--notify <address> sends a message for each submission";
const AFTER = "--success-url <url> is where a sender goes after a submission";
const ORIGIN = "--allow-origin <url> names the sites whose pages may post";
const STATE = "formflag forms enable <form> and formflag forms disable <form> open and close it";
const JSON_OUTPUT = "--json prints JSON, --field <name> one field a line";
const LOGS = "formflag serve --log-level debug logs more";

const LIFETIME =
  "formflag flags enable <flag> --for 2h turns it on and off again; --expires turns it off at a time";
const ONE_PLACE =
  "a flag is in every environment of its project; formflag flags disable <flag> -e <environment> turns it off in one";
const SPAM = "--challenge on asks senders for a solved challenge; docs/forms.md lists what else finds spam";
const FIELDS = "a form takes any field; --schema @schema.json says which it has to have";
const SLUG =
  "a slug cannot be changed, since addresses and programs have it; --name changes the name for people";

/** Options that people guess, for every command. */
export const OPTION_GUESSES: Guess[] = [
  ...SETUP_GUESSES,
  ...OPERATING_GUESSES,
  ...SUBMISSION_GUESSES,
  [/history$/, "--from --after", "--since <time> begins at a time"],
  [/^deliveries list/, "--failed --queued --delivered", "the status is a value: --status failed"],
  [/^deliveries retry/, "--all", "--failed retries all failed deliveries"],
  [/^flags list/, "--archived --on --off --enabled --disabled", "--state on, off or archived chooses"],
  [/^flags list/, "--label --tags", "--tag <tag> chooses"],
  [/^flags list/, "--search --filter --name --prefix", "it lists every flag; grep, or --json and jq, choose"],
  [/^targets /, "--form", "the form follows the command: formflag targets list <form>"],
  [
    /^flags (set|create)/,
    "--name --slug --rename --id",
    "a flag has a slug, which follows the command and cannot be changed, and a --description",
  ],
  [
    /^(tokens|users|flags|segments) /,
    "--name --slug --id",
    "the name follows the command, as in formflag tokens create <name>",
  ],
  [
    /^tokens create/,
    "--permission --permissions --access --grant",
    "--scope flags:write says what it may do",
  ],
  [/^tokens /, "--show --reveal", "secrets are not stored: create another token, and revoke this one"],
  [/^users /, "--email --mail", "a user has no address: formflag users create <name> --role <role>"],
  [
    /^projects create/,
    "-e --env --envs --environment",
    "--environments develop,production names its environments",
  ],
  [/^(projects|environments) /, "--description --title", "--name is for people; it has no description"],
  [/^flags (set|create)/, "--state --status --active --default-value --default-on", ON_OFF],
  [/^flags (set|create|disable)/, "--for --until --duration", LIFETIME],
  [
    /^flags toggle/,
    "--for --until --duration",
    "enable and disable take --for: formflag flags enable <flag> --for 2h",
  ],
  [
    /^flags (set|create)/,
    "--percent --percentage --share --rate --gradual --gradual-rollout --strategy --canary",
    "--rollout 10 turns it on for 10 % of the users",
  ],
  [
    /^flags (set|create)/,
    "--value --data --json-payload",
    "--payload <json> holds data for readers; " + ON_OFF,
  ],
  [
    /^flags (set|create)/,
    "--rule --rules --condition --where --constraint --constraints --match",
    "--if 'plan == pro' --then on is a rule in words, --targeting takes JSON",
  ],
  [/^flags (set|create)/, "--segment --user --users", "--if 'segment staff' --then on serves a segment"],
  [
    /^flags (set|create)/,
    "--schedule --when --in --after --date",
    "--at 2h, or --at <time>, makes the change then; --if '<condition>' --then on is for some users",
  ],
  [
    /^flags evaluate/,
    "--attr --attribute --attributes --prop --property --set --with --ctx -c",
    "the values are the context: --context 'plan=pro, country=AT'",
  ],
  [/^flags evaluate/, "--all", "one flag at a time; OFREP evaluates all: docs/http.md"],
  [/^flags evaluate/, "--user --key --user-id --targeting-key --targetingKey --as --id", EVALUATE],
  [/^flags delete/, "-e --environment", ONE_PLACE],
  [
    /^flags promote/,
    "-e --environment",
    "it copies from one environment to another: --from staging --to production",
  ],
  [
    /^flags (set|create)/,
    "--note --comment --reason --message -m",
    "--why <text> is for the history, --description <text> for the flag",
  ],
  [/^flags (set|create)/, "--tags --label --labels", "--tag <tag> is a tag of the flag; repeatable"],
  [/^flags (set|create)/, "--team --assignee --maintainer", "--owner <name> is whom to ask about the flag"],
  [
    /^flags (set|create)/,
    "--type --kind --boolean --string",
    "a flag is on or off, and may have --variants with values of any type",
  ],
  [/^flags /, "--flag --key --flag-key", "the flag follows the command: formflag flags get <flag>"],
  [/^flags (enable|disable)/, "--all", "flags are named: formflag flags enable <flag> <flag>"],
  [
    /^environments /,
    "-e --environment",
    "the environment follows the command: formflag environments get <name>",
  ],
  [
    /^segments set/,
    "--user --users --member --members",
    "a segment is a condition: --if 'targetingKey in ann, bob'",
  ],
  [/^segments set/, "--targeting --condition", "--rule takes the rule as JSON, --if in words"],
  [/^forms (set|create)/, "--webhook --webhook-url --slack --discord --telegram --hook --target", TARGET],
  [/^forms (set|create)/, "--email --mail --to --cc --bcc --recipient --recipients --send-to", NOTIFY],
  [
    /^forms (set|create)/,
    "--redirect --success --thanks --redirect-url --next --return-url --thank-you-url --thanks-url",
    AFTER,
  ],
  [/^forms (set|create)/, "--cors --origin --origins --allowed-origins --domain --domains", ORIGIN],
  [/^forms (set|create)/, "--files --upload --attachments", "--uploads on accepts files"],
  [/^forms (set|create)/, "--captcha --recaptcha --hcaptcha --turnstile", SPAM],
  [/^forms (set|create)/, "--fields --required", FIELDS],
  [
    /^forms (set|create)/,
    "--autoresponse --autoresponder --auto-reply --auto-response",
    "--autoreply on answers the sender by mail",
  ],
  [
    /^forms (set|create)/,
    "--gotcha --_gotcha",
    "--honeypot <name> names a field; _gotcha is one of every form",
  ],
  [
    /^forms (set|create)/,
    "--enabled --disabled --closed --open --on --off --enable --disable --state --status",
    STATE,
  ],
  [
    /^forms (set|create)/,
    "--message --success-text",
    "--success-message <text> is on the page after a submission",
  ],
  [
    /^forms (set|create)/,
    "--limit --max",
    "--max-submissions, --max-files, --max-file-size and --rate-limit are its limits",
  ],
  [/^forms (set|create)/, "--max-size --file-size", "--max-file-size 10MB is the largest size of a file"],
  [/^forms (set|create)/, "--title --label", "--name <name> is the name for people"],
  [
    /^forms (set|create)/,
    "--reply-to --replyto",
    "answers go to the sender: --email-field <name> names the field with the address",
  ],
  [/^forms get/, "--web --open", "formflag users link prints a link to the dashboard"],
  [/^forms snippet/, "--html", "it prints HTML: leave out --html"],
  [/^forms set/, "--slug --rename --key", SLUG],
  [
    /^forms create/,
    "--template --from --copy",
    "formflag export writes forms as a file, formflag apply makes them of it",
  ],
  [/^(projects|environments) set/, "--slug --rename --key", SLUG],
  [
    /^environments (set|create)/,
    "--lock --locked --unlock",
    "formflag environments lock <environment> -p <project> locks it",
  ],
  [
    /^targets add/,
    "--target-network",
    "it is an option of formflag serve; a command without --server reads FORMFLAG_TARGET_NETWORK",
  ],
  [/^targets add/, "--url --webhook", "the URL follows the form: formflag targets add <form> <url>"],
  [/ list$/, "--fields --columns", "--field <name> prints one field, --json all"],
  [/ list$/, "-w --watch -A --all-namespaces", "it lists once, and everything that -p and -e select"],
  [/ (list|get)$/, "-o --output --format --csv --table --yaml", JSON_OUTPUT],
  [/ list$/, "--all --limit", "it lists everything"],
  [/^tokens create/, "--role --roles", "a token has scopes: --scope flags:write; roles are for users"],
  [
    /^tokens create/,
    "--field",
    "it prints the token alone: TOKEN=$(formflag tokens create <name>); --json prints all of it",
  ],
  [/^tokens create/, "--form --forms", "the scopes of forms cannot be limited to one form"],
  [/^tokens create/, "--ttl --expiry --expire --valid", "--expires 90d says when it ends"],
  [
    /^users/,
    "--password --pass",
    "passwords are not typed here: formflag users link <name> prints a link to sign in",
  ],
  [/^users/, "--scope --scopes --admin", "a user has a role: --role admin"],
  [/^(?!serve)/, "--verbose --debug", LOGS],
  [
    /./,
    "--target-network --smtp-url --mail-from --public-url --listen",
    "it is an option of formflag serve; formflag config show lists the variable of each",
  ],
  [/^flags|^$/, "--enabled --enable --disabled --disable", ON_OFF],
  [/^/, "-v -V", "type formflag --version"],
  [/^/, "--env --environments -E", "the environment is named with -e or --environment"],
  [/^/, "-P --proj --projects", "the project is named with -p or --project"],
  [
    /^/,
    "--token --api-key --password --secret",
    "a token on a command line can be seen by other users of the machine: put it into FORMFLAG_TOKEN, or into a file named with --token-file",
  ],
  [/^/, "-f --force", "--yes answers every question, and --confirm opens the lock of an environment"],
  [/^/, "--host --url --remote", "--server https://flags.example.com acts on a server"],
  [/^/, "-json -j --JSON", "type --json"],
  [
    /^/,
    "--dry-run",
    "only apply, migrate, flags import, flags promote and submissions know a trial; formflag diff shows what a file would change",
  ],
];
