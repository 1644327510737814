import type { Guess } from "./operating-options.ts";

const PERSON =
  "formflag submissions list --email <address> finds everything of a person, formflag submissions purge --email <address> deletes it";

/** Guesses for the commands that read and change submissions. */
export const SUBMISSION_GUESSES: Guess[] = [
  [
    /^submissions (list|export)/,
    "--name --subject --message --equals",
    "--where name=ann compares a field of a submission, --search finds words",
  ],
  [
    /^submissions get/,
    "--latest --last --newest --first",
    "formflag submissions list <form> --limit 1 --field id prints the id of the newest",
  ],
  [/^submissions export/, "--columns --fields --only", "every field is written; --format json and jq choose"],
  [
    /^submissions (delete|mark)/,
    "--older-than --before-date --age --days --older --before",
    "--matching --until 90d selects what is older",
  ],
  [
    /^submissions mark/,
    "--read --unread --spam --archive --archived --inbox",
    "the mark is written last: formflag submissions mark --matching --form <form> read",
  ],
  [
    /^(submissions|deliveries) list/,
    "-n --last --first --top --max --count",
    "--limit <n> says how many; formflag stats counts",
  ],
  [
    /^submissions list/,
    "--today --yesterday --new",
    "--since 24h lists what came in a day, --unread what was not read",
  ],
  [/^submissions export/, "-f --type", "--format csv, or a file named so: -o contact.csv"],
  [
    /^submissions import/,
    "--file -f --input",
    "the file follows the form: formflag submissions import <form> <file>",
  ],
  [
    /^submissions (list|get|download)/,
    "--form --form-id",
    "the form follows the command: formflag submissions list <form>",
  ],
  [
    /^submissions export/,
    "--form --form-id",
    "the form follows the command: formflag submissions export <form>",
  ],
  [
    /^submissions import/,
    "--form --form-id",
    "the form follows the command: formflag submissions import <form> <file>",
  ],
  [/^submissions export/, "--file", "-o <file> names the file: -o contact.csv"],
  [/^submissions mark/, "--as --to --state", "the mark is written last: formflag submissions mark <id> read"],
  [
    /^submissions list/,
    "--follow --watch --tail",
    "--since 1h lists the newest; formflag targets add <form> <url> sends each one on",
  ],
  [/^submissions (list|export)/, "--after --date --day", "--since <time> and --until <time> choose by time"],
  [/^submissions (export|delete|mark)/, "--email", PERSON],
  [
    /^submissions (list|export)/,
    "--page --offset --skip --per-page --page-size",
    "--limit <n> says how many, --before <id> begins the next page",
  ],
  [
    /^submissions (list|export)/,
    "--status --state --folder",
    "folders are --spam, --archived and --all; --unread leaves out what was read",
  ],
  [
    /^submissions (list|export)/,
    "-q --query --filter --text --grep",
    "--search <text> finds words, --where <field=text> compares a field",
  ],
  [
    /^submissions (list|export)/,
    "--from --start --sender",
    "--since <time> and --until <time> choose by time, --email <address> by sender",
  ],
  [
    /^submissions (list|export)/,
    "--sort --order --reverse",
    "submissions are listed newest first; --json and jq sort otherwise",
  ],
  [/^submissions export/, "--csv --jsonl --zip", "--format csv, or a file named so: -o contact.csv"],
];
