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

/** The features by which a filter decides, in tables with open addressing: each has one place in all of them. */
export type Weights = {
  /** Examples of the rarer kind. */
  examples: number;
  keys: Int32Array;
  /** The natural logarithm of one divided by the probability that a submission with the feature is good, and that it is spam. */
  spam: Float32Array;
  good: Float32Array;
};

/** Places of a table between two looks at the clock. */
const STEP = 4096;

/**
 * The weights of what was learned, in turns with other work. The probability of each feature is that of Gary Robinson, "A Statistical
 * Approach to the Spam Problem", Linux Journal 107 (2003).
 */
export async function weigh({ spam, good, counts }: Learned): Promise<Weights> {
  const examples = Math.min(spam, good);
  // Counts are less than half full, so that each feature has its place in tables of the same size.
  const { length } = counts.keys;
  const weights = {
    examples,
    keys: new Int32Array(length),
    spam: new Float32Array(length),
    good: new Float32Array(length),
  };
  const takeTurns = createTurns();
  for (let index = 0; index < length; index += 1) {
    const turn = index % STEP === 0 ? takeTurns() : undefined;
    if (turn !== undefined) await turn;
    const hash = counts.keys[index]!;
    const inSpam = counts.values[index]! >> 16;
    const inGood = counts.values[index]! & 0xffff;
    const spamRate = (inSpam + UNSEEN) / (spam + 2 * UNSEEN);
    const rate = spamRate / (spamRate + (inGood + UNSEEN) / (good + 2 * UNSEEN));
    // Worth no more than among as many examples as there are of the rarer kind.
    const seen = examples * (inSpam / spam + inGood / good);
    const probability = (STRENGTH * ASSUMED + seen * rate) / (STRENGTH + seen);
    if (hash === 0 || Math.abs(probability - 0.5) < LEAST_DEVIATION) continue;
    const place = placeOf(weights.keys, hash);
    weights.keys[place] = hash;
    weights.spam[place] = -Math.log(1 - probability);
    weights.good[place] = -Math.log(probability);
  }
  return weights;
}

/** Places of the features of the submission that is judged, in memory that this thread uses again. */
const found = new Int32Array(LEARNING.features);

/**
 * The hashes of the five features that most say that a submission is spam; null if it is not. The probabilities of all are combined
 * as R. A. Fisher combines tests (Statistical Methods for Research Workers, 21.1), once for spam and once for the rest, and as
 * if there were fewer of them, since they depend on each other (Robinson's effective size factor, as in bogofilter).
 */
export function judge(weights: Weights, hashes: Int32Array): number[] | null {
  let count = 0;
  for (let index = 0; index < hashes.length; index += 1) {
    const place = placeOf(weights.keys, hashes[index]!);
    if (weights.keys[place] !== 0) found[count++] = place;
  }
  if (count > MOST_EVIDENCE) count = keepStrongest(weights, count);
  let spam = 0;
  let good = 0;
  for (let index = 0; index < count; index += 1) {
    spam += weights.spam[found[index]!]!;
    good += weights.good[found[index]!]!;
  }
  // Each is at its mean where nothing is known, so that most submissions need no distribution.
  if (spam <= count || good >= count) return null;
  const size = Math.ceil((count * weights.examples) / (weights.examples + HALF));
  const share = size / count;
  if ((1 + chanceOf(good * share, size) - chanceOf(spam * share, size)) / 2 < LEAST_SCORE) return null;
  const forSpam = [...found.subarray(0, count)].filter(
    (place) => weights.spam[place]! > weights.good[place]!,
  );
  // Few features are no proof, however strong: of a short message, its length alone might decide.
  if (forSpam.length < NAMED) return null;
  return forSpam
    .toSorted((one, other) => weights.spam[other]! - weights.spam[one]!)
    .slice(0, NAMED)
    .map((place) => weights.keys[place]!);
}

/** Levels of strength, each of an eighth. */
const levels = new Int32Array(64);

/** Keeps the strongest of the features that were found, of equal ones the first. Returns how many these are. */
function keepStrongest(weights: Weights, count: number): number {
  const levelOf = (place: number) =>
    Math.min(levels.length - 1, Math.floor(8 * Math.max(weights.spam[place]!, weights.good[place]!)));
  levels.fill(0);
  for (let index = 0; index < count; index += 1) levels[levelOf(found[index]!)]! += 1;
  let least = levels.length - 1;
  let above = 0;
  for (; above + levels[least]! < MOST_EVIDENCE; least -= 1) above += levels[least]!;
  let equal = MOST_EVIDENCE - above;
  let kept = 0;
  for (let index = 0; index < count; index += 1) {
    const level = levelOf(found[index]!);
    if (level < least || (level === least && equal === 0)) continue;
    if (level === least) equal -= 1;
    found[kept++] = found[index]!;
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
