import { MAX_WHY } from "../src/access/why.ts";
import * as access from "../src/access/limits.ts";
import { formatBytes } from "../src/base/bytes.ts";
import { MAX_JSON_LEVELS } from "../src/base/json.ts";
import * as pages from "../src/base/pages.ts";
import { MIN_FREE_BYTES } from "../src/base/directory.ts";
import * as delivery from "../src/delivery/limits.ts";
import { EVENT_LIMITS } from "../src/experiments/limits.ts";
import * as flags from "../src/flags/limits.ts";
import * as forms from "../src/forms/limits.ts";
import * as maintenance from "../src/maintenance/limits.ts";
import * as http from "../src/http/limits.ts";
import * as operations from "../src/operations/limits.ts";
import * as store from "../src/store/limits.ts";
import { SETTINGS, inOrder } from "../src/forms/settings/settings.ts";
import { tableOf } from "./markdown.ts";

/** The description of one limit. */
type Row = { unit?: "bytes" | "ms" | "s"; what: string; past: string; set?: string };
type Section = {
  title: string;
  text: string;
  rows: Record<string, Row>;
  /** Lines of the table above its rows. */
  lines?: () => string[][];
};

/** Limits whose rows are made from the table of settings. */
const OF_SETTINGS = { CEILING_FILE_SIZE: null, CEILING_FILES: null, MAX_TEMPLATE: null };

const LIMITS = {
  ...access,
  ...forms,
  ...delivery,
  ...flags,
  EVENT_LIMITS,
  ...maintenance,
  ...http,
  ...operations,
  ...store,
  ...pages,
  MAX_WHY,
  MAX_JSON_LEVELS,
  MIN_FREE_BYTES,
  ...OF_SETTINGS,
};

/** Every limit has a row in one of these, or `limitsPage` throws. */
const SECTIONS: Section[] = [
  {
    title: "A submission",
    text: "A submission over a limit is answered with 413 and a message that names the limit, or without `mode=rest` with a redirect to the form's error page. Nothing of it is stored. You can set the limits of files for each form. The others are fixed; an ordinary form does not reach them. Sizes are bytes of UTF-8. A value exactly at a limit is allowed.",
    rows: {
      DEFAULT_MAX_FILE_SIZE: {
        unit: "bytes",
        what: "size of a file",
        past: "413, names the file",
        set: "`forms set --max-file-size`",
      },
      DEFAULT_MAX_FILES: { what: "files", past: "413", set: "`forms set --max-files`" },
      "SUBMISSION_LIMITS.fields": {
        what: "fields; each value of a repeated field counts",
        past: "413",
      },
      "SUBMISSION_LIMITS.fieldName": { unit: "bytes", what: "size of a field name", past: "413" },
      "SUBMISSION_LIMITS.fieldValue": { unit: "bytes", what: "size of a text", past: "413, names the field" },
      "SUBMISSION_LIMITS.body": { unit: "bytes", what: "size of a JSON or urlencoded body", past: "413" },
      "SUBMISSION_LIMITS.depth": { what: 'levels of JSON: `{"a":1}` has 1', past: "413" },
      "SUBMISSION_LIMITS.multipartText": {
        unit: "bytes",
        what: "size of all text fields of a multipart body together",
        past: "413",
      },
      "SUBMISSION_LIMITS.json": {
        unit: "bytes",
        what: "size of all text fields as JSON: control characters take six bytes there, quotes and line breaks two",
        past: "413",
      },
      "SUBMISSION_LIMITS.partHeaders": { unit: "bytes", what: "size of the headers of a part", past: "413" },
      "SUBMISSION_LIMITS.multipartPadding": {
        unit: "bytes",
        what: "bytes before the first and after the last boundary of a multipart body",
        past: "400",
      },
      "SUBMISSION_LIMITS.fileName": { unit: "bytes", what: "size of a file name", past: "413" },
      "SUBMISSION_LIMITS.fileType": { what: "characters of a file's media type", past: "413" },
      "METADATA_LIMITS.userAgent": {
        what: "characters of a sender's user agent, with `--metadata`",
        past: "cut",
      },
      "METADATA_LIMITS.referrer": {
        what: "characters of the address of the page that a sender came from",
        past: "cut",
      },
      "METADATA_LIMITS.language": { what: "characters of a sender's language", past: "cut" },
      "DRAIN.bytes": {
        unit: "bytes",
        what: "bytes of a refused body that are still read, so that the sender receives the answer",
        past: "the connection is closed",
      },
      "DRAIN.ms": { unit: "ms", what: "time for which they are read", past: "the connection is closed" },
    },
  },
  {
    title: "The settings of a form",
    text: "A setting over one of these limits is refused with 400, or exit code 2 on the command line. A JSON Schema has at most 64 KB and 100 levels.",
    rows: {
      MAX_FILE_TYPE: { what: "characters of an entry of `--allow-type`", past: "400" },
      MAX_SPAM_PATTERN: { what: "characters of an entry of `--spam-word` or `--spam-email`", past: "400" },
    },
    lines: settingLines,
  },
  {
    title: "The targets of a form",
    text: "",
    rows: {
      MAX_TARGET: { what: "characters of a target, its URL included", past: "400" },
      MAX_TARGETS: { what: "targets of a form, and of a project", past: "409" },
      DEFAULT_OVERLAP: {
        unit: "s",
        what: "time for which the old secret of a webhook also signs after a rotation",
        past: "only the new secret signs",
        set: "`targets rotate --overlap`",
      },
      MAX_OVERLAP: { unit: "s", what: "the longest time that `--overlap` takes", past: "400" },
      MAX_DIGEST: { unit: "s", what: "the longest time that `--digest` takes", past: "400" },
      MAX_SINGLE_NOTICES: {
        what: "notices of one change, such as an `apply`, that a target gets separately",
        past: "they are sent as one digest",
      },
      MAX_IN_DIGEST: { what: "notices in a digest", past: "the others are counted" },
      MAX_SECRETS: { what: "secrets of a webhook that have not ended", past: "409" },
    },
  },
  {
    title: "A flag and a segment",
    text: "A change over one of these limits is refused with 400, or exit code 2 on the command line. For the total of an environment it is 413. An integer that a double cannot represent, such as `9007199254740993` or `1e400`, is refused too; write it as a text.",
    rows: {
      MAX_PAYLOAD: { unit: "bytes", what: "a payload, as JSON", past: "400" },
      MAX_PAYLOAD_DEPTH: { what: "levels of a payload or a variant", past: "400" },
      MAX_ENVIRONMENT_BYTES: {
        unit: "bytes",
        what: "payloads, rules, previews, segments and descriptions of an environment together; an environment that already has more can be read and made smaller",
        past: "413",
      },
      FLAG_BYTES: { unit: "bytes", what: "what each flag adds to that", past: "" },
      MAX_DESCRIPTION: { what: "characters of a description", past: "400" },
      "DETAIL_LIMITS.owner": { what: "characters of the owner of a flag", past: "400" },
      "DETAIL_LIMITS.tag": { what: "characters of a tag of a flag", past: "400" },
      "DETAIL_LIMITS.tags": { what: "tags of a flag", past: "400" },
      "DETAIL_LIMITS.colours": { what: "colours of a flag's variants", past: "400" },
      "PREVIEW_LIMITS.name": { what: "characters of the name of a preview", past: "400" },
      "PREVIEW_LIMITS.content": { unit: "bytes", what: "the content of a preview, as Markdown", past: "400" },
      "PREVIEW_LIMITS.html": {
        unit: "bytes",
        what: "the HTML made from it, before it is cleaned",
        past: "400",
      },
      "RAMP_LIMITS.steps": { what: "shares of a ramp", past: "400" },
      "RAMP_LIMITS.least": { unit: "s", what: "shortest time between two steps of a ramp", past: "400" },
      "RAMP_LIMITS.most": { unit: "s", what: "longest time between two steps of a ramp", past: "400" },
      "MEMBER_LIMITS.values": {
        what: "values of a segment that a form fills, approved or not",
        past: "the submission is stored without adding a member",
      },
      "MEMBER_LIMITS.characters": {
        what: "characters of such a value",
        past: "the submission is stored without adding a member",
      },
      "MEMBER_LIMITS.ofSubmission": {
        what: "values of one submission, if its field is a list",
        past: "later ones do not count",
      },
      "MEMBER_LIMITS.exported": {
        what: "values of a segment in `flags export --members`",
        past: "413",
      },
      "RULE_LIMITS.bytes": {
        unit: "bytes",
        what: "variants, rule and metadata of a flag together, or the rule of a segment, as JSON",
        past: "400",
      },
      "RULE_LIMITS.depth": { what: "levels of a rule", past: "400" },
      "RULE_LIMITS.operations": {
        what: 'operations in a rule with its segments; `{"var":"email"}` is one too',
        past: "400",
      },
      "RULE_LIMITS.nodes": { what: "values in a rule with its segments", past: "400" },
    },
  },
  {
    title: "Code references",
    text: "An upload with a name, an address or a line over its limit is refused with 400, and the message names the field.",
    rows: {
      MAX_CODE_BODY: { unit: "bytes", what: "the body of an upload", past: "413" },
      "CODE_LIMITS.references": { what: "references in an upload", past: "413" },
      "CODE_LIMITS.slug": { what: "characters of the slug of a flag", past: "400" },
      "CODE_LIMITS.branch": { what: "characters of the branch", past: "400" },
      "CODE_LIMITS.projectName": { what: "characters of the name of the code", past: "400" },
      "CODE_LIMITS.repositoryUrl": { what: "characters of the address of the repository", past: "400" },
      "CODE_LIMITS.filePath": { what: "characters of the path of a file", past: "400" },
      "CODE_LIMITS.lineContent": {
        unit: "bytes",
        what: "a line of code",
        past: "400; `flags refs scan` cuts the line",
      },
      "CODE_LIMITS.uploads": {
        what: "uploads that a project keeps, each for one branch and name",
        past: "the one sent longest ago is removed",
      },
    },
  },
  {
    title: "Feedback about a preview",
    text: "Feedback over one of these limits is not stored. `serve --feedback-rate` sets how often one address may send feedback: 60 times a minute by default.",
    rows: {
      "FEEDBACK_LIMITS.body": { unit: "bytes", what: "the request body", past: "413" },
      "FEEDBACK_LIMITS.description": { what: "characters of the description", past: "400" },
      "FEEDBACK_LIMITS.metadata": { unit: "bytes", what: "the metadata, as JSON", past: "400" },
      "FEEDBACK_LIMITS.metadataDepth": { what: "levels of the metadata", past: "400" },
      "FEEDBACK_LIMITS.repeatSeconds": {
        unit: "s",
        what: "time in which the same feedback from one address counts once",
        past: "it counts again",
      },
    },
  },
  {
    title: "An evaluation",
    text: "These limits apply to OFREP and to `flags evaluate`. A flag whose rule fails is answered with the error code `GENERAL`, so readers use their own default.",
    rows: {
      "RULE_LIMITS.context": { unit: "bytes", what: "a request body, or a context, as JSON", past: "413" },
      "RULE_LIMITS.contextDepth": { what: "levels of a context", past: "400 `INVALID_CONTEXT`" },
      "RULE_LIMITS.elements": {
        what: "elements of an array in a context, or of an array that an operation creates",
        past: "400 `INVALID_CONTEXT`; the rule fails",
      },
      "RULE_LIMITS.targetingKey": {
        unit: "bytes",
        what: "size of the `targetingKey`",
        past: "400 `INVALID_CONTEXT`",
      },
      "RULE_LIMITS.steps": {
        what: "operations of one rule; an operation on a text over 1,024 characters counts one more for every 16 characters",
        past: "the rule fails",
      },
      "RULE_LIMITS.requestSteps": {
        what: "operations of all rules in one request",
        past: "later rules fail",
      },
      "RULE_LIMITS.characters": {
        what: "characters of a text that an operation creates",
        past: "the rule fails",
      },
      "RULE_LIMITS.triedContexts": {
        what: "contexts for which one request evaluates an unsaved change, and test contexts of a project",
        past: "400, 413",
      },
    },
  },
  {
    title: "Exposures and events",
    text: "These limits apply to `POST /v1/events`. All entries of a request are counted, or none.",
    rows: {
      "EVENT_LIMITS.pageBody": { unit: "bytes", what: "a request with a browser key", past: "413" },
      "EVENT_LIMITS.serverBody": { unit: "bytes", what: "a request with a token", past: "413" },
      "EVENT_LIMITS.ofPage": { what: "exposures and events of a page in a request", past: "400" },
      "EVENT_LIMITS.ofServer": { what: "entries of a server in a request", past: "400" },
      "EVENT_LIMITS.text": { what: "characters of a variant, and of a `targetingKey`", past: "400" },
    },
  },
  {
    title: "The admin API and its commands",
    text: "",
    rows: {
      MAX_ADMIN_BODY: { unit: "bytes", what: "a request body", past: "413" },
      MAX_WHY: { what: "characters of the reason for a change, `--why` and `X-Why`", past: "400" },
      MAX_IMPORT_BODY: { unit: "bytes", what: "the body of an import or of `apply`", past: "413" },
      "BODY_LIMITS.names": {
        what: "names in one object of a body; in a document, names in one object of a flag, a segment or a form",
        past: "400",
      },
      "BODY_LIMITS.values": {
        what: "values in a body, at any depth; a text counts one more for every 256 characters; in a document, values of a flag, a segment or a form",
        past: "400",
      },
      MAX_JSON_LEVELS: { what: "levels of a request body or of a file that a command reads", past: "400" },
      MAX_LIST: {
        what: "entries in a page of any other list",
        past: "another page",
        set: "`limit`, to less",
      },
      MAX_STATS_DAYS: { what: "days of submissions in statistics", past: "400" },
      MAX_STATS_HOURS: { what: "hours of reads in statistics", past: "400" },
      MAX_STATS_DELIVERIES: {
        what: "queued or failed deliveries that statistics count",
        past: "the rest is not counted",
      },
      DEFAULT_PAGE: {
        what: "submissions or changes in a page of a list",
        past: "another page",
        set: "`limit`",
      },
      MAX_PAGE: { what: "the most that `limit` takes", past: "400" },
      MAX_SCANNED: {
        what: "submissions that are examined for a page with filters or a search",
        past: "the page is short; the next page continues",
      },
      "SEARCH_LIMITS.characters": { what: "characters of a search, or of a field and its text", past: "400" },
      "SEARCH_LIMITS.fields": { what: "fields to filter by", past: "400" },
      "SEARCH_LIMITS.words": {
        what: "different words of a submission that a search finds",
        past: "later ones are not found",
      },
      MAX_MARKED: { what: "submissions that one request marks or deletes by their ids", past: "400" },
      MAX_BULK_IDS: {
        what: "ids in the answer to a mark or a deletion by filters",
        past: "only counted",
      },
      MAX_PURGE_IDS: { what: "ids in the answer to a purge", past: "only counted" },
      MAX_MARKS_KEPT: { what: "marks in the timeline of a submission", past: "the oldest is dropped" },
      MAX_EVENTS_KEPT: {
        what: "assignments, labels, notes and replies in the timeline of a submission",
        past: "the oldest is dropped, notes and replies last",
      },
      "HANDLING_LIMITS.label": { what: "characters of a label of a submission", past: "400" },
      "HANDLING_LIMITS.labels": { what: "labels of a submission", past: "409" },
      "HANDLING_LIMITS.note": { what: "characters of a note on a submission", past: "400" },
      "HANDLING_LIMITS.answer": { what: "characters of a reply to a submission", past: "400" },
      "HANDLING_LIMITS.subject": { what: "characters of its subject", past: "400" },
      "HANDLING_LIMITS.offered": {
        what: "newest labeled submissions whose labels a page suggests",
        past: "type other labels",
      },
      MAX_PAGE_BYTES: {
        unit: "bytes",
        what: "approximate size of the submissions in a page",
        past: "another page",
      },
      "MAX_WRONG_TOKENS.count": { what: "wrong tokens from one address", past: "429 with `Retry-After`" },
      "MAX_WRONG_TOKENS.seconds": {
        unit: "s",
        what: "time in which they are counted",
        past: "the count starts over",
      },
      MAX_TOKEN_ORIGINS: { what: "origins of a browser key", past: "the token is refused" },
      MAX_UNKNOWN_TOKENS: {
        what: "unknown tokens that a server remembers, to avoid reading the database again",
        past: "the oldest is forgotten",
      },
    },
  },
  {
    title: "Signing in",
    text: "Wrong passwords are counted in memory, so a restart resets the counts. They never affect links. A network is an IPv4 address or an IPv6 /64, and the counts of one network never affect another.",
    rows: {
      "PASSWORD_LIMITS.leastCharacters": { what: "characters of a password, at least", past: "refused" },
      "PASSWORD_LIMITS.bytes": {
        unit: "bytes",
        what: "size of a password, in the normal form NFKC",
        past: "refused",
      },
      "PASSWORD_LIMITS.typedBytes": { unit: "bytes", what: "size of a password as typed", past: "refused" },
      MAX_SIGN_IN_BODY: {
        unit: "bytes",
        what: "body of a form that signs in or sets a password",
        past: "413",
      },
      MAX_KEPT_FORM: {
        unit: "bytes",
        what: "body of a form of the dashboard that is given back once the user has signed in again",
        past: "not given back",
      },
      MAX_LOGOUT_TOKEN: { unit: "bytes", what: "body of a logout by an OpenID provider", past: "400" },
      "SIGN_IN_LIMITS.failures": {
        what: "wrong passwords from a network for a name, with or without a user, before each further attempt waits; one is forgotten each minute",
        past: "429 with `Retry-After`, even for the right password",
      },
      "SIGN_IN_LIMITS.waitSeconds": { unit: "s", what: "the longest wait", past: "" },
      "SIGN_IN_LIMITS.failuresOfNetwork": {
        what: "wrong passwords from a network for any names before each further attempt waits; not for this machine",
        past: "429 with `Retry-After`, except for names that signed in from there recently",
      },
      "SIGN_IN_LIMITS.networkWaitSeconds": {
        unit: "s",
        what: "time after which one of these is forgotten",
        past: "",
      },
      SIGN_IN_REFUSAL_MS: {
        unit: "ms",
        what: "time for which the answer 429 to a sign-in is delayed",
        past: "",
      },
      "SIGN_IN_LIMITS.waiting": {
        what: "sign-ins that wait",
        past: "429 with `Retry-After`, for the network with the most",
      },
      "SIGN_IN_LIMITS.waitingOfNetwork": {
        what: "sign-ins of one network that wait",
        past: "429 with `Retry-After`",
      },
      "SIGN_IN_LIMITS.lateDays": {
        what: "days for which a network goes first after a sign-in",
        past: "networks take turns",
      },
      "SIGN_IN_LIMITS.lateKeys": {
        what: "networks, and names in them, whose sign-ins a process remembers",
        past: "the oldest is forgotten",
      },
      "FACTOR_LIMITS.codeMinutes": {
        what: "minutes for which a sign-in waits for the code of an authenticator app",
        past: "it ends",
      },
      "FACTOR_LIMITS.codes": {
        what: "wrong codes of a sign-in; ten in a row wait as passwords do, counted in the database",
        past: "it ends",
      },
      "FACTOR_LIMITS.freshMinutes": {
        what: "minutes after a sign-in in which second factors can be changed",
        past: "403",
      },
      "FACTOR_LIMITS.challengeMinutes": {
        what: "minutes for which a browser may answer the challenge of a passkey",
        past: "400",
      },
      "FACTOR_LIMITS.passkeys": { what: "passkeys of a user", past: "409" },
      "FACTOR_LIMITS.passkeyName": { what: "characters of the name of a passkey", past: "400" },
      "FACTOR_LIMITS.credentialId": { unit: "bytes", what: "id of a passkey", past: "400" },
      "FACTOR_LIMITS.publicKey": { unit: "bytes", what: "public key of a passkey", past: "400" },
      MAX_PASSKEY_BODY: { unit: "bytes", what: "request with a passkey", past: "413" },
      LINK_MINUTES: { what: "minutes for which a sign-in link works", past: "the link is unknown" },
      "SESSION_LIMITS.idleDays": { what: "days that a session lasts after its last use", past: "it ends" },
      "SESSION_LIMITS.days": { what: "days that a session lasts in all", past: "it ends" },
      "SESSION_LIMITS.perUser": { what: "sessions of a user", past: "the one used longest ago ends" },
      "SESSION_LIMITS.text": {
        what: "characters of the user agent and of the address that a session stores",
        past: "cut",
      },
      "LOGIN_LIMITS.waitSeconds": {
        unit: "s",
        what: "how long `formflag login` waits for its approval",
        past: "400 `expired_token`",
      },
      "LOGIN_LIMITS.interval": { unit: "s", what: "time between two polls of it", past: "400 `slow_down`" },
      "LOGIN_LIMITS.defaultSeconds": {
        unit: "s",
        what: "how long the login lasts by default",
        past: "it ends",
      },
      "LOGIN_LIMITS.mostSeconds": { unit: "s", what: "how long the login lasts at most", past: "400" },
      "LOGIN_LIMITS.client": { what: "characters of the client's name", past: "400" },
      "LOGIN_LIMITS.most": { what: "logins that wait at a time", past: "429 with `Retry-After`" },
      "LOGIN_LIMITS.begun": {
        what: "logins that a network begins before each further one waits; not for this machine",
        past: "429 with `Retry-After`",
      },
      "LOGIN_LIMITS.begunWaitSeconds": {
        unit: "s",
        what: "time after which one of these is forgotten",
        past: "",
      },
      "LOGIN_LIMITS.wrongCodes": {
        what: "wrong codes of a user before each further one waits; one is forgotten each minute",
        past: "429 with `Retry-After`",
      },
      "LOGIN_LIMITS.codeWaitSeconds": { unit: "s", what: "the longest wait", past: "" },
    },
  },
  {
    title: "Export and import of submissions",
    text: "The limits of a submission also apply to each row of an import.",
    rows: {
      "FEED_LIMITS.feeds": { what: "feeds of a form", past: "409" },
      "FEED_LIMITS.items": { what: "submissions in a feed", past: "400", set: "`feeds create --limit`" },
      "FEED_LIMITS.defaultItems": {
        what: "submissions in a feed without `--limit`",
        past: "older ones are left out",
      },
      "FEED_LIMITS.bytes": {
        unit: "bytes",
        what: "text of the submissions in a feed",
        past: "older ones are left out",
      },
      MAX_FEED_READERS: { what: "readers of a feed at a time", past: "429 with `Retry-After`" },
      "FEED_LIMITS.fields": { what: "fields of `feeds create --field`", past: "400" },
      "FEED_LIMITS.name": { what: "characters of the name of a feed", past: "400" },
      MAX_CSV_FIELDS: {
        what: "fields with their own column in a CSV export",
        past: "later ones share the column `otherFields`, as JSON",
      },
      "IMPORT_LIMITS.rows": { what: "submissions in one request", past: "413" },
      "IMPORT_LIMITS.batch": {
        unit: "bytes",
        what: "size of a request with more than one submission",
        past: "413",
      },
      "IMPORT_LIMITS.row": { unit: "bytes", what: "size of a row", past: "413, names the line" },
      "IMPORT_LIMITS.flags": {
        what: "characters of the variants of flags of a row",
        past: "400, names the line",
      },
      "IMPORT_LIMITS.bare": {
        unit: "bytes",
        what: "size of a row, counting only the first 64 characters of each text",
        past: "413, names the line",
      },
    },
  },
  {
    title: "The server",
    text: "An address means an IPv4 address or an IPv6 /64 network. Requests from the machine itself (loopback) are not limited, except for wrong tokens at `/mcp` and for feeds that do not exist.",
    rows: {
      DEFAULT_MAX_CONCURRENT: {
        what: "requests of one address in progress to forms, evaluations and the admin API",
        past: "429 with `Retry-After`",
        set: "`serve --max-concurrent`",
      },
      STALL_MS: {
        unit: "ms",
        what: "how long a reader of a feed or of a large evaluation may take nothing",
        past: "it gets no more",
      },
      MAX_OWN_ANSWERS: {
        unit: "bytes",
        what: "evaluations of all flags over 256 KB that are on their way, on each thread",
        past: "429 with `Retry-After`",
      },
      MAX_STREAMS: { what: "open streams of change events", past: "503 with `Retry-After`" },
      MAX_STREAMS_OF_CLIENT: {
        what: "open streams of change events of one address",
        past: "429 with `Retry-After`",
      },
      "TALLY_LIMITS.readDays": {
        what: "days for which the reads of an environment are counted",
        past: "removed",
      },
      "TALLY_LIMITS.flagReadDays": {
        what: "days for which the reads of a flag are counted",
        past: "removed",
      },
      "TALLY_LIMITS.servedDays": {
        what: "days for which the values that readers of a flag got are counted",
        past: "removed",
      },
      "TALLY_LIMITS.servedFlags": {
        what: "flags in an environment for which these are counted",
        past: "not counted",
      },
      MAX_ATTEMPTS_KEPT: { what: "attempts of a delivery that are listed", past: "the oldest is dropped" },
      MAX_RETRY_DELAYS: { what: "entries of `--retry-delays`", past: "the server does not start" },
      MAX_RETRY_DELAY: {
        unit: "s",
        what: "the longest of these delays: 30 days",
        past: "the server does not start",
      },
      MAX_QUEUED_WRITES: { what: "writes that wait for the disk", past: "503 with `Retry-After`" },
      MAX_QUEUED_BYTES: {
        unit: "bytes",
        what: "size of the writes that wait for the disk",
        past: "503 with `Retry-After`",
      },
      MAX_THREADS: { what: "serving threads", past: "the server does not start", set: "`serve --threads`" },
      WRITER_READY_MS: {
        unit: "ms",
        what: "time for which writes may be at the disk without an answer before the server is not ready",
        past: "`/readyz` answers 503",
      },
      WRITER_HEALTHY_MS: {
        unit: "ms",
        what: "the same before the server is not healthy; a purge that rewrites the database file is not counted",
        past: "`/healthz` answers 503",
      },
      MIN_FREE_BYTES: {
        unit: "bytes",
        what: "free space of the disk, at least",
        past: "`/readyz` answers 503; for a disk of uploads alone it reports `blobs` as `unavailable`",
      },
      SQLITE_STALENESS_MS: {
        unit: "ms",
        what: "age of answers from memory, while other processes make changes",
        past: "the database is read",
      },
      POSTGRES_STALENESS_MS: {
        unit: "ms",
        what: "the same with a PostgreSQL database, and how long a change waits after its commit",
        past: "the database is read",
      },
      POSTGRES_UNKNOWN_MS: {
        unit: "ms",
        what: "time for which a submission is sent to PostgreSQL again if the answer was lost",
        past: "503 with `Retry-After`, and the submission is withdrawn when the database answers, unless a repeat may have been answered with it",
      },
      POSTGRES_QUEUE_MS: {
        unit: "ms",
        what: "time for which a submission waits until it is sent to PostgreSQL",
        past: "503 with `Retry-After`",
      },
      SCHEDULE_POLL_MS: {
        unit: "ms",
        what: "time between two checks for scheduled changes of other processes",
        past: "",
      },
    },
  },
];

/** docs/limits.md. Throws if a limit has no row or a row no limit. */
export function limitsPage(): string {
  const values = new Map(Object.entries(LIMITS).flatMap(([name, value]) => leavesOf(name, value)));
  const described = new Set(SECTIONS.flatMap(({ rows }) => Object.keys(rows)));
  const missing = [...values.keys()].filter((name) => !described.has(name));
  if (missing.length > 0) throw new Error(`scripts/limits.ts has no row for ${missing.join(", ")}`);
  const sections = SECTIONS.map(({ title, text, rows, lines: more = () => [] }) => {
    const lines = Object.entries(rows).map(([name, { what, unit, past, set = "" }]) => {
      const value = values.get(name);
      if (value === undefined) throw new Error(`scripts/limits.ts has a row for ${name}, which is no limit`);
      return [what, formatted(value, unit), past, set];
    });
    const table = tableOf(["what is limited", "limit", "beyond it", "set with"], [...more(), ...lines]);
    return [`## ${title}`, ...(text === "" ? [] : [text]), table].join("\n\n");
  });
  return `# Limits

Limits without an entry under "set with" are fixed. 1 KB is 1,024 bytes, 1 MB is 1,024 KB. A level is one array or object inside another.

${sections.join("\n\n")}
`;
}

/** A line for each setting of a form that has a limit and an option. */
function settingLines(): string[][] {
  return inOrder("option").flatMap((name) => {
    const { kind, option } = SETTINGS[name];
    if (!("most" in kind)) return [];
    const flag = `\`--${option![0].split(" ")[0]}\``;
    const most = formatted(
      kind.most,
      kind.is === "bytes" ? "bytes" : kind.is === "seconds" ? "s" : undefined,
    );
    return [[WHAT[kind.is](flag), most, "400", ""]];
  });
}

const WHAT = {
  list: (option: string) => `entries of ${option}`,
  text: (option: string) => `characters of ${option}`,
  area: (option: string) => `characters of ${option}`,
  count: (option: string) => `the most that ${option} takes`,
  bytes: (option: string) => `the most that ${option} takes`,
  seconds: (option: string) => `the longest time that ${option} takes`,
};

/** The numbers in a value by their path; functions are skipped. */
function leavesOf(name: string, value: unknown): [string, number][] {
  if (typeof value === "number") return [[name, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(`${name}.${key}`, inner));
}

function formatted(value: number, unit: Row["unit"]): string {
  if (unit === "bytes") return formatBytes(value);
  if (unit === "ms" && value >= 1000) return `${value / 1000} s`;
  return `${value.toLocaleString("en")}${unit === undefined ? "" : ` ${unit}`}`;
}
