import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "bun:test";
import type { Io } from "../../cli/output/terminal.ts";
import { table } from "../../cli/output/text.ts";
import { createLog } from "../../cli/serve/log.ts";
import { createToken } from "../../src/access/tokens.ts";
import { setFlag } from "../../src/flags/flags.ts";
import { createForm } from "../../src/forms/forms.ts";
import type { Submission } from "../../src/forms/submission.ts";
import { getSubmission } from "../../src/forms/submissions.ts";
import { deleteSubmission } from "../../src/forms/keeping/submission-deletion.ts";
import type { RequestRecord } from "../../src/http/request-record.ts";
import { createSite } from "../../src/http/site.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openServices, openTestApp, siteOptions } from "../support/app.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { type Outcome, type Parsed, parse } from "./inputs.ts";
import { expectAsOthersRead } from "./other-parsers.ts";

const ORIGIN = "http://fuzz.test";
/** Sends every request, so that what it says of the client is read. */
const PROXY = "192.0.2.1";

/** What begins a line, or commands a terminal. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
const MAX_ANSWER = 20_000;

/** What checks an input on an app of its own. */
export async function openChecks(): Promise<(input: Buffer, sizes: number[]) => Promise<Outcome | null>> {
  const app = openTestApp();
  const { forms, flags, admin, report, reported } = openServices(app);
  const form = await createForm(app, OPERATOR, { slug: "contact", uploads: true });
  const project = await createProject(app, OPERATOR, { slug: "shop", environments: ["live"] });
  await setFlag(
    app,
    OPERATOR,
    { project: "shop", environment: "live", flag: "new-checkout" },
    { enabled: true },
  );
  const { token } = await createToken(app, OPERATOR, { name: "reader", scopes: ["read"] });
  const KEYS = {
    form: form.key,
    project: project.key,
    environment: project.environments[0]!.key,
    token,
  };

  let logged = "";
  const log = (text: string) => void (logged += text);
  const io = { err: log, note: log, describeDropped: () => {} } as unknown as Io;
  const logs = (["text", "json"] as const).map((format) => createLog(io, { format, level: "debug" }));
  const records: RequestRecord[] = [];

  const site = createSite(
    { forms, flags, admin },
    {
      ...siteOptions(app),
      isTrustedProxy: (address) => address === PROXY,
      report,
      log: (record) => void records.push(record),
    },
  );

  /**
   * Sends an input twice, whole and in pieces of those sizes over and over, and checks all that is promised. Returns what
   * came of it, or null if it is no request.
   */
  async function check(input: Buffer, sizes: number[]): Promise<Outcome | null> {
    const parsed = parse(input, KEYS);
    if (!parsed) return null;
    try {
      const whole = await send(parsed, parsed.body);
      const pieces = await send(parsed, inPieces(parsed.body, sizes));
      expect(pieces).toEqual(whole);
      if (parsed.method === "POST") expect(uploads()).toEqual([]);
      await expectAsOthersRead(parsed, whole);
      return whole;
    } finally {
      // What a failed check left must not make the next one fail.
      records.length = reported.length = 0;
      logged = "";
      for (const { id } of await submissions()) await deleteSubmission(app, OPERATOR, id);
    }
  }

  const submissions = async () => (await app.store.submissions.list(form.key, 10, null)).submissions;

  /** One answer, no bug, and a submission with its files exactly where the answer says so. */
  async function send(
    { method, target, headers, body }: Parsed,
    sent: Buffer | ReadableStream,
  ): Promise<Outcome> {
    const isWhole = Buffer.isBuffer(sent);
    const init = { method, headers: new Headers(headers), body: isWhole ? Uint8Array.from(sent) : sent };
    init.headers.delete("content-length");
    if (isWhole) init.headers.set("content-length", String(body.byteLength));
    const hasBody = method !== "GET" && method !== "HEAD";
    const request = new Request(`${ORIGIN}${target}`, hasBody ? init : { method, headers });
    const answer = await site.fetch(request, () => PROXY);
    const text = await answer.text();
    expect(reported.splice(0)).toEqual([]);
    expect(answer.status).toBeLessThan(500);
    expect(text.length).toBeLessThan(MAX_ANSWER);
    for (const [, value] of answer.headers) expect(value).toMatch(/^[\u0020-\u007e]*$/);
    // No redirect leads elsewhere.
    expect(answer.headers.get("location") ?? "/v1/").toMatch(/^\/v1\/(?:thanks$|error\?|$)/);
    const isApi = new URL(`${ORIGIN}${target}`).pathname.startsWith("/api/");
    if (isApi && answer.status >= 400 && text !== "") JSON.parse(text);
    expectLinesOfLog();

    const rows = await submissions();
    const isStored =
      method === "POST" && (answer.status === 200 || answer.headers.get("location") === "/v1/thanks");
    expect(rows).toHaveLength(isStored ? 1 : 0);
    const { id, createdAt: _, ...stored } = rows[0] ?? { id: "", createdAt: "" };
    if (!isStored) return { status: answer.status, text, stored: null };
    await expectReadable(await getSubmission(app, OPERATOR, id), body.byteLength);
    await deleteSubmission(app, OPERATOR, id);
    return { status: answer.status, text: text.replace(id, "ID"), stored: stored as Outcome["stored"] };
  }

  /** Every request is one line, of text and of JSON, without a character that commands a terminal. */
  function expectLinesOfLog(): void {
    const [record, ...others] = records.splice(0);
    expect(others).toEqual([]);
    for (const log of logs) {
      log.request(record!);
      log.flush();
    }
    const [text = "", json = "", ...rest] = logged.split("\n");
    logged = "";
    expect(rest).toEqual([""]);
    expect(text).not.toMatch(CONTROL);
    expect(JSON.parse(json)).toMatchObject({ route: record!.route });
    expect(json).not.toMatch(/[\u0000-\u001f]/);
  }

  /** The files in the folders of the upload directory, the one of staged files included. */
  function uploads(): string[] {
    const root = join(app.directory, "uploads");
    return readdirSync(root).flatMap((folder) => readdirSync(join(root, folder)));
  }

  /** An answer of the admin API to the operator, as a client gets it. */
  async function ask(path: string): Promise<Response> {
    const request = new Request(`${ORIGIN}/api/admin/v1${path}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    const answer = await site.fetch(request, () => PROXY);
    records.pop();
    expect(answer.status).toBe(200);
    return answer;
  }

  /** What is stored is no larger than what came, and comes back as files, as a table and as CSV. */
  async function expectReadable({ id, data, files }: Submission, sentBytes: number): Promise<void> {
    const text = JSON.stringify(data);
    // A byte becomes at most six characters, a separator what stands around a field, and the first field has none.
    expect(text.length).toBeLessThanOrEqual(6 * sentBytes + 7);
    for (const [index, { name, size, sha256 }] of files.entries()) {
      const answer = await ask(`/submissions/${id}/files/${index + 1}`);
      const bytes = await answer.bytes();
      expect(size).toBeLessThanOrEqual(sentBytes);
      expect(bytes.byteLength).toBe(size);
      expect(new Bun.CryptoHasher("sha256").update(bytes).digest("hex")).toBe(sha256);
      const disposition = answer.headers.get("content-disposition") ?? "";
      expect(disposition).toMatch(/^attachment; filename="[ !#$&-[\]-~]*"; filename\*=UTF-8''[\w!~%.-]*$/);
      expect(decodeURIComponent(disposition.slice(disposition.lastIndexOf("'") + 1))).toBe(
        name.toWellFormed(),
      );
    }
    const shown = table(["field", "value"], [[...Object.keys(data), ...files.map(({ name }) => name), text]]);
    expect(shown.split("\n")).toHaveLength(3);
    expect(shown.replaceAll("\n", "")).not.toMatch(CONTROL);

    const csv = await (await ask("/forms/contact/submissions/export?format=csv")).text();
    expect(csv).toEndWith("\r\n");
    const cells = csv.slice(0, -2).match(/(?:^|,|\r\n)(?:"(?:[^"]|"")*"|[^",\r\n]*)/g) ?? [];
    expect(`${cells.join("")}\r\n`).toBe(csv);
    expect(cells.filter((cell) => cell.startsWith("\r\n"))).toHaveLength(1);
    expect(cells).toHaveLength(2 * (3 + Object.keys(data).length));
    for (const cell of cells) expect(cell).not.toMatch(/^(?:,|\r\n)"?[=@\t\r]|[;\t\r\n]["\s]*[=@]/);
  }

  return check;
}

function inPieces(body: Buffer, sizes: number[]): ReadableStream<Uint8Array> {
  let at = 0;
  let count = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= body.byteLength) return controller.close();
      const size = sizes[count++ % sizes.length]!;
      controller.enqueue(Uint8Array.from(body.subarray(at, at + size)));
      at += size;
    },
  });
}
