/**
 * An argument too many: what the command is, what the word looks like, and the hint. `$0` stands for the word, `$P` for the
 * options of project and environment that the words are values of.
 */
type Guess = [commands: RegExp, word: RegExp, hint: string];

const ID = /^[\da-f-]{36}$/;

const OPERAND_GUESSES: Guess[] = [
  [
    /^flags (set|create)$/,
    /^(on|off|true|false|yes|no|1|0)$/i,
    "--on turns it on and --off off, without a value",
  ],
  [/^flags (disable|toggle)$/, /^(on|true|yes)$/i, "formflag flags enable turns a flag on"],
  [/^flags (enable|toggle)$/, /^(off|false|no)$/i, "formflag flags disable turns a flag off"],
  [/^flags (enable|disable)$/, /^(on|off|true|false|yes|no)$/i, "the verb says it already: leave out $0"],
  [
    /^(flags|segments) (set|create)$/,
    /^(==?|!=|<=?|>=?|is|in|not|and|or|contains|starts_with|ends_with|sem_ver|matches|in_cidr|before|after)$/,
    "a condition is put into quotes: --if 'plan == pro'",
  ],
  [
    /^flags (list|stale|scheduled|export)$/,
    /\//,
    "the project and the environment are options: -p shop -e production",
  ],
  [/^flags rollback$/, /^\d+$/, "the revision is an option: --to $0"],
  [/^flags (get|undo|rollback|history)$/, /^[\w.-]+$/, "one flag at a time; $P"],
  [/^flags (set|create)$/, /^%$/, "a share is one word: --rollout 25"],
  [/^flags (set|create)$/, /^\d+(\.\d+)?%?$/, "a share is an option: --rollout $0"],
  [/^flags (set|create)$/, /=/, "--on turns a flag on, --payload holds a value"],
  [/^flags evaluate$/, /./, `a user is part of the context: --context '{"targetingKey":"$0"}'`],
  [/^flags promote$/, /./, "the environments are options: --from staging --to production"],
  [/^flags set$/, /./, "$P; --variants takes JSON"],
  [/^flags /, /./, "$P"],
  [
    /^segments set$/,
    /./,
    "who belongs to it is a condition: --if 'targetingKey in ann, bob'; -p <project> and -e <environment> are options",
  ],
  [/^segments /, /./, "$P"],
  [/^environments list$/, /./, "$P"],
  [/^environments /, /./, "one environment at a time; $P"],
  [
    /^members invite$/,
    /./,
    "an invitation is a link that you send yourself: formflag members invite -p <project> --role editor prints it",
  ],
  [/^projects create$/, /./, "environments are an option: --environments develop,production"],
  [/^projects list$/, /./, "formflag projects get $0 shows one project"],
  [/^forms list$/, /./, "formflag forms get $0 shows one form, formflag submissions list $0 its submissions"],
  [/^forms create$/, /./, "one form at a time; a name for people is an option: --name"],
  [
    /^forms set$/,
    /^[a-zA-Z]+$/,
    "one form at a time, and settings are options with the value after them: --$0 <value>",
  ],
  [/^forms set$/, /=/, "settings are options, such as --name 'Contact us'"],
  [/^forms (enable|disable|get|history|uploads)$/, /./, "one form at a time: repeat it for $0"],
  [/^forms snippet$/, /./, "it prints HTML, which every framework takes"],
  [/^status$/, /./, "another server is an option: --server <url>"],
  [/^stats$/, /./, "the form is an option: --form $0"],
  [/^deliveries list$/, ID, "the submission is an option: --submission $0"],
  [/^deliveries list$/, /./, "the form is an option: --form $0"],
  [/^submissions list$/, /@/, "an address is an option: --email $0"],
  [
    /^submissions get$/,
    /./,
    "an id stands alone, without the form: formflag submissions get <id>; formflag submissions list <form> shows the ids",
  ],
  [/^submissions export$/, /\.(csv|jsonl?|ndjson|zip)$/, "the file is an option: -o $0"],
  [/^submissions export$/, /^(csv|jsonl?|zip)$/, "the format is an option: --format $0"],
  [/^submissions (list|export)$/, /^(spam|archived|all|unread)$/, "folders are options: --$0"],
  [
    /^submissions (list|export)$/,
    /./,
    "one form at a time; formflag submissions list without a form shows all, --search finds words",
  ],
  [/^submissions purge$/, /=/, "the field is an option: --where $0"],
  [/^submissions purge$/, /^[^@]*$/, "an address is one word, such as --email ann@example.com"],
  [/^submissions purge$/, /./, "the address is an option: --email $0"],
  [/^submissions import$/, /./, "one file at a time: formflag submissions import <form> <file>"],
  [
    /^targets add$/,
    /./,
    "the service and its URL are one word: formflag targets add <form> slack:https://hooks.slack.com/services/…",
  ],
  [/^users (create|set)$/, /^(viewer|inbox|editor|releaser|admin)$/, "the role is an option: --role $0"],
  [/^users (create|set)$/, /./, "one user at a time, and the role is an option: --role editor"],
  [/^tokens create$/, /:|^(admin|read)$/, "scopes are an option: --scope $0"],
  [/^tokens create$/, /./, "one token at a time: formflag tokens create <name>"],
  [/^users list$/, /./, "formflag users get $0 shows one user"],
  [/^tokens list$/, /./, "formflag tokens get $0 shows one token"],
  [/^sessions list$/, /./, "the user is an option: --user $0"],
  [
    /^history$/,
    /./,
    "formflag projects history <project>, forms history <form> and flags history <flag> list the changes of one",
  ],
  [/^submissions download$/, /./, "one file at a time"],
  [/^healthcheck$/, /./, "the address is an option: --url <url>"],
  [/^forms test$/, /./, "it sends a test submission of its own; POST sends yours"],
  [
    /^migrate$/,
    /^(up|down|latest)$/,
    "a server migrates its schema at its start; migrate moves everything to PostgreSQL: --to",
  ],
  [/^mail test$/, /./, "one address at a time"],
  [/^backup create$/, /\.(tar|gz|tgz|zip|zst)$/, "the archive is an option: -o $0"],
  [/^backup create$/, /./, "-o <file> names the archive, --data the data directory to back up: --data $0"],
  [/^backup restore$/, /./, "the data directory is an option: --data $0"],
  [/^export$/, /\.(ya?ml|json)$/, "the file is an option: -o $0"],
  [
    /^export$/,
    /./,
    "projects are an option: -p $0; formflag submissions export $0 writes the submissions of a form",
  ],
  [/^(apply|diff)$/, /./, "one file at a time"],
  [/^serve$/, /^(start|run|up|stop|now)$/, "formflag serve starts the server, without another word"],
  [/^serve$/, /^\d+$/, "the port is part of the address: --listen 127.0.0.1:$0"],
  [/^serve$/, /:\d+$/, "the address is an option: --listen $0"],
  [/^(serve|check|doctor)$/, /./, "the data directory is an option: --data $0"],
  [/^migrate$/, /^postgres/, "the database is an option: --to $0"],
  [/^config show$/, /./, "it shows every setting; grep finds one"],
];

/** The hint for a word that a command does not take, as {@link OPERAND_GUESSES} has it; null without one. */
export function operandGuess(path: string, word: string): string | null {
  return (
    OPERAND_GUESSES.find(([commands, pattern]) => commands.test(path) && pattern.test(word))?.[2] ?? null
  );
}
