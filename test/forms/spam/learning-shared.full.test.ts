import { expect, test } from "bun:test";
import type { LearnedView } from "../../../src/forms/spam/learning-store.ts";
import { eventually } from "../../support/eventually.ts";
import { type RunningServer, runExecutable, startServer } from "../../support/executable.ts";
import { IS_POSTGRES_HERE, freshDatabase } from "../../support/postgres/postgres.ts";

const SPAM = ["cheap pills for you", "win money now quickly", "casino bonus today", "buy many followers"];
const GOOD = ["my bicycle is broken", "when do you open", "please call me back", "thanks for your invoice"];
const MIXED = "win money now quickly with cheap pills for you";

/** Of each kind. The first ones come from an address of their own. */
const COUNT = 80;
const TAUGHT_BY_ONE = 70;

type Stored = { id: string; data: { email: string; kind?: string }; state: string; spam: string | null };

/** A form that learns, on two servers with one database, with submissions that teach it once they are marked. */
async function begin() {
  const env = { FORMFLAG_DATABASE_URL: await freshDatabase() };
  const run = async (args: string[], stdin = "") => {
    const { code, stdout, stderr } = await runExecutable(args, { env, stdin });
    if (code !== 0) throw new Error(`formflag ${args.join(" ")} exited ${code}: ${stderr}`);
    return stdout;
  };
  const start = () => startServer([], { env, data: null });
  const { key } = JSON.parse(await run(["forms", "create", "contact", "--learn", "on", "--json"])) as {
    key: string;
  };
  const scopes = ["--scope", "forms:write", "forms:read"];
  const { token } = JSON.parse(await run(["tokens", "create", "ci", ...scopes, "--json"])) as {
    token: string;
  };
  const rows = [SPAM, GOOD].flatMap((texts, kind) =>
    Array.from({ length: COUNT }, (_, n) => ({
      email: `${kind === 0 ? "spam" : "good"}${n < TAUGHT_BY_ONE ? "" : n}@example.com`,
      message: `${texts[n % 4]} ${texts[(n * 7 + 1) % 4]}`,
    })),
  );
  await run(["submissions", "import", "contact", "-"], rows.map((row) => JSON.stringify(row)).join("\n"));
  const list = async (): Promise<Stored[]> =>
    (await run(["submissions", "export", "contact", "--all"]))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Stored);
  const call = async <T>(server: RunningServer, method: string, path: string, body?: object) => {
    const answer = await fetch(`${server.url}/api/admin/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const mark = (server: RunningServer, ids: string[], mark: string) =>
    call(server, "POST", "/submissions/mark", { ids, mark });
  const learned = async (server: RunningServer) => {
    const form = await call<{ learned: LearnedView }>(server, "GET", "/forms/contact");
    return [form.learned.spam, form.learned.good];
  };
  /** The reason why a server takes a new submission for spam; null for none. */
  const judged = async (server: RunningServer, message: string) => {
    const body = new URLSearchParams({ message, number: String(Math.random()) });
    const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, { method: "POST", body });
    const { id } = (await answer.json()) as { id: string };
    return (await call<Stored>(server, "GET", `/submissions/${id}`)).spam;
  };
  return { start, list, call, mark, learned, judged };
}

test.skipIf(!IS_POSTGRES_HERE)(
  "two servers on one database learn from the marks on both, lose none, and forget what one purges",
  async () => {
    const { start, list, call, mark, learned, judged } = await begin();
    const [one, other] = [await start(), await start()] as const;
    const stored = await list();
    const [spam, good] = ["spam", "good"].map((kind) =>
      stored.filter(({ data }) => data.email.startsWith(kind)).map(({ id }) => id),
    ) as [string[], string[]];
    for (const server of [one, other]) expect(await judged(server, MIXED)).toBeNull();
    // One mark a request on both at once; each also marks what the other marks as something else.
    const [contested, alone] = [[...spam.slice(-5), ...good.slice(-5)], (ids: string[]) => ids.slice(0, -5)];
    await Promise.all(
      [one, other].flatMap((server, turn) => [
        ...alone(spam).flatMap((id, n) => (n % 2 === turn ? mark(server, [id], "spam") : [])),
        ...alone(good).flatMap((id, n) => (n % 2 === turn ? mark(server, [id], "archived") : [])),
        ...contested.map((id) => mark(server, [id], turn === 0 ? "spam" : "archived")),
      ]),
    );
    const marked = (await list()).filter(({ state }) => state !== "inbox");
    const counts = ["spam", "archived"].map((each) => marked.filter(({ state }) => state === each).length);
    expect(counts[0]! + counts[1]!).toBe(2 * COUNT);
    for (const server of [one, other])
      await eventually("every mark", async () => String(await learned(server)) === String(counts));
    for (const server of [one, other]) {
      const reason = await eventually("the filter", () => judged(server, MIXED));
      expect(reason).toStartWith("learn:");
      expect(await judged(server, "when do you open, please call me back")).toBeNull();
    }
    // Killed before its job may have read them.
    await mark(one, contested, "spam");
    await one.stop("SIGKILL");
    const after = String([COUNT + 5, COUNT - 5]);
    // The job of an idle server runs once a minute.
    await eventually(
      "the marks of the killed one",
      async () => String(await learned(other)) === after,
      90_000,
    );
    const again = await start();
    const purged = await call<{ submissions: number }>(other, "POST", "/submissions/purge", {
      email: "spam@example.com",
    });
    expect(purged.submissions).toBe(TAUGHT_BY_ONE);
    for (const server of [again, other]) {
      expect((await learned(server))[0]).toBe(COUNT + 5 - TAUGHT_BY_ONE);
      await eventually("a filter that knows too little", async () => (await judged(server, MIXED)) === null);
    }
    for (const server of [again, other]) await server.stop();
  },
  180_000,
);
