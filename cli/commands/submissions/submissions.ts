import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { type Load, loadVerbs } from "../load-verbs.ts";
import { heard } from "../../session/command-line.ts";

const VERBS: [names: string, load: Load][] = [
  ["list", async () => (await import("./list.ts")).addListCommand],
  ["get", async () => (await import("./describe.ts")).addGetCommand],
  ["timeline", async () => (await import("./timeline.ts")).addTimelineCommand],
  ["download", async () => (await import("./download.ts")).addDownloadCommand],
  ["mark", async () => (await import("./mark.ts")).addMarkCommand],
  ["assign", async () => (await import("./label.ts")).addAssignCommand],
  ["label", async () => (await import("./label.ts")).addLabelCommand],
  ["note", async () => (await import("./note.ts")).addNoteCommand],
  ["reply", async () => (await import("./note.ts")).addReplyCommand],
  ["delete", async () => (await import("./delete.ts")).addDeleteCommand],
  ["export", async () => (await import("./download.ts")).addExportCommand],
  ["import", async () => (await import("./import.ts")).addImportCommand],
  ["purge", async () => (await import("./purge.ts")).addPurgeCommand],
];

export async function addSubmissionCommands(
  submissions: Command,
  io: Io,
  args: readonly string[],
): Promise<void> {
  heard(submissions)`
[formflag] inbox leads entries messages responses spam: formflag submissions list shows the inbox, with --spam the spam folder
[formflag submissions] people person contacts gdpr erase forget: formflag submissions list --email <address> finds everything of a person, formflag submissions purge --email <address> deletes it
[formflag] purge: type formflag submissions purge --email <address>
[formflag submissions] search find grep: type formflag submissions list --search <text>
[formflag submissions] file files attachment attachments upload uploads download downloads: formflag submissions get <id> lists its files, formflag submissions download <id> saves one, formflag forms set <form> --uploads on accepts them
[formflag] tag tags: formflag flags set <flag> --tag <tag> tags a flag, formflag submissions label <id> <label> labels a submission
[formflag submissions] label labels tag: type formflag submissions label <id> <label>
[formflag submissions] comment comments note notes annotate: type formflag submissions note <id> <text>
[formflag submissions] assign: type formflag submissions assign <id> <user>
[formflag submissions] reply answer mail: type formflag submissions reply <id> <text>
[formflag] shell repl sql query psql sqlite db database databases table tables: formflag submissions export and formflag export write what is stored; formflag docs running describes the database
spam: formflag submissions list --spam shows the spam folder; formflag submissions mark <id> inbox|spam|archived|read|unread moves one
archive move unmark unspam star: formflag submissions mark <id> inbox|spam|archived|read|unread
read unread: formflag submissions mark <id> inbox|spam|archived|read|unread; formflag submissions get <id> shows one
set update edit: a submission is not edited: formflag submissions mark <id> inbox|spam|archived|read|unread
count: formflag stats counts submissions; formflag submissions delete --matching --dry-run counts a selection
tail watch follow: formflag submissions list --since 1h lists the newest; formflag targets add <form> <url> sends each one on
stats: type formflag stats --form <form>
create add test: formflag forms test <form> stores a submission to try with
[list export] --name --subject --message --equals: --where name=ann compares a field of a submission, --search finds words
[list export] --query --filter --text --grep: --search <text> finds words, --where <field=text> compares a field
[list export] --from --start --sender: --since <time> and --until <time> choose by time, --email <address> by sender
[list export] --after --date --day: --since <time> and --until <time> choose by time
[list export] --page --offset --skip --per-page --page-size: --limit <n> says how many, --before <id> begins the next page
[list export] --status --state --folder: folders are --spam, --archived and --all; --unread leaves out what was read
[list export] --sort --order --reverse: submissions are listed newest first; --json and jq sort otherwise
[list] --today --yesterday --new: --since 24h lists what came in a day, --unread what was not read
[list] --follow --watch --tail: --since 1h lists the newest; formflag targets add <form> <url> sends each one on
[list] -n --last --first --top --max --count: --limit <n> says how many; formflag stats counts
[get] --latest --last --newest --first: formflag submissions list <form> --limit 1 --field id prints the id of the newest
[export] --columns --fields --only: every field is written; --format json and jq choose
[export] -f --type --csv --jsonl --zip --xlsx --excel: --format csv, or a file named so: -o contact.csv
[export] --file: -o <file> names the file: -o contact.csv
[export delete mark] --email: formflag submissions list --email <address> finds everything of a person, formflag submissions purge --email <address> deletes it
[import] --file -f --input: the file follows the form: formflag submissions import <form> <file>
[mark] --read --archive --inbox: the mark is written last: formflag submissions mark --matching --form <form> read
[mark] --as --to --state: the mark is written last: formflag submissions mark <id> read
[delete mark] --older-than --before-date --age --days --older --before: --matching --until 90d selects what is older
[list] /@/: an address is an option: --email $0
[list export] *: one form at a time; formflag submissions list without a form shows all, --search finds words
[get] *: an id stands alone, without the form: formflag submissions get <id>; formflag submissions list <form> shows the ids
[purge] /=/: the field is an option: --where $0
[purge] /^[^@]*$/: an address is one word, such as --email ann@example.com
`;
  submissions.after(`\nExamples:
  formflag submissions list contact
  formflag submissions list contact --search invoice --unread
  formflag submissions get 01a1fc49-92a7-75da-ab11-1c9958800353
  formflag submissions export contact --format csv -o contact.csv
`);
  await loadVerbs(submissions, io, args, VERBS);
}
