import { formatBytes } from "../src/base/bytes.ts";
import { durationInWords } from "../src/base/units.ts";
import { SETTINGS, inOrder } from "../src/forms/settings/settings.ts";
import { tableOf } from "./markdown.ts";

/** Writes docs/reference/limits.md from the doc comments of the limits: their first sentence, "Beyond: …" and "Set with `…`". */

/** `beyond` is what happens beyond a limit whose comment does not say it; `of` names limits, or objects of limits. */
type Section = { title: string; text?: string; beyond?: string; of: string; settings?: true };

const SECTIONS: Section[] = [
  {
    title: "A submission",
    text: "A submission over a limit is answered with 413 and a message that names the limit, or without `mode=rest` with a redirect to the form's error page. Nothing of it is stored. You can set the limits of files for each form. The others are fixed; an ordinary form does not reach them. Sizes are bytes of UTF-8. A value exactly at a limit is allowed.",
    beyond: "413",
    of: "DEFAULT_MAX_FILE_SIZE DEFAULT_MAX_FILES SUBMISSION_LIMITS METADATA_LIMITS DRAIN",
  },
  {
    title: "The settings of a form",
    text: "A setting over one of these limits is refused with 400, or exit code 2 on the command line. A JSON Schema has at most 64 KB and 100 levels.",
    of: "MAX_FILE_TYPE MAX_SPAM_PATTERN",
    settings: true,
  },
  { title: "External checks of a form", of: "EXTERNAL_CHECKS" },
  { title: "What a form learns", of: "LEARNING" },
  {
    title: "The targets of a form",
    of: "MAX_TARGET MAX_TARGETS MAX_HEADERS MAX_HEADER MAX_TARGET_BODY DEFAULT_OVERLAP MAX_OVERLAP MAX_DIGEST MAX_SINGLE_NOTICES MAX_IN_DIGEST MAX_SECRETS CONFIRMATION_LIMITS AUTOREPLY_LIMITS",
  },
  {
    title: "A flag and a segment",
    text: "A change over one of these limits is refused with 400, or exit code 2 on the command line. For the total of an environment it is 413. An integer that a double cannot represent, such as `9007199254740993` or `1e400`, is refused too; write it as a text.",
    of: "MAX_PAYLOAD MAX_PAYLOAD_DEPTH MAX_ENVIRONMENT_BYTES FLAG_BYTES MAX_DESCRIPTION DETAIL_LIMITS REQUIREMENT_LIMITS PREVIEW_LIMITS RAMP_LIMITS MEMBER_LIMITS RULE_LIMITS.bytes RULE_LIMITS.depth RULE_LIMITS.operations RULE_LIMITS.nodes",
  },
  {
    title: "Code references",
    text: "An upload with a name, an address or a line over its limit is refused with 400, and the message names the field.",
    of: "MAX_CODE_BODY CODE_LIMITS",
  },
  {
    title: "Feedback about a preview",
    text: "Feedback over one of these limits is not stored. `serve --feedback-rate` sets how often one address may send feedback: 60 times a minute by default.",
    of: "FEEDBACK_LIMITS",
  },
  {
    title: "An evaluation",
    text: "These limits apply to OFREP and to `flags evaluate`. A flag whose rule fails is answered with the error code `GENERAL`, so readers use their own default.",
    of: "RULE_LIMITS",
  },
  { title: "Experiments", of: "EXPERIMENT_LIMITS" },
  {
    title: "Exposures and events",
    text: "These limits apply to `POST /v1/events`. All entries of a request are counted, or none.",
    of: "EVENT_LIMITS",
  },
  {
    title: "The admin API and its commands",
    of: "MAX_ADMIN_BODY MAX_WHY MAX_IMPORT_BODY BODY_LIMITS MAX_JSON_LEVELS DEFAULT_PAGE MAX_PAGE MAX_LIST MAX_PAGE_BYTES MAX_STATS_DAYS MAX_STATS_HOURS MAX_STATS_DELIVERIES DEFAULT_NUMBERS_DAYS MAX_NUMBERS_DAYS DEFAULT_FORM_DAYS FORM_STATS MAX_SCANNED SEARCH_LIMITS MAX_MARKED MAX_BULK_IDS MAX_PURGE_IDS MAX_MARKS_KEPT MAX_EVENTS_KEPT HANDLING_LIMITS MAX_WRONG_TOKENS MAX_TOKEN_ORIGINS MAX_UNKNOWN_TOKENS MAX_MESSAGE MAX_RESOURCE",
  },
  {
    title: "Signing in",
    text: "Wrong passwords are counted in memory, so a restart resets the counts. They never affect links. A network is an IPv4 address or an IPv6 /64, and the counts of one network never affect another.",
    beyond: "",
    of: "PASSWORD_LIMITS MAX_SIGN_IN_BODY MAX_KEPT_FORM MAX_LOGOUT_TOKEN SIGN_IN_LIMITS SIGN_IN_REFUSAL_MS FACTOR_LIMITS MAX_PASSKEY_BODY LINK_MINUTES SESSION_LIMITS LOGIN_LIMITS",
  },
  {
    title: "Signing in assistants",
    of: "GRANT_LIMITS MAX_OAUTH_REQUESTS MAX_OAUTH_BODY MAX_CLIENT_DOCUMENTS MAX_CLIENT_FETCHES",
  },
  {
    title: "Export and import of submissions",
    text: "The limits of a submission also apply to each row of an import.",
    of: "FEED_LIMITS MAX_FEED_READERS MAX_CSV_FIELDS IMPORT_LIMITS",
  },
  {
    title: "The server",
    text: "An address means an IPv4 address or an IPv6 /64 network. Requests from the machine itself (loopback) are not limited, except for wrong tokens at `/mcp` and for feeds that do not exist.",
    beyond: "",
    of: "DEFAULT_MAX_CONCURRENT STALL_MS MAX_OWN_ANSWERS MAX_STREAMS MAX_STREAMS_OF_CLIENT MAX_FOLLOWERS TALLY_LIMITS MAX_ATTEMPTS_KEPT MAX_RETRY_DELAYS MAX_RETRY_DELAY MAX_QUEUED_WRITES MAX_QUEUED_BYTES MAX_THREADS WRITER_READY_MS WRITER_HEALTHY_MS MIN_FREE_BYTES SQLITE_STALENESS_MS POSTGRES_STALENESS_MS POSTGRES_UNKNOWN_MS POSTGRES_QUEUE_MS SCHEDULE_POLL_MS",
  },
];

/** Limits that only the code is concerned with, or that the table of settings has. */
const HIDDEN =
  "CEILING_FILE_SIZE CEILING_FILES MAX_CHECKS MAX_TEMPLATE FLUSH_MS WATCH_MS CLEAR_MS VISITORS_A_STEP GUARD_MS".split(
    " ",
  );

/** docs/reference/limits.md. Throws if a limit is in no section, or has no comment. */
export async function limitsPage(): Promise<string> {
  const limits = await readLimits();
  const takeFor = ({ of }: Section) =>
    of.split(" ").flatMap((wanted) => {
      const names = [...limits.keys()].filter((name) => name === wanted || name.startsWith(`${wanted}.`));
      if (names.length === 0) throw new Error(`scripts/limits.ts names ${wanted}, which is no limit`);
      return names.map((name) => {
        const limit = limits.get(name)!;
        limits.delete(name);
        return limit;
      });
    });
  const sections = SECTIONS.map((section) => {
    const { title, text, beyond = "400", settings } = section;
    const rows = takeFor(section).map((limit) => rowOf(limit, beyond));
    const table = tableOf(
      ["what is limited", "limit", "beyond it", "set with"],
      settings ? [...settingRows(), ...rows] : rows,
    );
    return [`## ${title}`, ...(text === undefined ? [] : [text]), table].join("\n\n");
  });
  const left = [...limits.keys()].filter((name) => !HIDDEN.includes(name));
  if (left.length > 0) throw new Error(`scripts/limits.ts has no section for ${left.join(", ")}`);
  return `# Limits

For operators and developers who look up a limit. Those without an entry under "set with" are fixed. 1 KB is 1,024 bytes, 1 MB is 1,024 KB. A level is one array or object inside another.

${sections.join("\n\n")}
`;
}

type Limit = { value: number; comment: string };

const FILES = ["src/base/pages.ts", "src/base/json.ts", "src/base/directory.ts", "src/access/why.ts"];

/** Every limit by its name; a member of an object is `OBJECT.member`. */
async function readLimits(): Promise<Map<string, Limit>> {
  const limits = new Map<string, Limit>();
  for (const path of [...new Bun.Glob("src/*/limits.ts").scanSync(), ...FILES]) {
    const comments = commentsIn(await Bun.file(path).text());
    const module = (await import(`../${path}`)) as Record<string, unknown>;
    for (const [name, value] of Object.entries(module).flatMap(([name, value]) => leavesOf(name, value)))
      limits.set(name, { value, comment: comments.get(name) ?? "" });
  }
  return limits;
}

/** The doc comment right above each constant and each member of one. */
function commentsIn(source: string): Map<string, string> {
  const declared = source.matchAll(
    /\/\*\*((?:(?!\*\/)[^])*)\*\/\n(?:export const (\w+)| {2}(\w+):)|^export const (\w+)/gm,
  );
  let object = "";
  const comments = new Map<string, string>();
  for (const [, comment = "", constant, member, bare] of declared) {
    object = constant ?? bare ?? object;
    const name = member === undefined ? object : `${object}.${member}`;
    comments.set(name, comment.replaceAll(/\s+\*?\s*/g, " ").trim());
  }
  return comments;
}

/** The numbers in a value by their path; functions are skipped. */
function leavesOf(name: string, value: unknown): [string, number][] {
  if (typeof value === "number") return [[name, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(`${name}.${key}`, inner));
}

function rowOf({ value, comment }: Limit, beyond: string): string[] {
  const what = /^.*?(?=\.(?: |$))/.exec(comment)?.[0];
  if (what === undefined) throw new Error(`the limit ${value} has no comment`);
  const past = /\bBeyond: (.*?)\.(?: |$)/.exec(comment)?.[1] ?? beyond;
  const set = /\bSet with (.*?)\.(?: |$)/.exec(comment)?.[1] ?? "";
  const unit = /^(?:approximate |free )?(bytes|seconds|milliseconds)\b/i.exec(what)?.[1]?.toLowerCase();
  const shown = what
    .replace(/^(?:Seconds|Milliseconds)\b/, "Time")
    .replace(/\bbytes of\b/i, (found) => (found.startsWith("B") ? "Size of" : "size of"));
  return [shown, formatted(value, unit), past, set];
}

function formatted(value: number, unit: string | undefined): string {
  if (unit === "bytes") return formatBytes(value);
  if (unit === "seconds") return durationInWords(value);
  if (unit === "milliseconds") return value < 1000 ? `${value} ms` : durationInWords(value / 1000);
  return value.toLocaleString("en");
}

/** A row for each setting of a form that has a limit and an option. */
function settingRows(): string[][] {
  return inOrder("option").flatMap((name) => {
    const { kind, option } = SETTINGS[name];
    if (!("most" in kind)) return [];
    const [what, unit] = SETTING_ROWS[kind.is];
    return [[`${what} \`--${option![0].split(" ")[0]}\``, formatted(kind.most, unit), "400", ""]];
  });
}

const SETTING_ROWS = {
  list: ["Entries of", undefined],
  text: ["Characters of", undefined],
  area: ["Characters of", undefined],
  count: ["Highest value of", undefined],
  bytes: ["Highest value of", "bytes"],
  seconds: ["Longest time of", "seconds"],
} as const;
