import { OPERATOR } from "../support/records/caller.ts";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { openApp } from "../../cli/data/open.ts";
import { listForms } from "../../src/forms/forms.ts";
import { sweep } from "../../src/forms/keeping/removal.ts";
import { type Submission, parsed } from "../../src/forms/submission.ts";
import { ALL_BUT_SPAM } from "../../src/forms/inbox/submission-filter.ts";
import { eachSubmission } from "../../src/forms/inbox/submission-list.ts";
import { type Problem, checkData, removeOrphans } from "../../src/maintenance/check.ts";
import { onData } from "../support/commands.ts";
import { runExecutable, startServer } from "../support/executable.ts";
import { DISK, tempDirectory } from "../support/temp.ts";
import { openNotes } from "../support/notes.ts";
import { canInject } from "./inject.ts";
import {
  type Client,
  type Keys,
  type Random,
  type Sent,
  clientOf,
  expectWhole,
  jsonSubmission,
  multipartSubmission,
  seededRandom,
} from "./load.ts";
import { type Operation, type Recording, createRecording, tracing } from "./record.ts";
import { type Fates, type Names, kept, lost, mixed, rebuild } from "./replay.ts";

/** How many moments of each recording are looked at, and how many submissions it has. */
const CUTS = 30;
const SUBMISSIONS = 270;
const ROUNDS = Number(process.env["FORMFLAG_TORTURE_ROUNDS"] || 1);
const SEED = Number(process.env["FORMFLAG_TORTURE_SEED"] || crypto.getRandomValues(new Uint32Array(1))[0]);

type Known = { sent: Sent; id?: string; isDeleted: boolean };

/** What was asked of formflag, and the positions in the recording at which it was known to be done. */
type History = {
  recording: Recording;
  form: { key: string; at: number };
  project: number;
  /** By mark. */
  submissions: Map<unknown, Known>;
  /** The marks of submissions by their ids. */
  marks: Map<string, unknown>;
  /** How often the flag was set; each time to one more. */
  flags: number;
};

/** Records a fresh data directory, commands on it, two servers one after the other, and what they are asked. */
async function record(seed: number, submissions: number): Promise<History> {
  const recording = createRecording(tempDirectory(DISK));
  const data = join(recording.root, "data");
  const run = async (...args: string[]) => {
    const { under, ended } = tracing(recording);
    const { code, stdout, stderr } = await runExecutable([...args, "--data", data], { under });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return { stdout, at: await ended() };
  };
  type Project = { key: string; environments: { slug: string; key: string }[] };
  const project = await run("projects", "create", "shop", "--json");
  const form = await run("forms", "create", "contact", "--uploads", "on", "--json");
  const token = await run("tokens", "create", "tests", "-q");
  const { key, environments } = JSON.parse(project.stdout) as Project;
  const keys: Keys = {
    form: (JSON.parse(form.stdout) as { key: string }).key,
    project: key,
    environment: environments.find(({ slug }) => slug === "develop")!.key,
    token: token.stdout.trim(),
  };
  const history: History = {
    recording,
    form: { key: keys.form, at: form.at },
    project: project.at,
    submissions: new Map(),
    marks: new Map(),
    flags: 0,
  };
  for (const [round, share] of [0.8, 0.2].entries()) {
    const { under, ended } = tracing(recording);
    const server = await startServer([], { data, under });
    await load(clientOf(server.url, keys), history, seededRandom(seed + round), submissions * share);
    expect(await server.stop()).toBe(0);
    await ended();
  }
  return history;
}

async function load(client: Client, history: History, random: Random, submissions: number): Promise<void> {
  let left = Math.ceil(submissions);
  const send = async (number: number) => {
    // However fast each sender is, one submission of several files is kept, and one with a file deleted.
    for (let isFirst = true; left > 0; isFirst = false) {
      left -= 1;
      const size = random.below(10) === 0 ? undefined : random.below(9000);
      const files = () => multipartSubmission(random, size, isFirst ? 2 : undefined);
      const sent = number % 2 === 0 ? jsonSubmission(random) : files();
      const { mark } = sent.fields;
      const known: Known = { sent, isDeleted: false };
      history.submissions.set(mark, known);
      const answer = await client.submit(sent, { "X-Request-Id": `stored:${String(mark)}` });
      const { id } = (await answer.json()) as { id: string };
      expect(answer.status).toBe(200);
      known.id = id;
      history.marks.set(id, mark);
      if (isFirst ? number === 3 : random.below(3) === 0) await remove(mark, known);
      if (number === 0) await setFlag();
    }
  };
  const remove = async (mark: unknown, known: Known) => {
    // Answered before the deletion begins, and seen in the recording.
    await client.readFlag("count", { "X-Request-Id": `deleting:${String(mark)}` });
    known.isDeleted = true;
    const headers = { "X-Request-Id": `deleted:${String(mark)}` };
    const answer = await client.admin(`/submissions/${known.id}`, { method: "DELETE", headers });
    expect(answer.status).toBe(204);
  };
  const setFlag = async () => {
    const value = (history.flags += 1);
    const answer = await client.setFlag("count", { value }, { "X-Request-Id": `flag:${value}` });
    expect(answer.status).toBe(200);
  };
  await setFlag();
  await Promise.all([0, 1, 2, 3, 4, 5].map(send));
}

/** Throws where something in a data directory is not as it may be after a power cut at `cut`. */
async function expectPromise(data: string, history: History, cut: number, names: Names): Promise<void> {
  const { recording, form, project, submissions, flags } = history;
  const isDone = (id: string) => (recording.answers.get(id) ?? Infinity) <= cut;
  await using app = await openApp({ data, writing: "inline" });
  const { notes: beside, now } = app;
  const garbage = {
    list: async (limit: number) => (await beside.claim(now(), limit)).garbage,
    forget: (keys: readonly string[]) => beside.forget(keys),
  };
  // As the server that starts next does.
  const notes = openNotes({ garbage }, join(data, "uploads"), true);
  await sweep({ ...app, notes });
  const { problems } = await checkData(app, () => {});
  // Without a journal the file of a submission that was never answered may stay, which nobody sees.
  const isAllowed = ({ kind, what }: Problem) => {
    const mark = history.marks.get(what.slice(0, what.lastIndexOf(".")));
    return names === "any" && kind === "orphan" && !isDone(`stored:${String(mark)}`);
  };
  expect(problems.filter((problem) => !isAllowed(problem))).toEqual([]);
  expect(await removeOrphans(app, problems)).toBe(problems.length);
  expect(readdirSync(join(data, "uploads", "staging"))).toEqual([]);

  const shop = await app.store.projects.find("shop");
  if (project <= cut) expect(shop?.slug).toBe("shop");
  const flag =
    shop && (await app.store.flags.find({ project: "shop", environment: "develop", flag: "count" }));
  const { value } = JSON.parse(flag?.payload ?? '{"value":0}') as { value: number };
  const set = Array.from({ length: flags }, (_, index) => index + 1).filter((n) => isDone(`flag:${n}`));
  expect([set.length, set.length + 1]).toContain(value);

  const contact = (await listForms(app, OPERATOR)).find(({ slug }) => slug === "contact");
  if (form.at <= cut) expect(contact?.key).toBe(form.key);
  const shown = new Map<unknown, Submission>();
  if (contact)
    for await (const page of eachSubmission(app, contact, ALL_BUT_SPAM)) {
      for (const each of page.map(parsed)) shown.set(each.data["mark"], each);
    }
  for (const [mark, submission] of shown) expectWhole(submission, submissions.get(mark)?.sent);
  for (const [mark, { id, isDeleted }] of submissions) {
    const isStored = isDone(`stored:${String(mark)}`);
    if (isDeleted && isDone(`deleted:${String(mark)}`))
      expect({ mark, found: shown.has(mark) }).toEqual({ mark, found: false });
    else if (isStored && !(isDeleted && isDone(`deleting:${String(mark)}`)))
      expect({ mark, id: shown.get(mark)?.id }).toEqual({ mark, id: id! });
  }
}

// Not on a disk where that can be: it has to hold hundreds of data directories, one after the other.
const scratch = tempDirectory(existsSync("/dev/shm") ? "/dev/shm" : undefined);

/** Cuts the power at a position, and looks at what the file system may have kept. */
async function cutAt(
  history: History,
  cut: number,
  names: Names,
  fates: Fates,
  random: Random,
): Promise<void> {
  const target = join(scratch, "target");
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  rebuild(history.recording, { cut, names, fates, random }, target);
  await expectPromise(join(target, "data"), history, cut, names);
}

/** A state of the disk after a power cut. */
type Cut = { cut: number; names: Names; fates: Fates };

/** Cuts at random moments, each with all that may be lost, all that may be kept, and mixtures. */
function* randomCuts({ recording }: History, random: Random, count: number): Generator<Cut> {
  const answers = [...recording.answers.values()];
  for (let round = 0; round < count; round += 1) {
    const cut = round % 3 === 0 ? answers[random.below(answers.length)]! : random.below(recording.length + 1);
    yield { cut, names: "any", fates: lost };
    yield { cut, names: "journal", fates: kept };
    for (const names of ["any", "any", "journal", "journal"] as const)
      yield { cut, names, fates: mixed(random) };
  }
}

/** The first of these cuts after which something is not as promised, in words. */
async function brokenBy(history: History, cuts: Iterable<Cut>, random: Random): Promise<string | undefined> {
  for (const { cut, names, fates } of cuts) {
    try {
      await cutAt(history, cut, names, fates, random);
    } catch (error) {
      return `cut at ${cut} of ${history.recording.length}, names ${names}: ${String(error)}`;
    }
  }
  return undefined;
}

/** The history of a program that does not sync those files and directories. */
function withoutSyncs(history: History, isLeftOut: (path: string) => boolean): History {
  const { recording } = history;
  const operations = recording.operations.filter(
    ({ kind, inode }) => kind !== "sync" || !isLeftOut(recording.inodes[inode]!.path),
  );
  return { ...history, recording: { ...recording, operations } };
}

const traces = await canInject();
const first = traces ? await record(SEED, SUBMISSIONS) : undefined;

describe.skipIf(!traces)("a power cut", () => {
  test("is tried on a load that commits in groups, begins the log of the database anew, stores files and deletes", () => {
    const { recording, submissions } = first!;
    const pathOf = ({ inode }: Operation) => recording.inodes[inode]!.path;
    const ofLog = recording.operations.filter((operation) => pathOf(operation).endsWith("-wal"));
    const syncs = ofLog.filter(({ kind }) => kind === "sync");
    expect(syncs.length).toBeLessThan(recording.answers.size);
    const begun = ofLog.filter((operation) => operation.kind === "write" && operation.offset === 0);
    expect(begun.length).toBeGreaterThan(new Set(ofLog.map(({ inode }) => inode)).size);
    const known = [...submissions.values()];
    expect(known.some(({ sent, isDeleted }) => sent.files.length > 0 && isDeleted)).toBe(true);
    expect(known.some(({ sent, isDeleted }) => sent.files.length > 1 && !isDeleted)).toBe(true);
  });

  test(
    `loses and breaks nothing that was acknowledged, in ${ROUNDS * CUTS * 6} states of the disk`,
    async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const seed = SEED + round * 1000;
        const history = round === 0 ? first! : await record(seed, SUBMISSIONS);
        const random = seededRandom(seed);
        const broken = await brokenBy(history, randomCuts(history, random, CUTS), random);
        expect({ seed, broken }).toEqual({ seed, broken: undefined });
      }
    },
    60_000 + ROUNDS * 60_000,
  );

  test("leaves a data directory that the executable checks and serves", async () => {
    const { recording, project } = first!;
    const random = seededRandom(SEED);
    for (const fates of [lost, mixed(random)]) {
      const target = tempDirectory(DISK);
      const cut = project + random.below(recording.length - project);
      rebuild(recording, { cut, names: "journal", fates, random }, target);
      const data = join(target, "data");
      const server = await startServer([], { data });
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      expect(await server.stop()).toBe(0);
      const { code, stdout } = await onData(data).run("check");
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("all is well") });
    }
  });

  // A test of the test.
  test.each([
    ["the log of the database", (path: string) => path.endsWith("-wal")],
    ["the database", (path: string) => path.endsWith(".db")],
    ["uploaded files", (path: string) => path.startsWith("data/uploads/staging/")],
    ["the folders of uploaded files", (path: string) => /^data\/uploads\/..$/.test(path)],
    ["the upload directory", (path: string) => path === "data/uploads"],
    ["the data directory", (path: string) => path === "data"],
    ["the directory that holds the data directory", (path: string) => path === ""],
  ])(
    "shows a program that does not sync %s",
    async (_, isLeftOut) => {
      const history = withoutSyncs(first!, isLeftOut);
      const random = seededRandom(SEED);
      function* cuts(): Generator<Cut> {
        for (const cut of [...history.recording.answers.values()].toReversed()) {
          yield { cut, names: "any", fates: lost };
          yield { cut, names: "any", fates: mixed(random) };
        }
      }
      expect(await brokenBy(history, cuts(), random)).toBeString();
    },
    60_000,
  );
});
