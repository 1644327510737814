import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { featuresOf } from "../../../src/forms/spam/features.ts";
import { emptyLearned, judge, learn, weigh } from "../../../src/forms/spam/learned.ts";
import { compileSpamRules } from "../../../src/forms/spam/spam.ts";
import { DEFAULT_SETTINGS } from "../../../src/forms/settings/settings.ts";
import { type Corpus, type Message, readCorpora } from "./corpora.ts";

/**
 * bun scripts/bench/spam/main.ts [SEED…]: what the checks for spam find in public corpora, and how often they are wrong, as a
 * table in Markdown. The filter that learns is trained on some messages and measured on all others, once a seed.
 */

/** Other seeds than those with which the constants of the filter were chosen, which were 1 to 5, on one half of the messages. */
const SEEDS = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [11, 12, 13, 14, 15];

type Found = { spam: number; caught: number; good: number; wrong: number };

/** By what a check is called, its figures in each corpus. */
const rows = new Map<string, string[]>();
const directory = mkdtempSync(join(tmpdir(), "formflag-spam-"));
try {
  const corpora = await readCorpora(directory);
  for (const corpus of corpora) await measure(corpus);
  const lines = [["", ...corpora.map(({ name }) => name)], corpora.map(() => "---").concat("---")];
  for (const [check, cells] of rows) lines.push([check, ...cells]);
  for (const line of lines) console.log(`| ${line.join(" | ")} |`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function measure({ messages }: Corpus): Promise<void> {
  const rules = {
    "a new form": {},
    "--spam-disposable on": { spamDisposable: true },
    "--spam-links 2": { spamLinks: 2 },
  };
  for (const [check, settings] of Object.entries(rules)) {
    const findSpam = await compileSpamRules({ ...DEFAULT_SETTINGS, ...settings });
    const found = emptyFound();
    for (const message of messages) count(found, message, (await findSpam(message.data, new Map())) !== null);
    show(check, found);
  }
  const shuffled = SEEDS.map((seed) => shuffle(messages, seed));
  for (const marks of [40, 100, 400])
    show(`${marks} marks`, await learned(shuffled, (all) => halves(all, marks / 2)));
  show("the first 20 %", await learned(shuffled, firstFifth));
  const timed = messages.filter(({ at }) => at > 0).toSorted((one, other) => one.at - other.at);
  show("the oldest 20 %", timed.length === 0 ? null : await learned([timed], firstFifth));
}

/** Trains with what `split` puts first, and measures with the rest; the sum of all orders. */
async function learned(
  orders: Message[][],
  split: (messages: Message[]) => [Message[], Message[]],
): Promise<Found> {
  const found = emptyFound();
  for (const order of orders) {
    const [marked, others] = split(order);
    const known = emptyLearned();
    for (const { isSpam, data } of marked) learn(known, isSpam, featuresOf(data, ""));
    const weights = await weigh(known);
    for (const message of others)
      count(found, message, judge(weights, featuresOf(message.data, "")) !== null);
  }
  return found;
}

function firstFifth(messages: Message[]): [Message[], Message[]] {
  const size = Math.floor(messages.length / 5);
  return [messages.slice(0, size), messages.slice(size)];
}

/** The first of each kind. */
function halves(messages: Message[], size: number): [Message[], Message[]] {
  const { spam = [], good = [] } = Object.groupBy(messages, ({ isSpam }) => (isSpam ? "spam" : "good"));
  return [
    [...spam.slice(0, size), ...good.slice(0, size)],
    [...spam.slice(size), ...good.slice(size)],
  ];
}

function emptyFound(): Found {
  return { spam: 0, caught: 0, good: 0, wrong: 0 };
}

function count(found: Found, { isSpam }: Message, isFound: boolean): void {
  found[isSpam ? "spam" : "good"] += 1;
  if (isFound) found[isSpam ? "caught" : "wrong"] += 1;
}

/** Precision, recall and false alarms in 1,000 good messages. */
function show(check: string, found: Found | null): void {
  rows.set(check, [...(rows.get(check) ?? []), found === null ? "–" : figuresOf(found)]);
}

function figuresOf({ spam, caught, good, wrong }: Found): string {
  const precision = caught + wrong === 0 ? "–" : (caught / (caught + wrong)).toFixed(3);
  return `${precision}/${(caught / spam).toFixed(3)}/${((1000 * wrong) / good).toFixed(1)}`;
}

/** The order of a seed: Fisher and Yates with the generator mulberry32. */
function shuffle(messages: Message[], seed: number): Message[] {
  const shuffled = [...messages];
  let state = seed;
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    const index = Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * (last + 1));
    [shuffled[last], shuffled[index]] = [shuffled[index]!, shuffled[last]!];
  }
  return shuffled;
}
