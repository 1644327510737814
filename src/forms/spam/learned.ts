import { createTurns } from "../../base/event-loop.ts";
import { LEARNING } from "../limits.ts";
import { type Counts, addCount, countOf, createCounts, placeOf } from "./counts.ts";

/** The knowledge of a filter: how many submissions of each kind, and how many of these have each feature. */
export type Learned = {
  spam: number;
  good: number;
  /** By the hash of a feature, the spam that has it times 65,536 and the good ones. */
  counts: Counts;
};

const SPAM_UNIT = 0x10000;

export function emptyLearned(): Learned {
  return { spam: 0, good: 0, counts: createCounts(1024) };
}

/** Adds an example by the hashes of its features, without new ones past `LEARNING.model`. Of each kind there may be 32,767. */
export function learn(learned: Learned, isSpam: boolean, hashes: Int32Array): void {
  if (isSpam) learned.spam += 1;
  else learned.good += 1;
  const { counts } = learned;
  for (const hash of hashes)
    if (counts.size < LEARNING.model || countOf(counts, hash) > 0)
      addCount(counts, hash, isSpam ? SPAM_UNIT : 1);
}

/** Whether there are enough examples of each kind to decide by. */
export function decides({ spam, good }: { spam: number; good: number }): boolean {
  return spam >= LEARNING.least && good >= LEARNING.least;
}

/** The strength of what is assumed of a feature before any example, in examples, and the probability assumed. */
const [STRENGTH, ASSUMED] = [0.05, 0.5];

/** Examples that are assumed to have a feature, of each kind: few that lack it do not prove that none has it. */
const UNSEEN = 0.15;

/** Features nearer to 0.5 than this say nothing. */
const LEAST_DEVIATION = 0.1;

/** The strongest features decide. */
const MOST_EVIDENCE = 80;

/** Examples of a kind with which half of the evidence counts: features of one text are not independent, nor are few examples. */
const HALF = 30;

/** The score from which a submission is spam. This and the constants above were chosen on public corpora: `scripts/bench/spam`. */
const LEAST_SCORE = 0.995;

/** Features that are named, without as many of which nothing is spam. */
const NAMED = 5;

/** The features by which a filter decides. */
export type Weights = {
  /** Examples of the rarer kind. */
  examples: number;
  /** As in `Counts`, with the index of its evidence in place of a count; 0 for a feature that says nothing. */
  places: Int32Array;
  /** The natural logarithm of one divided by the probability that a submission with the feature is good, and that it is spam. */
  spam: Float32Array;
  good: Float32Array;
  /** The level of the larger of both. */
  levels: Uint8Array;
};

/** Levels of strength, each of an eighth. */
const LEVELS = 64;

/** Places of a table between two looks at the clock. */
const STEP = 4096;

/**
 * The weights of what was learned, in turns with other work. Features that are in as many submissions of each kind have the same evidence,
 * so that there is little of it.
 */
export async function weigh(learned: Learned): Promise<Weights> {
  const places = learned.counts.places.slice();
  const probabilities = [ASSUMED];
  const indexes = new Map<number, number>();
  const takeTurns = createTurns();
  for (let at = 1; at < places.length; at += 2) {
    const turn = at % STEP === 1 ? takeTurns() : undefined;
    if (turn !== undefined) await turn;
    const count = places[at]!;
    if (count === 0) continue;
    let index = indexes.get(count);
    if (index === undefined) {
      const probability = probabilityOf(learned, count);
      const saysNothing = Math.abs(probability - 0.5) < LEAST_DEVIATION;
      index = saysNothing ? 0 : probabilities.push(probability) - 1;
      indexes.set(count, index);
    }
    places[at] = index;
  }
  const spam = Float32Array.from(probabilities, (probability) => -Math.log(1 - probability));
  const good = Float32Array.from(probabilities, (probability) => -Math.log(probability));
  const levels = Uint8Array.from(spam, (each, index) =>
    Math.min(LEVELS - 1, 8 * Math.max(each, good[index]!)),
  );
  return { examples: Math.min(learned.spam, learned.good), places, spam, good, levels };
}

/**
 * The probability that a submission with a feature of this count is spam: that of Gary Robinson, "A Statistical Approach to the Spam
 * Problem", Linux Journal 107 (2003).
 */
function probabilityOf({ spam, good }: Learned, count: number): number {
  const inSpam = count >> 16;
  const inGood = count & 0xffff;
  const spamRate = (inSpam + UNSEEN) / (spam + 2 * UNSEEN);
  const rate = spamRate / (spamRate + (inGood + UNSEEN) / (good + 2 * UNSEEN));
  // Worth no more than among as many examples as there are of the rarer kind.
  const seen = Math.min(spam, good) * (inSpam / spam + inGood / good);
  return (STRENGTH * ASSUMED + seen * rate) / (STRENGTH + seen);
}

/** The features of the submission that is judged, and the indexes of their evidence, in memory that this thread uses again. */
const found = new Int32Array(LEARNING.features);
const evidence = new Int32Array(LEARNING.features);

/**
 * The hashes of the five features that most say that a submission is spam; null if it is not. The probabilities of all are combined
 * as R. A. Fisher combines tests (Statistical Methods for Research Workers, 21.1), once for spam and once for the rest, and as
 * if there were fewer of them, since they depend on each other (Robinson's effective size factor, as in bogofilter).
 */
export function judge(
  { examples, places, spam, good, levels }: Weights,
  hashes: Int32Array,
): number[] | null {
  let count = 0;
  for (let index = 0; index < hashes.length; index += 1) {
    const hash = hashes[index]!;
    found[count] = hash;
    evidence[count] = places[placeOf(places, hash) + 1]!;
    if (evidence[count] !== 0) count += 1;
  }
  if (count > MOST_EVIDENCE) count = keepStrongest(levels, count);
  let forSpam = 0;
  let forGood = 0;
  for (let index = 0; index < count; index += 1) {
    forSpam += spam[evidence[index]!]!;
    forGood += good[evidence[index]!]!;
  }
  // Each is at its mean where nothing is known, so that most submissions need no distribution.
  if (forSpam <= count || forGood >= count) return null;
  const size = Math.ceil((count * examples) / (examples + HALF));
  const share = size / count;
  if ((1 + chanceOf(forGood * share, size) - chanceOf(forSpam * share, size)) / 2 < LEAST_SCORE) return null;
  const reasons = [...evidence.subarray(0, count)]
    .map((index, at) => ({ hash: found[at]!, spam: spam[index]!, good: good[index]! }))
    .filter((each) => each.spam > each.good);
  // Few features are no proof, however strong: of a short message, its length alone might decide.
  if (reasons.length < NAMED) return null;
  return reasons
    .toSorted((one, other) => other.spam - one.spam)
    .slice(0, NAMED)
    .map(({ hash }) => hash);
}

/** How many features are at each level. */
const atLevel = new Int32Array(LEVELS);

/** Keeps the strongest of the features that were found, of equal ones the first. Returns how many these are. */
function keepStrongest(levels: Uint8Array, count: number): number {
  atLevel.fill(0);
  for (let index = 0; index < count; index += 1) atLevel[levels[evidence[index]!]!]! += 1;
  let least = LEVELS - 1;
  let above = 0;
  for (; above + atLevel[least]! < MOST_EVIDENCE; least -= 1) above += atLevel[least]!;
  let equal = MOST_EVIDENCE - above;
  let kept = 0;
  for (let index = 0; index < count; index += 1) {
    const level = levels[evidence[index]!]!;
    if (level < least || (level === least && equal === 0)) continue;
    if (level === least) equal -= 1;
    found[kept] = found[index]!;
    evidence[kept++] = evidence[index]!;
  }
  return kept;
}

/** The probability that chi-square with `2 * size` degrees of freedom is at least `2 * half`. */
function chanceOf(half: number, size: number): number {
  // In logarithms: e to the power of -half is 0 as a number where half is large.
  let term = -half;
  let sum = Math.exp(term);
  const logarithm = Math.log(half);
  for (let step = 1; step < size; step += 1) {
    term += logarithm - LOGARITHMS[step]!;
    sum += Math.exp(term);
  }
  return Math.min(sum, 1);
}

const LOGARITHMS = Float64Array.from({ length: MOST_EVIDENCE + 1 }, (_, number) => Math.log(number));
