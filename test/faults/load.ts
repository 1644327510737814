import { eventually } from "../support/eventually.ts";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "bun:test";
import { onData } from "../support/commands.ts";

/** Numbers that come again with the same seed (mulberry32). */
export type Random = {
  /** A whole number from 0 to `limit - 1`. */
  below: (limit: number) => number;
  bytes: (length: number) => Uint8Array<ArrayBuffer>;
};

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return {
    below: (limit) => next() % limit,
    bytes: (length) =>
      new Uint8Array(Uint32Array.from({ length: Math.ceil(length / 4) }, next).buffer, 0, length),
  };
}

export function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

type StoredFile = { field: string; name: string; size: number; sha256: string };
export type Stored = { id: string; data: Record<string, unknown>; files: StoredFile[] };

/** A submission as it was sent: `fields` and `files` are what has to be stored, and nothing else. */
export type Sent = { fields: Record<string, unknown>; files: StoredFile[]; body: string | FormData };

let count = 0;
/** In every submission, and in no other one. */
const nextMark = () => `mark-${++count}`;

export function jsonSubmission(random: Random): Sent {
  const fields = {
    mark: nextMark(),
    text: "ä".repeat(random.below(3000)),
    number: random.below(1000),
    deep: [{ a: null }],
  };
  return { fields, files: [], body: JSON.stringify(fields) };
}

/** Of one to three files of up to 200 kB, or of one file of `size` bytes. */
export function multipartSubmission(
  random: Random,
  size?: number,
  count = size === undefined ? 1 + random.below(3) : 1,
): Sent {
  const fields = { mark: nextMark(), text: "ö".repeat(random.below(3000)) };
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  const files = Array.from({ length: count }, (_, index) => {
    const bytes = random.bytes(size ?? 1 + random.below(200_000));
    const name = `${index}.bin`;
    body.append("file", new File([bytes], name));
    return { field: "file", name, size: bytes.byteLength, sha256: sha256(bytes) };
  });
  return { fields, files, body };
}

type Headers = Record<string, string>;

export type Keys = { form: string; project: string; environment: string; token: string };

/** A form that takes files, a project and an admin token on a data directory. */
export function prepare(data: string): Promise<Keys> {
  return prepareWith(onData(data));
}

/** The same by commands that act elsewhere. */
export async function prepareWith(commands: ReturnType<typeof onData>): Promise<Keys> {
  type Project = { key: string; environments: { slug: string; key: string }[] };
  const form = await commands.json<{ key: string }>("forms", "create", "contact", "--uploads", "on");
  const project = await commands.json<Project>("projects", "create", "shop");
  const { stdout } = await commands.run("tokens", "create", "tests");
  const environment = project.environments.find(({ slug }) => slug === "develop")!;
  return { form: form.key, project: project.key, environment: environment.key, token: stdout.trim() };
}

/** What is asked of a server at `url`. */
export function clientOf(url: string, keys: Keys) {
  const admin = (path: string, init: Omit<RequestInit, "headers"> & { headers?: Headers } = {}) =>
    fetch(`${url}/api/admin/v1${path}`, {
      ...init,
      headers: { ...init.headers, Authorization: `Bearer ${keys.token}`, "Content-Type": "application/json" },
    });
  return {
    admin,
    submit: ({ body }: Sent, headers: Headers = {}) =>
      fetch(`${url}/v1/s/${keys.form}?mode=rest`, {
        method: "POST",
        body,
        headers: { ...headers, ...(typeof body === "string" ? { "Content-Type": "application/json" } : {}) },
      }),
    setFlag: (slug: string, payload: unknown, headers: Headers = {}) =>
      admin(`/projects/shop/environments/develop/flags/${slug}`, {
        method: "PATCH",
        headers,
        body: JSON.stringify({ enabled: true, payload }),
      }),
    readFlag: (slug: string, headers: Headers = {}) =>
      fetch(`${url}/api/v1/flags/${slug}`, {
        headers: { ...headers, "x-project-key": keys.project, "x-environment-key": keys.environment },
      }),
    async stored(): Promise<Stored[]> {
      // A list, as an export is written to the audit log, for which a full disk has no room.
      const stored: Stored[] = [];
      for (let before = ""; ; before = `&before=${stored.at(-1)!.id}`) {
        const answer = await admin(`/forms/contact/submissions?limit=100${before}`);
        expect(answer.status).toBe(200);
        const { submissions, next } = (await answer.json()) as { submissions: Stored[]; next: string | null };
        stored.push(...submissions);
        if (next === null) return stored.toReversed();
      }
    },
    async download(id: string, position: number): Promise<Uint8Array> {
      const answer = await admin(`/submissions/${id}/files/${position}`);
      expect({ id, position, status: answer.status }).toEqual({ id, position, status: 200 });
      return new Uint8Array(await answer.arrayBuffer());
    },
  };
}

export type Client = ReturnType<typeof clientOf>;

/** The paths of all files under `uploads/`, whatever they are for. */
function uploadsIn(data: string): string[] {
  const entries = readdirSync(join(data, "uploads"), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/**
 * Files under `uploads/` that are none of these submissions', and those of theirs that are not there as stored, once the server
 * has removed what the one before it left.
 */
export async function compareFiles(data: string, stored: Stored[]) {
  await eventually("no file is noted", () => uploadsIn(data).every((path) => !path.endsWith(".note")));
  return compareSums(
    uploadsIn(data).map((path) => ({ path, sha256: sha256(readFileSync(path)) })),
    stored,
  );
}

/** As `compareFiles`, of files wherever they are. */
export function compareSums(present: { path: string; sha256: string }[], stored: Stored[]) {
  const wanted = stored.flatMap(({ id, files }) => files.map(({ sha256 }) => ({ id, sha256 })));
  const kept = new Set(present.map((file) => file.sha256));
  const missing = wanted.filter((file) => !kept.has(file.sha256));
  const free = wanted.map((file) => file.sha256);
  const left = present.filter((file) => {
    const found = free.indexOf(file.sha256);
    if (found !== -1) free.splice(found, 1);
    return found === -1;
  });
  return { left: left.map(({ path }) => path), missing };
}

/** That what is stored are the fields and files that were sent. */
export function expectWhole({ id, data, files }: Stored, sent: Sent | undefined): void {
  const shown = files.map(({ field, name, size, sha256 }) => ({ field, name, size, sha256 }));
  expect({ id, data, files: shown }).toEqual({ id, data: sent?.fields ?? {}, files: sent?.files ?? [] });
}
