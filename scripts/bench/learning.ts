import { join } from "node:path";
import { compare } from "./compare.ts";
import type { Rounds, Show } from "./figure.ts";
import { createForm, fillForm, onCommandLine, startFormflag } from "./formflag.ts";

/** Marks of each kind from which the filter learned. */
const MARKS = 200;

/** Measures submissions to a form that learns, once its filter decides, against those to a plain form. */
export async function measureLearning(directory: string, rounds: Rounds, show: Show): Promise<void> {
  const data = join(directory, "learning");
  const [learning, plain] = [
    await createForm(data, "learning", "--learn", "on"),
    await createForm(data, "plain"),
  ];
  await fillForm(data, "learning", 2 * MARKS, exampleOf);
  const server = await startFormflag(data);
  for (const [kind, folder] of Object.entries({ spam: "spam", good: "archived" })) {
    const chosen = ["--matching", "--form", "learning", "--where", `kind=${kind}`];
    await onCommandLine(data, "submissions", "mark", ...chosen, folder, "--yes");
  }
  await learned(data);
  for (const [name, words] of Object.entries({ "40 words": 40, "400 words": 400 })) {
    const post = {
      method: "POST" as const,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        name: "Ann Example",
        email: "ann@example.com",
        message: textOf(4711, 1, words),
      }),
    };
    await compare(
      { server, request: { ...post, path: learning } },
      { server, request: { ...post, path: plain } },
      {
        part: "learning",
        name: `JSON of ${name} to a form that learned from ${2 * MARKS} marks, to a plain form`,
        goal: null,
        cpuGoal: "≤ 1.15",
        connections: 64,
        directory,
      },
      rounds,
      show,
    );
  }
  await server.stop();
}

/** Returns once every mark is learned. */
async function learned(data: string): Promise<void> {
  for (const deadline = Date.now() + 30_000; ; await Bun.sleep(200)) {
    type Form = { learned: { spam: number; good: number } };
    const { spam, good } = (await onCommandLine<Form>(data, "forms", "get", "learning")).learned;
    if (spam === MARKS && good === MARKS) return;
    if (Date.now() > deadline) throw new Error(`learned from ${spam} spam and ${good} good`);
  }
}

function exampleOf(index: number): string {
  const kind = index % 2 === 0 ? "spam" : "good";
  const [name, email] = [`Person ${index}`, `person${index}@${kind}.example`];
  return JSON.stringify({ kind, name, email, message: textOf(index, index % 2, 60) });
}

const WORDS = 1000;

/** Words of which few are common, as in a language. Half of those of one kind of text are of that kind alone. */
function textOf(seed: number, kind: number, words: number): string {
  let state = seed + 1;
  return Array.from({ length: words }, (_, index) => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + index + 1;
    const number = Math.floor(WORDS ** ((state >>> 0) / 2 ** 32));
    return `w${(2 * number + (number % 2 === 0 ? kind : 0)).toString(36)}rd`;
  }).join(" ");
}
