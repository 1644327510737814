import type { Guess } from "./operating-options.ts";

const ONE_KEY = "--field key prints the key alone";
const SPAM =
  "--challenge on, --honeypot <field> and --spam-word <word> find spam; --spam reject refuses it in place of storing it";
const LIMIT = "--limit <n> says how many";

/** Guesses for the commands that set up projects, flags and forms. */
export const SETUP_GUESSES: Guess[] = [
  [
    /^environments set/,
    "--production --protected --read-only",
    "--color red marks it; formflag environments lock <environment> -p <project> guards it",
  ],
  [/^flags (set|create)/, "--unless --if-not", "--if 'not (plan == free)' --then on turns a condition round"],
  [
    /^flags (set|create)/,
    "--user --users --for-user --user-id --targeting-key",
    "--if 'targetingKey in ann, bob' --then on is for single users",
  ],
  [
    /^(flags|segments) /,
    "--all-environments --all-envs --everywhere",
    "name each environment: -e develop,staging,production",
  ],
  [/^flags (set|create)/, "--payload-file --file -f", "--payload @FILE reads a file"],
  [
    /^flags get/,
    "--payload --value --state --enabled",
    "--field payload prints the payload, --field enabled the state",
  ],
  [/^flags list/, "--unused", "type formflag flags stale -p <project>"],
  [/^flags list/, "--payload --values", "--json prints every field"],
  [
    /^flags rollback/,
    "--revision --version --rev --steps --before --from",
    "--to <revision> names the change to go back to, --to before undoes the newest",
  ],
  [
    /^flags undo/,
    "--to --revision --steps",
    "formflag flags rollback <flag> --to <revision> goes further back",
  ],
  [/^flags undo/, "--dry-run", "without --yes it shows what changes, and asks"],
  [
    /^flags (delete|undo)/,
    "--all",
    "flags are named: formflag flags delete <flag> <flag>; a project is deleted with its flags",
  ],
  [
    /^flags (enable|disable)/,
    "--until --expires --at",
    "--for 2h turns it back after that time; formflag flags set <flag> --on --at <time> schedules a change",
  ],
  [/history$/, "--user --by --author", "--who <name> names a user, a token or an operator"],
  [/history$/, "-n --last --max --count", LIMIT],
  [
    /^environments create/,
    "--copy --clone --like --based-on --copy-from",
    "--from <environment> copies the values of its flags",
  ],
  [/^(projects|environments|forms) (get|list)/, "--key --keys --show-keys --secret", ONE_KEY],
  [/^forms get/, "--url --address --link", "--field url prints the address alone"],
  [/^forms (set|create)/, "--spam-filter --antispam --anti-spam --block-spam", SPAM],
  [
    /^forms (set|create)/,
    "--public --private",
    "a form takes submissions from any site; --allow-origin limits that, formflag forms disable closes it",
  ],
  [/^forms snippet/, "--js --react --vue --ajax --jsx", "it prints HTML, which every framework takes"],
  [
    /^forms snippet/,
    "-o --output --out --file",
    "it prints to standard output: formflag forms snippet <form> > form.html",
  ],
  [
    /^forms delete/,
    "--keep-submissions --keep-data --only",
    "its submissions go with it: formflag forms disable <form> keeps both, formflag submissions export writes them",
  ],
  [
    /^targets add/,
    "--slack --discord --telegram --type",
    "the service goes before the URL: formflag targets add <form> slack:https://hooks.slack.com/services/…",
  ],
  [
    /^targets add/,
    "--secret --signing-secret",
    "the secret is made here and printed once; formflag targets rotate <id> makes another",
  ],
  [/^targets add/, "--header --headers --method", "a delivery is a POST of JSON: docs/forms.md describes it"],
  [/^deliveries list/, "--pending --waiting --sent --retrying", "the status is a value: --status queued"],
  [
    /^tokens create/,
    "--readonly --read-only --ro",
    "--scope read reads everything, --scope flags:read the flags",
  ],
  [/^(tokens revoke|users delete)/, "--all", "name each: the list of them has the names"],
  [
    /^(tokens|users|sessions) list/,
    "--expired --active --revoked",
    "it lists everything: --json and jq choose",
  ],
  [
    /^users (link|get|delete)/,
    "--user --name -u",
    "the name follows the command: formflag users link <name>",
  ],
  [/^users set/, "--name --rename", "a name stays as it is: create another user, and delete this one"],
  [/^export/, "--all", "without -p it writes everything"],
];
