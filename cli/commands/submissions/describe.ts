import { formatBytes } from "../../../src/base/bytes.ts";
import type { Submission } from "../../../src/forms/submission.ts";
import { CSV_GROUPS, wordsOf } from "../../../src/forms/submission-columns.ts";
import { type Detail, details, table } from "../../output/text.ts";
import type { Command } from "commander";
import { submissions as operations } from "../../../src/operations/submissions.ts";
import type { Io } from "../../output/terminal.ts";
import { named } from "../../session/verb.ts";
import { addGet } from "../verbs.ts";

/** A submission with its fields and files, for a person. */
export function describeSubmission(submission: Submission): string {
  const { id, project, form, createdAt, data, files, state, spam, read, meta } = submission;
  const facts = details([
    ["submission", id],
    ["project", project || null],
    ["form", form],
    ["received", createdAt],
    ["state", state === "archived" || state === "unconfirmed" ? state : null],
    ["spam", spam || null],
    ["read", read ? "yes" : "no"],
    ...metaFacts(meta),
    ...CSV_GROUPS.flat().map((name): Detail => [name, wordsOf(submission, name)]),
  ]);
  const fields = table(
    ["FIELD", "VALUE"],
    Object.entries(data).flatMap(([name, value]) =>
      linesOf(textOf(value)).map((line, index) => [index === 0 ? name : "", line]),
    ),
  );
  const rows = files.map(({ field, name, type, size, sha256 }, index) => [
    String(index + 1),
    field,
    name,
    type,
    formatBytes(size),
    sha256.slice(0, 12),
  ]);
  const fileTable =
    files.length > 0 ? `\n${table(["FILE", "FIELD", "NAME", "TYPE", "SIZE", "SHA256"], rows)}` : "";
  return `${facts}\n${fields}${fileTable}`;
}

/** Metadata of the sender; an older server sends none. */
function metaFacts(meta: Submission["meta"] | undefined): Detail[] {
  const { address, userAgent, referrer, language } = meta ?? {};
  const facts = Object.entries({ address, "user agent": userAgent, referrer, language });
  return facts.map(([name, value]) => [name, value || null]);
}

/** The fields of a submission in one line. */
export function summaryOf(data: Record<string, unknown>): string {
  return Object.entries(data)
    .map(([name, value]) => `${name}=${linesOf(textOf(value)).join(" ")}`)
    .join("  ");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** As a person wrote them; browsers send CR LF. */
function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

export function addGetCommand(submissions: Command, io: Io): void {
  addGet(submissions, io, {
    argument: ["[id]", "id of the submission"],
    description: "show a submission",
    parse: named("id"),
    operation: operations.get,
    names: (id) => ({ id }),
    describe: describeSubmission,
  });
}
