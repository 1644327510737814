import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect } from "bun:test";
import { newFormSchema } from "../../src/forms/form-schema.ts";
import type { Form, NewForm } from "../../src/forms/form.ts";
import { createForm } from "../../src/forms/forms.ts";
import type { Submission } from "../../src/forms/submission.ts";
import { getSubmission, openFile } from "../../src/forms/submissions.ts";
import { clientAt, openServices, openTestApp } from "./app.ts";
import { OPERATOR } from "./records/caller.ts";

export const CLIENT = "203.0.113.7";

export type Sent = {
  body?: Bun.BodyInit | null;
  type?: string;
  headers?: Record<string, string>;
  query?: string;
  method?: string;
  client?: string;
};

export type ErrorBody = { error: true; code: number; message: string; url: string };

/** The forms service on an app of its own, with ways to send to it. No request may be a bug of the service. */
export function openInbox() {
  const app = openTestApp();
  /** What was stored, as text, by the id of its submission. */
  const texts = new Map<string, string>();
  const { submissions } = app.store;
  app.store.submissions = {
    ...submissions,
    async insert(submission, isAbandoned) {
      const insertion = await submissions.insert(submission, isAbandoned);
      texts.set(submission.id, submission.data);
      return insertion;
    },
  };
  const { forms, outgoing, reported } = openServices(app);
  afterEach(() => expect(reported.splice(0)).toEqual([]));
  let formCount = 0;

  /** A new form, its settings read as the admin API reads them. */
  function newForm(settings: Partial<NewForm> = {}): Promise<Form> {
    formCount += 1;
    return createForm(app, OPERATOR, newFormSchema.parse({ slug: `form-${formCount}`, ...settings }));
  }

  /** Sends to the form of that key, with `?mode=rest` unless another query is given. */
  async function send(key: string, sent: Sent, service = forms): Promise<Response> {
    const { body = null, type, headers, query = "?mode=rest", method = "POST", client = CLIENT } = sent;
    const request = new Request(`http://forms.test/v1/s/${key}${query}`, {
      method,
      body,
      headers: { ...(type === undefined ? {} : { "Content-Type": type }), ...headers },
    });
    return service.routes.fetch(request, { client: clientAt(client) });
  }

  /** Asks the service for a page. */
  async function open(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return forms.routes.fetch(new Request(`http://forms.test${path}`, { headers }), {
      client: clientAt(CLIENT),
    });
  }

  /** How many submissions each form has, and every file there is, staged ones included. */
  async function everything() {
    const counts: [string, number][] = [];
    for (const { key } of await app.store.forms.list())
      counts.push([key, await app.store.submissions.count(key)]);
    const entries = readdirSync(join(app.directory, "uploads"), { recursive: true, withFileTypes: true });
    const uploads = entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name));
    return { counts, files: await app.store.submissions.files("", 100_000), uploads: uploads.toSorted() };
  }

  /** Does something that may store nothing. */
  async function storingNothing<T>(act: () => Promise<T>): Promise<T> {
    const before = await everything();
    const result = await act();
    const after = await everything();
    // The form itself may be deleted meanwhile.
    const known = new Map(after.counts);
    expect(after).toEqual({ ...before, counts: before.counts.filter(([key]) => known.has(key)) });
    return result;
  }

  /** Expects the form to refuse it with that status and to store nothing; returns the message. */
  async function refused(form: { key: string }, sent: Sent, status: number): Promise<string> {
    const answer = await storingNothing(() => send(form.key, sent));
    const { error, code, message, url } = (await answer.json()) as ErrorBody;
    expect({ status: answer.status, error, code }).toEqual({ status, error: true, code: status });
    expect(url).toStartWith("/v1/error?");
    return message;
  }

  /** Expects the form to store it; returns the submission. */
  async function stored(form: { key: string }, sent: Sent): Promise<Submission> {
    const answer = await send(form.key, sent);
    const body = (await answer.json()) as { id: string };
    expect({ status: answer.status, body }).toMatchObject({ status: 200, body: { success: true } });
    return getSubmission(app, OPERATOR, body.id);
  }

  /** The stored JSON, as text. */
  const storedText = ({ id }: Submission) => texts.get(id)!;

  async function bytesOf(submission: Submission, number: number): Promise<Uint8Array> {
    const { bytes } = await openFile(app, submission, String(number));
    return new Uint8Array(await new Response(bytes).arrayBuffer());
  }

  return { app, forms, outgoing, newForm, send, open, storingNothing, refused, stored, storedText, bytesOf };
}

export const json = (data: unknown): Sent => ({ body: JSON.stringify(data), type: "application/json" });
export const jsonText = (body: Bun.BodyInit): Sent => ({ body, type: "application/json" });
export const urlencoded = (body: Bun.BodyInit): Sent => ({ body, type: "application/x-www-form-urlencoded" });

export type Bytes = string | Uint8Array;

/** A multipart body of parts, each the headers of one and its bytes. */
export function multipart(...parts: [headers: string, content: Bytes][]): { body: Buffer; type: string } {
  const body = parts.flatMap(([headers, content]) => [`--frontier\r\n${headers}\r\n\r\n`, content, "\r\n"]);
  return {
    body: Buffer.concat([...body, "--frontier--\r\n"].map((bytes) => Buffer.from(bytes as string))),
    type: "multipart/form-data; boundary=frontier",
  };
}

export const text = (name: string, value: Bytes): [string, Bytes] => [
  `Content-Disposition: form-data; name="${name}"`,
  value,
];

export const file = (name: string, content: Bytes, type?: string): [string, Bytes] => [
  `Content-Disposition: form-data; name="upload"; filename="${name}"${type === undefined ? "" : `\r\nContent-Type: ${type}`}`,
  content,
];

/** What a browser or `fetch` makes of a form. */
export const formData = (fields: [string, string | File][]): Sent => {
  const body = new FormData();
  for (const [name, value] of fields) body.append(name, value);
  return { body };
};

export const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

/** `count` bytes that no compression or text decoding would leave as they are. */
export function noise(count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  for (let index = 0; index < count; index += 1) bytes[index] = (index * 7919 + (index >> 8)) & 0xff;
  return bytes;
}

export const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

/** A form with one field. */
export const plain = urlencoded("a=1");
