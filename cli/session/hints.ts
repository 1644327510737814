import { own } from "../../src/base/shapes/own.ts";
import type { Command } from "commander";
import type { AppError } from "../../src/base/errors.ts";
import { LINKS_FAIL, MAIL_WAITS } from "../../src/operations/results.ts";
import { shown } from "../output/text.ts";

/** A command, such as `environments set`, and the names given to it, to be repeated in a hint. */
type Place = { command: string; project: string; environment: string; name: string };

const WITHOUT_APPROVALS = (environment: string, project: string) =>
  `what needs approvals is not deleted: formflag environments set ${environment} -p ${project} --approvals 0 --confirm ${environment} comes first`;

/** Hints by the reason of an error: the product itself names no command. */
export const HINTS: Record<string, string | ((place: Place) => string)> = {
  "project-exists": ({ name }) =>
    `formflag projects get ${name} shows it; --if-not-exists leaves it as it is`,
  "project-not-found": "formflag projects list lists the projects",
  "environment-exists": ({ project, name }) =>
    `formflag environments get ${name} -p ${project} shows it; --if-not-exists leaves it as it is`,
  "environment-not-found": ({ project }) => `formflag environments list -p ${project} lists the environments`,
  "environment-locked": ({ environment }) =>
    `add --confirm ${environment} to change it anyway; --yes is not enough`,
  "approval-needed": ({ command, project, environment, name }) =>
    command === "environments delete"
      ? WITHOUT_APPROVALS(environment, project)
      : command === "projects delete"
        ? WITHOUT_APPROVALS(environment, name)
        : "add --propose, and let someone else approve it",
  "variant-needed":
    "keep these variants, or first change what these flags need, as in flags set FLAG --requires none; a document may change both at once",
  "flag-needed": "take it from what these flags need first, as in flags set FLAG --requires none",
  "approvals-lowered": ({ environment }) => `add --confirm ${environment} to lower what its changes need`,
  "bypass-unexplained": "add --why with the reason",
  "bypass-unneeded": ({ command, environment }) =>
    command === "environments set"
      ? `leave out --bypass, and add --confirm ${environment} to lower what its changes need`
      : "leave out --bypass",
  "approvals-missing": ({ project, name }) =>
    `someone else approves it: formflag changes approve ${name} -p ${project}; in an emergency, an admin makes the change itself with --bypass`,
  "change-not-found": ({ project }) => `formflag changes list -p ${project} lists the changes`,
  "change-outdated": "formflag changes refresh shows what it would do now, and voids its approvals",
  "form-unconfirmed": "add --yes to change it anyway; m means minutes, so write a month as 30d",
  "flag-not-found": ({ project, environment }) =>
    `formflag flags list -p ${project} -e ${environment} lists the flags`,
  "flag-opens-form": "formflag forms set <form> --open-when none, or name another flag, first",
  "flag-exists": ({ name }) => `formflag flags set ${name} changes it; --if-not-exists leaves it as it is`,
  "payload-with-variants": "change what they are with --variants, or which one is served with --default",
  "variants-missing": `give it some with --variants '{"on":true,"off":false}'`,
  "rule-with-gaps": ({ project, environment }) =>
    `formflag segments list -p ${project} -e ${environment} shows the segments, segments set <segment> --if '…' creates one, and flags get shows the variants of a flag`,
  "revision-differs": "check what it is now, then add --if-revision with the new number",
  "revision-not-found": ({ project, environment, name }) =>
    `formflag flags history ${name} -p ${project} -e ${environment} shows its revisions`,
  "ramp-not-found": ({ project }) =>
    `formflag flags ramps -p ${project} lists the ramps, flags ramp <flag> --variant on --to 1,10,50,100 --every 1d begins one`,
  "flag-held": ({ project, environment }) =>
    `formflag flags ramps -p ${project} shows ramps, flags ramp <flag> --abort ends one; experiments list -p ${project} -e ${environment} shows experiments, experiments stop <name> ends one`,
  "experiment-not-found": ({ project, environment }) =>
    `formflag experiments list -p ${project} -e ${environment} lists the experiments`,
  "experiment-exists": ({ name, project, environment }) =>
    `formflag experiments get ${name} -p ${project} -e ${environment} shows it`,
  "experiment-state": ({ name, project, environment }) =>
    `formflag experiments get ${name} -p ${project} -e ${environment} shows its state`,
  "experiment-started": "create another experiment; --hypothesis can be set at any time",
  "experiment-holds": ({ name, project, environment }) =>
    `formflag experiments stop ${name} -p ${project} -e ${environment} ends it`,
  "scheduled-not-found": ({ project }) => `formflag flags scheduled -p ${project} shows what is scheduled`,
  "segment-missing": ({ project, environment }) =>
    `promote it with --segments, or set it first: formflag segments set <segment> -p ${project} -e ${environment}`,
  "segment-not-found": ({ project, environment }) =>
    `formflag segments list -p ${project} -e ${environment} lists the segments`,
  "member-value-not-found": ({ project, environment, name }) =>
    `formflag segments members ${name} -p ${project} -e ${environment} lists its values, with --pending those to approve`,
  "target-of-another": "name another database with --to, or add --yes to remove what is there",
  "document-unconfirmed":
    "add --yes to apply it anyway, and --confirm <environment> for each environment that is locked",
  "form-exists": ({ name }) => `formflag forms get ${name} shows it; --if-not-exists leaves it as it is`,
  "form-name-taken": "a form keeps its name: move or delete the other form first",
  "form-ambiguous": "name its project with -p <project>",
  "form-without-project": "name it with -p <project>, or set FORMFLAG_PROJECT",
  "form-not-found": "formflag forms list lists the forms",
  "target-not-found": "formflag targets list <form> lists the targets",
  "target-not-public":
    "serve --target-network permits a private network; without a running server a command reads FORMFLAG_TARGET_NETWORK",
  "target-limit": "formflag targets delete <id> makes room for another",
  "target-without-secret": "for another URL add a target, then delete this one",
  "target-secrets": "wait until one ends, or end all of them at once with --overlap none",
  "purge-not-owner":
    "bytes of what was deleted may be left in the database: repeat the same command with the role that owns the tables",
  "purge-unfinished":
    "bytes of what was deleted may be left in the database file: repeat the same command, once no backup is running",
  "schema-missing": "--schema @schema.json sets one; --page off turns the page off",
  "schema-not-flat": "formflag docs forms describes the schemas that a page can be made from",
  "delivery-not-found": "formflag deliveries list lists the deliveries",
  "submission-not-found": ({ name }) =>
    /^[\da-f-]{36}$/.test(name) || name === "<name>"
      ? "formflag submissions list <form> lists the submissions"
      : "an id looks like 01a1fc49-92a7-75da-ab11-1c9958800353; formflag submissions list <form> shows those of a form, mark and delete take all of them with --matching --form <form>",
  "smtp-url-password": "name a file with --smtp-password-file, or set FORMFLAG_SMTP_PASSWORD",
  "smtp-password-missing": "name a file with --smtp-password-file, or set FORMFLAG_SMTP_PASSWORD",
  "mail-key-missing": "name a file with --mail-key-file, or set FORMFLAG_MAIL_KEY",
  "mail-key-elsewhere":
    "set FORMFLAG_MAIL_KEY here too, or let that server send: formflag mail test with --server and a token",
  "mail-url-invalid": "formflag docs running lists the mail services",
  "smtp-password-elsewhere":
    "set FORMFLAG_SMTP_PASSWORD here too, or let that server send: formflag mail test with --server and a token",
  "smtp-ca-invalid": "PEM begins with -----BEGIN CERTIFICATE-----",
  "dkim-key-invalid": "create one: openssl genrsa -out dkim.pem 2048",
  "acme-untrusted":
    "name the root certificate of an authority of your own with --acme-ca <file>, or FORMFLAG_ACME_CA",
  "acme-account": "get its id and its key from the authority, and name a file with both: --acme-eab <file>",
  "acme-directory":
    "--acme-url, or FORMFLAG_ACME_URL, is a whole address, which often ends in /directory or /dir",
  "mail-server-missing":
    "start the server with --smtp-url and --mail-from, or with --mail-url for a mail service; without a running server a command reads FORMFLAG_SMTP_URL and FORMFLAG_MAIL_FROM",
  "sender-without-address": "formflag forms set <form> --email-field <name> names the field with the address",
  "token-exists": "revoke it first, or choose another name; --if-not-exists leaves it as it is",
  "token-not-found": "formflag tokens list lists the tokens",
  "token-elsewhere":
    "name that project with -p, or use a token for this place: an admin creates it with formflag tokens create <name>",
  "token-unknown": "formflag tokens create creates one, on the machine that holds the data",
  "user-exists": ({ name }) => `formflag users get ${name} shows it; --if-not-exists leaves it as it is`,
  "no-project": "an admin adds a member: formflag members set <user> -p <project> --role viewer",
  "assignee-unseen": "formflag members list -p <project> lists the members; an admin adds others",
  "assignee-without-rights": "formflag members set <user> -p <project> --role inbox makes a user see them",
  "user-not-found": "formflag users list lists the users",
  "name-taken": "users and tokens share their names: choose another",
  "last-admin": "formflag users set <name> --role admin makes another user an admin",
  "link-unnamed": "formflag users link <name>",
  "login-ended": "log in again: formflag login",
  "not-a-login": "formflag tokens revoke <name> ends a token",
  "grant-not-found": "formflag grants list shows the assistants that are signed in",
  "session-not-found": "formflag sessions list shows the browsers that are signed in",
  "refs-of-project": "formflag tokens create ci --scope flags:refs -p <project>",
  "code-not-found": ({ project }) => `formflag flags refs list -p ${project} lists the branches`,
  "evaluate-alone": "formflag tokens create app --scope flags:evaluate -p <project> -e <environment>",
  "browser-alone": "formflag tokens create site --scope flags:browser -p <project> -e <environment>",
  "sync-alone": "formflag tokens create flagd --scope flags:sync -p <project> -e <environment>",
  "database-foreign": "give another directory with --data; the file was left as it is",
  "database-unusable":
    "check the path given with --data, its permissions, and whether its disk is mounted read-only",
  "database-url":
    "write it as postgres://user@host:5432/database, with characters such as @ and / in names and passwords as %40 and %2F",
  "database-url-setting": "formflag docs scale-out lists the settings of the URL; leave any other out",
  "database-url-certificate":
    "sslrootcert names a file of certificates in PEM, and goes with sslmode=verify-full",
  "database-password":
    "check the password in the URL, and the role with psql; a URL in --database, without a password, wins over FORMFLAG_DATABASE_URL and its file",
  "database-channel-binding":
    "channel_binding=require needs sslmode=require or more, and a role with a password by SCRAM; else leave it out",
  "database-user": "check the role with psql, and what pg_hba.conf permits it",
  "database-missing": "create it: CREATE DATABASE … OWNER …",
  "database-rights":
    "let the role own the schema: ALTER SCHEMA public OWNER TO …, or migrate it with another role, GRANT this one what formflag docs scale-out lists, and serve with --migrate off",
  "database-read-only": "name the primary: this server is a replica, or its transactions are read-only",
  "database-connections":
    "raise max_connections of the server, or connect through a pooler such as PgBouncer",
  "database-unreachable":
    "check the host and the port, and that the server accepts connections from this machine",
  "database-unavailable": "try again in a moment; formflag doctor checks the database and its connections",
  "database-pooler": "add ?prepare=false to the URL of the database: pgbouncer keeps them apart from 1.21 on",
  "database-pooled":
    "repeat the same command with a database URL that names the server itself, without the pooler and prepare=false",
  "database-tls": "add ?sslmode=disable to the URL if the network is trusted",
  "database-certificate":
    "name the certificates that sign it with sslrootcert=<file> in the URL, or check the host name",
  "database-old": "formflag needs PostgreSQL 15 or later",
  "database-encoding": "create one with ENCODING 'UTF8' TEMPLATE template0",
  "schema-older":
    "formflag serve migrates it, as does a command that changes something, or any with --migrate auto, by a role that owns the tables",
  "schema-newer": "run that newer formflag; the database was left as it is",
  "schema-foreign": "give formflag a database or a schema of its own; this one was left as it is",
  "storage-url":
    "for AWS it looks like s3://bucket/prefix?region=eu-west-1, otherwise like s3://bucket/prefix?endpoint=https://s3.example.com",
  "storage-credentials":
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and with temporary credentials AWS_SESSION_TOKEN",
  "storage-forbidden": "formflag docs scale-out lists the rights that the credentials need",
  "storage-bucket": "create the bucket, or check its name and the endpoint in the storage URL",
  "storage-region": "set the region of the bucket in the storage URL",
  "storage-unreachable":
    "check the endpoint in the storage URL; NODE_EXTRA_CA_CERTS names a file of certificates to trust",
  "storage-unavailable": "try again in a moment; formflag doctor checks the bucket",
  "storage-missing": "name a bucket with --blobs, or for one server alone a directory for files with --data",
  "storage-lacks": "use a storage that supports it: formflag doctor tries each kind of request",
  "storage-clock": "set the clock of this machine, and keep it right with a time server",
  "database-not-empty": "name a database that holds nothing yet; the one named was left as it is",
  "source-changed": "stop whatever writes to the data directory, and repeat formflag migrate --final",
  "database-moving":
    "repeat the formflag migrate --final or backup restore that fills it: it goes on where it ended",
  "copy-differs": "stop whatever writes to either of the two, and repeat the last step",
  "backup-unreadable": "formflag backup create creates one",
  "export-incomplete": "formflag check finds all such files: put them back, or delete their submissions",
  "export-too-large": "export it with --format csv, or a part of it with --since and --until",
  "files-damaged":
    "formflag check finds all such files; a backup can be made once they are put back, or their submissions deleted",
};

/** The hint for an error of a command, or null. */
export function hintFor({ message, reason, hint }: AppError, command: Command | undefined): string | null {
  const known = reason === null ? undefined : own(HINTS, reason);
  const [, scope] = /^the token "[^"]*" lacks the scope ([\w:]+)$/.exec(message) ?? [];
  if (scope !== undefined && known === undefined) {
    const [, project] = /^it holds .* in project (\S+)$/.exec(hint ?? "") ?? [];
    const limit = project === undefined ? "" : ` -p ${project}`;
    return `${hint === null ? "" : `${hint}; `}an admin creates another: formflag tokens create <name> --scope ${scope}${limit}`;
  }
  if (/^(?:environment|form|flag|project) "(?:all|\*|any|every|everything)" does not exist/.test(message))
    return "no word means all: name each, separated by commas where it takes several";
  if (message === "the admin API has no such address or method")
    return "the server is of an earlier version than this command: update it";
  const isKept = reason === "project-not-found" && command?.getOptionValueSource("project") === "config";
  if (isKept) return "formflag use keeps that project: formflag use --none forgets it";
  const [, needing, terms] = /^let (\S+) need (.*) first$/.exec(hint ?? "") ?? [];
  if (terms !== undefined)
    return `name the variant first: formflag flags set ${needing} --requires ${terms.replaceAll(" and ", " --requires ")}`;
  if (typeof known !== "function") return known ?? hint;
  const [, revision, there] = /^revision (\d+) is a change of ".*" in (\S+), not in /.exec(message) ?? [];
  const name = command?.args[0] ?? "<name>";
  const [, locked] = /^the environment (\S+) of project \S+ is locked$/.exec(message) ?? [];
  const noun = command?.parent?.name();
  const isEnvironment = noun === "environments" && command!.args.length > 0;
  const { project = "<project>", environment = isEnvironment ? name : "<environment>" } =
    command?.opts<Partial<Place>>() ?? {};
  const place = { project, environment: locked ?? environment, name };
  const shown = known({ command: `${noun} ${command?.name()}`, ...place });
  return there === undefined
    ? shown
    : `formflag flags rollback ${name} -p ${project} -e ${there} --to ${revision} goes back there; ${shown}`;
}

const WARNING_HINTS: Readonly<Record<string, string>> = {
  [MAIL_WAITS]: HINTS["mail-server-missing"] as string,
  [LINKS_FAIL]: "start the server with --public-url https://forms.example.com, or with --domain",
};

/** Shows the warnings of a result, with what to do; with `--json` they are in the result. */
export function noteWarnings(
  note: (text: string) => void,
  { warnings = [] }: { warnings?: string[] | undefined },
): void {
  for (const warning of warnings) {
    const found = own(WARNING_HINTS, warning);
    const hint = found === undefined ? "" : `hint: ${found}\n`;
    note(shown`warning: ${warning}\n` + hint);
  }
}
