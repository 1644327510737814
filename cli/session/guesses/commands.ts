const RUN_VERSION = "type formflag --version";
const SERVE = "type formflag serve";
const ADD_TARGET = "type formflag targets add <form> <target>";
const LIST = "formflag submissions list shows the inbox";
const PERSON =
  "formflag submissions list --email <address> finds everything of a person, formflag submissions purge --email <address> deletes it";
const HISTORY =
  "formflag history shows who changed what, formflag flags history <flag> -p <project> the changes of a flag";
const SIGN_IN =
  "formflag login --server <url> signs in to a server; FORMFLAG_SERVER and FORMFLAG_TOKEN name one and its token";
const USERS =
  "formflag users create <name> --role <role> adds a user, formflag users link <name> signs one in";
const STOP =
  "Ctrl-C ends a server in the foreground, systemctl stop formflag a service; formflag serve starts it again";
const FLAGS = "type formflag flags list -p <project>";
const ROLLOUT = "type formflag flags set <flag> --on --rollout 25";
const RULE = "a flag holds its rules: formflag flags set <flag> --if 'plan == pro' --then on";
const VARIANTS = `a flag holds its variants: formflag flags set <flag> --variants '{"red":"#f00","blue":"#00f"}' --default red`;
const SETTINGS =
  "formflag config show lists the settings; each is an option of formflag serve and a variable";

/** Words that are not commands at the top, with the hint to print. */
export const COMMAND_GUESSES: Record<string, string> = {
  version: RUN_VERSION,
  "start run server up": SERVE,
  "stop restart reload kill down": STOP,
  "init setup install":
    "nothing has to be set up: type formflag serve, or formflag projects create <project>",
  restore: "type formflag backup restore <file>",
  verify: "type formflag backup verify <file>",
  dump: "type formflag backup create",
  "webhook webhooks hook hooks": ADD_TARGET,
  "notify notifications notification alerts email":
    "forms set <form> --notify <address> mails each submission, formflag targets add <form> <url> sends it elsewhere",
  import: "type formflag apply -f <file>, or formflag flags import <file>",
  "auth signin sign-in log-in": SIGN_IN,
  "signout sign-out log-out": "type formflag logout --server <url>",
  "signup register invite": USERS,
  me: "type formflag whoami",
  "people person contacts gdpr erase forget": PERSON,
  "inbox leads entries messages responses spam": `${LIST}, with --spam the spam folder`,
  "search find": "formflag submissions list --search <text> finds submissions",
  "info ps about":
    "formflag status shows the server, formflag doctor checks its machine and settings, formflag stats counts",
  "health ping ready": "type formflag healthcheck",
  "logs log journal":
    "the server logs to standard error; as a service: journalctl -u formflag. What was changed: formflag history",
  "events event": HISTORY,
  "audit-log auditlog audit-logs":
    "formflag audit list shows who did what; formflag history, what was changed",
  "update self-update": "type formflag upgrade",
  "man docs documentation": "type formflag help, or formflag help <command>; docs/ holds the documentation",
  set: SETTINGS,
  "settings options configure variable variables vars": SETTINGS,
  "envs env": "type formflag environments list -p <project>",
  "undo revert rollback": "type formflag flags undo <flag> -p <project> -e <environment>",
  promote: "type formflag flags promote <flag> -p <project> --from staging --to production",
  "evaluate eval evaluation evaluations": "type formflag flags evaluate <flag> -p <project> -e <environment>",
  "toggle enable disable on off": "type formflag flags enable <flag> -p <project> -e <environment>",
  "plan validate lint": "type formflag diff -f <file>",
  "sync push deploy": "type formflag apply -f <file>",
  pull: "type formflag export -o <file>",
  purge: "type formflag submissions purge --email <address>",
  link: "type formflag users link <name>",
  systemd: "type formflag service install",
  "dashboard ui web open browse admin console":
    "formflag users link prints a link that signs in to the dashboard; formflag status shows its address",
  "feature features feature-flag feature-flags toggles strategies gates": FLAGS,
  "rollout rollouts percentage distribution distributions strategy": ROLLOUT,
  "rule rules constraint constraints targeting": RULE,
  "variant variants variations": VARIANTS,
  "namespace namespaces ns workspace workspaces": "type formflag projects list",
  "team teams role roles":
    "formflag members list -p <project> shows who may do what in a project, formflag users set <name> --role <role> everywhere",
  "account accounts": USERS,
  "key keys":
    "formflag projects get <project> shows the keys that applications send, formflag forms get <form> the key of a form",
  "apikey apikeys api-key api-keys api-token api-tokens secret secrets": "type formflag tokens create <name>",
  "integration integrations addon addons slack discord": ADD_TARGET,
  "emails mailer smtp": "type formflag mail test <address>",
  "data copy cp":
    "formflag export and formflag apply copy flags and forms, formflag backup create everything",
  "create new add make ls rm remove delete rename list get show describe inspect edit update":
    "the noun comes first, as in formflag flags list or formflag forms create <form>",
};

const PROJECT_IN_USE =
  "-p names the project of a command, or FORMFLAG_PROJECT and FORMFLAG_ENVIRONMENT those of all commands";
const NO_RENAME = "a slug cannot be changed, since addresses and programs have it";
const MARK = "formflag submissions mark <id> inbox|spam|archived|read|unread";
const SYSTEMD = "systemctl start, stop and status formflag act on the service";
const CODEGEN =
  "formflag flags manifest writes the flags for the code generator of OpenFeature: docs/sdks.md";
const COPY =
  "formflag export and formflag apply copy flags and forms; formflag flags promote copies between environments";
const COMPARE =
  "formflag flags promote --all --from staging --to production --dry-run compares two environments";

/** Verbs that a noun does not have, with the hint to print. `*` stands for every noun. */
export const VERB_GUESSES: Record<string, Record<string, string>> = {
  projects: {
    "key keys token": "type formflag projects get <project> --field key",
    "use switch select default": PROJECT_IN_USE,
    "archive rotate rotate-key rotate-keys regenerate":
      "a project and its keys stay as they are until formflag projects delete <project>",
    rename: `${NO_RENAME}; formflag projects set <project> --name <name> changes the name for people`,
  },
  environments: {
    "enable disable on off": "flags are turned on and off: formflag flags enable <flag> -e <environment>",
    "key keys token": "type formflag environments get <environment> -p <project> --field key",
    "promote diff compare":
      "type formflag flags promote --all -p <project> --from staging --to production --dry-run",
    "use switch select default": PROJECT_IN_USE,
    rename: `${NO_RENAME}; formflag environments set <environment> --name <name> changes the name for people`,
    "protect freeze": "type formflag environments lock <environment> -p <project>",
    "copy clone": "type formflag environments create <environment> -p <project> --from <environment>",
  },
  flags: {
    "rename mv move": `${NO_RENAME}: create another flag, and delete this one once no program reads it`,
    "turn-on toggle-on enable-all": "type formflag flags enable <flag>",
    unarchive: "type formflag flags restore <flag>",
    "turn-off toggle-off disable-all kill kill-switch": "type formflag flags disable <flag>",
    "rollout set-rollout percentage": ROLLOUT,
    "rule rules add-rule target targets targeting add-user strategy strategies segments": RULE,
    "variant variants add-variant variations": VARIANTS,
    "stats usage reads metrics":
      "formflag stats counts the reads of flags, formflag flags stale lists flags that look finished",
    "lock protect": "an environment is locked: formflag environments lock <environment> -p <project>",
    recover: "formflag flags history <flag> shows what a flag was, formflag flags undo <flag> goes back",
    status: "type formflag flags get <flag>",
    purge: "type formflag flags delete <flag>",
    revert: "formflag flags undo <flag> -p <project> -e <environment> takes back the newest change",
    "notify watch subscribe webhook webhooks":
      "formflag targets add <target> -p <project> sends changes of flags there; formflag flags history shows them",
    schedule:
      "formflag flags set <flag> --on --at <time> schedules a change, formflag flags scheduled lists them",
    "copy clone duplicate": COPY,
    "diff compare": COMPARE,
    "eval check test": "type formflag flags evaluate <flag>",
    "log audit blame changes": "type formflag flags history <flag>",
    "search find": "formflag flags list shows every flag, with --tag, --owner and --state those of one",
    "tag tags label": "type formflag flags set <flag> --tag <tag>",
    "types codegen generate": CODEGEN,
    "update edit":
      "type formflag flags set, which also creates a flag; flags enable and disable only change one",
  },
  segments: {
    "update edit": "type formflag segments set, which also creates a segment",
    rename: `${NO_RENAME}: set another segment, and delete this one`,
    "evaluate eval test check":
      "a flag is evaluated, with the segments of its rule: formflag flags evaluate <flag> --context JSON",
    "add-user users add-member add-members member":
      "type formflag segments set <name> --if 'targetingKey in ann, bob'",
  },
  forms: {
    "rename mv move": `${NO_RENAME}; formflag forms set <form> --name <name> changes the name for people`,
    "submissions inbox entries": "type formflag submissions list <form>",
    export: "formflag submissions export <form> writes its submissions, formflag export its settings",
    import: "formflag submissions import <form> <file> stores submissions, formflag apply -f <file> settings",
    "copy clone duplicate": COPY,
    "embed html code": "type formflag forms snippet <form>",
    "webhook notify": "formflag targets add <form> <url>, or formflag forms set <form> --notify <address>",
    "log audit": "type formflag forms history <form>",
    "key url link address endpoint": "type formflag forms get <form>: it has the key and the address",
    archive: "formflag forms disable <form> refuses submissions and keeps those stored",
    "deploy publish": "a form takes submissions as soon as it is created: formflag forms snippet <form>",
    upload: "type formflag forms set <form> --uploads on",
  },
  targets: {
    "set update edit":
      "a target is enabled, disabled or rotated; for another URL add a target, then delete this one",
  },
  submissions: {
    spam: `formflag submissions list --spam shows the spam folder; ${MARK} moves one`,
    archive: MARK,
    "read unread": `${MARK}; formflag submissions get <id> shows one`,
    "set update edit": `a submission is not edited: ${MARK}`,
    "search find grep": "type formflag submissions list --search <text>",
    count:
      "formflag stats counts submissions; formflag submissions delete --matching --dry-run counts a selection",
    "answer mail": "type formflag submissions reply <id> <text>",
    "erase forget": PERSON,
    "move unmark unspam star": MARK,
    tag: "type formflag submissions label <id> <label>",
    "comment annotate": "type formflag submissions note <id> <text>",
    "tail watch follow":
      "formflag submissions list --since 1h lists the newest; formflag targets add <form> <url> sends each one on",
    stats: "type formflag stats --form <form>",
    "files attachments":
      "formflag submissions get <id> lists its files, formflag submissions download <id> saves one",
    "create add test": "formflag forms test <form> stores a submission to try with",
  },
  deliveries: {
    "cancel stop abort": "a delivery ends by itself: formflag targets disable <id> stops those of a target",
    resend: "type formflag deliveries retry <id>",
  },
  tokens: {
    "set update edit": "a token is not changed: revoke it, then create another",
    "rotate roll renew": "create another token, then revoke this one",
  },
  users: {
    "password passwd reset reset-password":
      "formflag users link <name> signs in once; the password is set on the dashboard",
    "invite signup": "formflag users create <name> --role <role>, then formflag users link <name>",
    login: "type formflag users link <name>",
    "role promote": "type formflag users set <name> --role <role>",
  },
  backup: {
    "list ls":
      "formflag status shows the last one; a backup is a file where -o, or --backup-dir of serve, put it",
    now: "type formflag backup create",
    "schedule cron": "formflag serve --backup-dir <dir> --backup-every 1d makes backups by itself",
    import: "type formflag backup restore <file>",
  },
  config: {
    "set edit unset": SETTINGS,
    "get list": "type formflag config show",
    "get-contexts use-context current-context context": SIGN_IN,
  },
  service: {
    "start stop restart status enable disable logs": SYSTEMD,
    "remove delete": "type formflag service uninstall",
    "print show": "type formflag service install --print",
  },
  mail: { send: "type formflag mail test <address>" },
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

/** The hint of a word in a table whose keys hold several words. */
export function guessIn(table: Record<string, string> | undefined, word: string): string | null {
  return Object.entries(table ?? {}).find(([words]) => words.split(" ").includes(word))?.[1] ?? null;
}
