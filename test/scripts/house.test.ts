import { basename, dirname, join } from "node:path";
import { expect, test } from "bun:test";
import { OPERATIONS } from "../../src/operations/all.ts";
import type { Slices } from "../../src/store/sql/bind.ts";
import { SLICES } from "../../src/store/sql/slices.ts";
import { submissionWrites } from "../../src/store/sql/submissions/slice.ts";

const MOST_FILES = 30;

const ROOT = join(import.meta.dir, "../..");
const FILES = [...new Bun.Glob("{src,cli,scripts,test}/**/*.{ts,tsx,js}").scanSync(ROOT)].toSorted();
const PRODUCT = FILES.filter((path) => /^(?:src|cli)\//.test(path));
const texts = new Map<string, string>();
for (const file of PRODUCT) texts.set(file, await Bun.file(join(ROOT, file)).text());
/** Types and lazy imports too. */
const imports = new Map<string, string[]>();
for (const [file, text] of texts) {
  const found = text.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  imports.set(
    file,
    [...found].map(([, path]) => join(dirname(file), path!)),
  );
}

/** All that a file imports, also by way of others. */
function reached(file: string, seen = new Set<string>()): Set<string> {
  for (const next of imports.get(file) ?? []) if (!seen.has(next)) reached(next, seen.add(next));
  return seen;
}

test("no files import each other, not even lazily", () => {
  expect(PRODUCT.filter((file) => reached(file).has(file))).toEqual([]);
});

/** Libraries that only sign-ins of some kind need: they load with the first one. */
const ON_DEMAND = [
  "acme-client",
  "@peculiar/x509",
  "openid-client",
  "@simplewebauthn/server",
  "reflect-metadata",
  "jose",
];

test("the start of a server loads no library of sign-ins", () => {
  // Compiled into one file, a static import is loaded at the start, and a type never.
  const isStatic = /^(?:import|export)(?! type)[^;]*? from\s+"([^"]+)"|^import\s+"([^"]+)"/gm;
  const loads = (file: string) =>
    [...(texts.get(file) ?? "").matchAll(isStatic)].map(([, from, bare]) => from ?? bare!);
  const started = new Set<string>();
  const start = (file: string) => {
    if (started.has(file)) return;
    started.add(file);
    for (const path of loads(file)) if (path.startsWith(".")) start(join(dirname(file), path));
  };
  start("cli/main.ts");
  for (const file of PRODUCT.filter((each) => each.startsWith("cli/serve/") || each.startsWith("src/http/")))
    start(file);
  const found = [...started].flatMap((file) =>
    loads(file)
      .filter((name) => ON_DEMAND.some((each) => name === each || name.startsWith(`${each}/`)))
      .map((name) => `${file} loads ${name}`),
  );
  expect(found).toEqual([]);
  // The libraries are where the test looks for them.
  expect(loads("src/send/oidc.ts")).toContain("openid-client");
  expect(started.has("src/access/factors/code-step.ts")).toBe(true);
});

/** Lines of src and cli. A change that raises it says in its commit why, and what it made unnecessary. */
const MOST_LINES = 158_210;

test("the product stays within its budget of lines", () => {
  const lines = [...texts.values()].reduce((sum, text) => sum + text.split("\n").length - 1, 0);
  expect(lines).toBeLessThanOrEqual(MOST_LINES);
});

test("no folder has too many files", () => {
  const large = [...Map.groupBy(FILES, dirname)].filter(([, { length }]) => length > MOST_FILES);
  expect(large.map(([folder]) => folder)).toEqual([]);
});

test("files of an area have names of their own, unless their folders are beside each other", () => {
  const areaOf = (file: string) => /^(?:src\/(?:http|store)|src|cli)\/[^/]+/.exec(file)![0];
  // Verbs of commands: each noun has a folder.
  const files = PRODUCT.filter((file) => !file.startsWith("cli/commands/"));
  const alike = Map.groupBy(files, (file) => `${areaOf(file)} ${basename(file).replace(/\..*/, "")}`);
  const parents = (group: string[]) => new Set(group.map((file) => dirname(dirname(file)))).size;
  const wrong = [...alike].filter(([, group]) => parents(group) > 1);
  expect(wrong.map(([name]) => name)).toEqual([]);
});

test("system calls get the address of memory that is never collected", () => {
  // Nothing keeps what only an address refers to: the collector may free it before the kernel reads it.
  const found = [...texts].flatMap(([file, text]) =>
    [...text.matchAll(/\bptr\((?!\))(?![A-Z_]+\))/g)].map(
      ({ 0: call, index }) => `${file}: ${call}${text.slice(index + 4, index + 30)}`,
    ),
  );
  expect(found).toEqual([]);
});

test("drivers and senders import records and ports, no operation", () => {
  const isDriver = (file: string) => /^src\/(?:store|send)\//.test(file);
  const isPort = (file: string) => /^src\/(?:\w+\/store|app)\.ts$/.test(file);
  const below = new Set(PRODUCT.filter(isDriver).flatMap((file) => imports.get(file)!));
  const operations = [...below].filter(
    (file) => !isDriver(file) && !isPort(file) && imports.get(file)!.some(isPort),
  );
  expect(operations).toEqual([]);
});

/** Writes that each driver makes in its own way. */
const OWN_WRITES = `store.apply code.replace notes.add notes.forget notes.clear
  submissions.insert submissions.updateIndex submissions.rewrite`.split(/\s+/);

const slices: Slices = { ...SLICES, submissions: () => ({ writes: submissionWrites(function* () {}) }) };
const named = Object.entries(slices).flatMap(([noun, load]) =>
  Object.keys(load().writes ?? {}).map((name) => `${noun}.${name}`),
);
const WRITES = [...named, ...OWN_WRITES].join("|").replaceAll(".", "\\.");

test("services and commands write to the store through operations", () => {
  const call = new RegExp(`\\.(?:${WRITES})\\(`);
  const callers = [...texts].filter(([file, text]) => /^(?:cli|src\/http)\//.test(file) && call.test(text));
  expect(callers.map(([file]) => file)).toEqual([]);
});

/** The functions that a file imports, by their names in it: `src/flags/flags.ts setFlag`. */
function importsBy(file: string): Map<string, string> {
  const lists = /import (?!type)\{([^}]*)\} from "(\.[^"]+)"|\{([^{}]*)\}\s*=\s*await import\("(\.[^"]+)"\)/g;
  const found = [...texts.get(file)!.matchAll(lists)].flatMap(([, names, path, lazy, late]) =>
    (names ?? lazy)!.split(",").map((each) => {
      const [name, local = name] = each.trim().split(/\s+as\s+|\s*:\s*/);
      return [local!, `${join(dirname(file), (path ?? late)!)} ${name}`] as const;
    }),
  );
  return new Map(found);
}

/** The functions below HTTP that write to the store, themselves or by way of others. */
function writers(): Set<string> {
  const functions = new Map<string, { body: string; called: string[] }>();
  for (const [file, text] of texts) {
    if (!/^src\/(?!http|operations|store)\w+\//.test(file)) continue;
    const declared = [...text.matchAll(/^(?:export )?(?:async )?function\*? (\w+)([^]*?)^\}$/gm)];
    const known = new Map([
      ...importsBy(file),
      ...declared.map(([, name]) => [name!, `${file} ${name}`] as const),
    ]);
    for (const [, name, body = ""] of declared) {
      const called = [...body.matchAll(/\b(\w+)\(/g)].flatMap(([, local]) => known.get(local!) ?? []);
      functions.set(`${file} ${name}`, { body, called });
    }
  }
  const call = new RegExp(`\\b(?:${WRITES})\\(`);
  const found = new Set<string>();
  const isWriter = ([name, { body, called }]: [string, { body: string; called: string[] }]) =>
    !found.has(name) && (call.test(body) || called.some((each) => found.has(each)));
  for (let more = [...functions]; more.length > 0; more = [...functions].filter(isWriter))
    for (const [name] of more.filter(isWriter)) found.add(name);
  return found;
}

/** Pages for what is no operation: signing in and out, factors, identities of a provider, and invitations. */
const SESSIONS = /\/(?:factors\/.*|(?:entry|dashboard|access\/(?:sign-in|invitation|oidc|identity))\.tsx?)$/;

/** The rest: logins, and reads that plan as a write does or are recorded. */
const NO_OPERATION = [
  "access/authorize.tsx allowClient",
  "access/authorize.tsx createClients",
  "access/device.tsx answerLogin",
  "access/me.tsx setPassword",
  "inbox/matching.tsx countMatching",
  "project/import.tsx compareImport",
  "submissions/people.tsx exportPerson",
];

test("pages change things only through operations", () => {
  // A read may note that it took place.
  const reads = OPERATIONS.filter(({ method }) => method === "GET").map((operation) =>
    operation.run.toString(),
  );
  const written = writers();
  const pages = [...texts.keys()].filter(
    (file) => file.startsWith("src/http/dashboard/") && !SESSIONS.test(file),
  );
  const called = pages.flatMap((file) =>
    [...importsBy(file)]
      .filter(([local, name]) => written.has(name) && !reads.some((run) => run.includes(`${local}(`)))
      .map(([local]) => `${file.slice("src/http/dashboard/".length)} ${local}`),
  );
  expect(called.toSorted()).toEqual(NO_OPERATION);
  // The test knows what writes.
  expect(written.has("src/flags/flags.ts setFlag")).toBe(true);
});
