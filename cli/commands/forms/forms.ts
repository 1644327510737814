import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { type Load, loadVerbs } from "../load-verbs.ts";
import { heard } from "../../session/command-line.ts";

const VERBS: [names: string, load: Load][] = [
  ["create", async () => (await import("./create.ts")).addCreateCommand],
  ["set uploads enable disable", async () => (await import("./set.ts")).addSetCommands],
  ["list", async () => (await import("./read.ts")).addListCommand],
  ["get", async () => (await import("./read.ts")).addGetCommand],
  ["copy", async () => (await import("./create.ts")).addCopyCommand],
  ["move", async () => (await import("./read.ts")).addMoveCommand],
  ["snippet", async () => (await import("./snippet.ts")).addSnippetCommand],
  ["test", async () => (await import("./read.ts")).addTestCommand],
  ["stats", async () => (await import("./stats.ts")).addFormStatsCommand],
  [
    "history",
    async () => {
      const { addHistoryCommand } = await import("../change-history.ts");
      return (forms, io) => addHistoryCommand(forms, io, "form");
    },
  ],
  ["delete", async () => (await import("./read.ts")).addDeleteCommand],
];

export async function addFormCommands(forms: Command, io: Io, args: readonly string[]): Promise<void> {
  heard(forms)`
[formflag] notify notifications notification alerts email subscribe unsubscribe newsletter campaign: forms set <form> --notify <address> mails each submission, formflag targets add <form> <url> sends it elsewhere
[formflag] schema schemas validation field fields: formflag forms set <form> --schema @schema.json checks fields; formflag apply --schema prints the schema of a file
[formflag] captcha recaptcha hcaptcha turnstile block blocklist ban allow allowlist whitelist: formflag forms set <form> --challenge on, --block-sender <address> and --spam-word <word> keep spam away
[formflag] cors origin origins: formflag forms set <form> --allow-origin <url> names the sites whose pages may post
[formflag] redirect thanks: formflag forms set <form> --success-url <url> is where a sender goes after a submission
[formflag] submit post test try send: formflag forms test <form> stores a submission; a page posts to the address that formflag forms get <form> shows
[formflag] maintenance pause resume: formflag forms disable <form> refuses submissions, formflag flags disable <flag> turns a flag off
[formflag] cache clean cleanup prune gc vacuum optimize reindex index: nothing has to be cleaned up: formflag forms set <form> --retention 90d deletes old submissions
[formflag forms] snippet embed widget iframe react vue html js code: forms snippet
rename mv: a slug cannot be changed, since addresses and programs have it; formflag forms set <form> --name <name> changes the name for people
submissions inbox entries: submissions list
export: formflag submissions export <form> writes its submissions, formflag export its settings
import: formflag submissions import <form> <file> stores submissions, formflag apply -f <file> settings
clone duplicate: forms copy
webhook notify: formflag targets add <form> <url>, or formflag forms set <form> --notify <address>
log audit: forms history
key url link address endpoint: type formflag forms get <form>: it has the key and the address
archive: formflag forms disable <form> refuses submissions and keeps those stored
deploy publish: a form takes submissions as soon as it is created: formflag forms snippet <form>
upload: type formflag forms set <form> --uploads on
[get] --url --address --link: --field url prints the address alone
[get] --web --open: formflag users link prints a link to the dashboard
[create] --template --from --copy: formflag forms copy <form> <new> has its settings and fields
[delete] --keep-submissions --keep-data --only: its submissions go with it: formflag forms disable <form> keeps both, formflag submissions export writes them
[snippet] --html: it prints HTML: leave out --html
[snippet] --js --react --vue --ajax --jsx *: it prints HTML, which every framework takes
[snippet] -o --output --out --file: it prints to standard output: formflag forms snippet <form> > form.html
[set create] --webhook --webhook-url --slack --discord --telegram --hook --target: formflag targets add <form> <url> sends submissions there
[set create] --email --mail --to --cc --bcc --recipient --recipients --send-to: --notify <address> sends a message for each submission
[set create] --redirect --success --thanks --redirect-url --next --return-url --thank-you-url --thanks-url: --success-url <url> is where a sender goes after a submission
[set create] --cors --origin --origins --allowed-origins --domain --domains: --allow-origin <url> names the sites whose pages may post
[set create] --public --private: a form takes submissions from any site; --allow-origin limits that, formflag forms disable closes it
[set create] --files --upload --attachments: --uploads on accepts files
[set create] --captcha --recaptcha --hcaptcha --turnstile: --challenge on asks senders for a solved challenge; formflag docs forms lists what else finds spam
[set create] --spam-filter --antispam --anti-spam --block-spam: --challenge on, --honeypot <field> and --spam-word <word> find spam; --spam reject refuses it in place of storing it
[set create] --gotcha --_gotcha: --honeypot <name> names a field; _gotcha is one of every form
[set create] --fields --required: a form takes any field; --schema @schema.json says which it has to have
[set create] --autoresponse --autoresponder --auto-reply --auto-response: --autoreply on answers the sender by mail
[set create] --reply-to --replyto: answers go to the sender: --email-field <name> names the field with the address
[set create] --enabled --disabled --closed --open --on --off --enable --disable --state --status: formflag forms enable <form> and formflag forms disable <form> open and close it
[set create] --message --success-text: --success-message
[set create] --limit --max: --max-submissions, --max-files, --max-file-size and --rate-limit are its limits
[set create] --max-size --file-size: --max-file-size 10MB is the largest size of a file
[set create] --title --label: --name <name> is the name for people
[set] /^[a-z]+$/i: one form at a time, and settings are options with the value after them: --$0 <value>
[set] /=/: settings are options, such as --name 'Contact us'
[enable disable get history uploads] *: one form at a time: repeat it for $0
[create] *: one form at a time; a name for people is an option: --name
[list] *: formflag forms get $0 shows one form, formflag submissions list $0 its submissions
[test] *: it sends a test submission of its own; POST sends yours
[set] --slug --rename --key: a slug cannot be changed, since addresses and programs have it; --name changes the name for people
`;
  forms.after(`\nExamples:
  formflag forms create contact
  formflag forms uploads contact on
  formflag forms set contact --success-url https://example.com/thanks
`);
  await loadVerbs(forms, io, args, VERBS);
}
