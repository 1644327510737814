import { LEARNING } from "../limits.ts";
import { type Counts, addCount, countOf, createCounts } from "./counts.ts";

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
const [STRENGTH, ASSUMED] = [0.3, 0.5];

/** Examples that are assumed to have a feature, of each kind: few that lack it do not prove that none has it. */
const UNSEEN = 0.1;

/** Features nearer to 0.5 than this say nothing. */
const LEAST_DEVIATION = 0.1;

/** The strongest features decide. */
const MOST_EVIDENCE = 150;

/** Examples of a kind with which half of the evidence counts: features of one text are not independent, nor are few examples. */
const HALF = 100;

/** The score from which a submission is spam. This and the constants above were chosen on public corpora: `scripts/bench/spam`. */
const LEAST_SCORE = 0.99;

/** Features that are named, without as many of which nothing is spam. */
const NAMED = 5;

/** A feature of a submission and the probability that one that has it is spam. */
type Evidence = { hash: number; probability: number };

/**
 * The hashes of the five features that most say that a submission is spam; null if it is not. The probability of each feature
 * is that of Gary Robinson, "A Statistical Approach to the Spam Problem", Linux Journal 107 (2003), those of all are combined
 * as R. A. Fisher combines tests (Statistical Methods for Research Workers, 21.1), once for spam and once for the rest, and as
 * if there were fewer of them, since they depend on each other (Robinson's effective size factor, as in bogofilter).
 */
export function judge(learned: Learned, hashes: Int32Array): number[] | null {
  if (!decides(learned)) return null;
  const found = evidenceOf(learned, hashes);
  const strongest = found.length > MOST_EVIDENCE ? found.toSorted(byStrength).slice(0, MOST_EVIDENCE) : found;
  if (scoreOf(strongest, Math.min(learned.spam, learned.good)) < LEAST_SCORE) return null;
  const forSpam = strongest.filter(({ probability }) => probability > 0.5);
  // Few features are no proof, however strong: of a short message, its length alone might decide.
  if (forSpam.length < NAMED) return null;
  return forSpam
    .toSorted(byStrength)
    .slice(0, NAMED)
    .map(({ hash }) => hash);
}

function evidenceOf({ spam, good, counts }: Learned, hashes: Int32Array): Evidence[] {
  const evidence: Evidence[] = [];
  for (const hash of hashes) {
    const count = countOf(counts, hash);
    if (count === 0) continue;
    const [inSpam, inGood] = [count >> 16, count & 0xffff];
    const spamRate = (inSpam + UNSEEN) / (spam + 2 * UNSEEN);
    const rate = spamRate / (spamRate + (inGood + UNSEEN) / (good + 2 * UNSEEN));
    // Worth no more than among as many examples as there are of the rarer kind.
    const seen = Math.min(spam, good) * (inSpam / spam + inGood / good);
    const probability = (STRENGTH * ASSUMED + seen * rate) / (STRENGTH + seen);
    if (Math.abs(probability - 0.5) >= LEAST_DEVIATION) evidence.push({ hash, probability });
  }
  return evidence;
}

function byStrength(one: Evidence, other: Evidence): number {
  return Math.abs(other.probability - 0.5) - Math.abs(one.probability - 0.5);
}

/** How much evidence is for spam, from 0 to 1: 0.5 for none. `examples` are those of the rarer kind. */
function scoreOf(evidence: readonly Evidence[], examples: number): number {
  if (evidence.length === 0) return 0.5;
  let [spam, good] = [0, 0];
  for (const { probability } of evidence) {
    spam -= Math.log(1 - probability);
    good -= Math.log(probability);
  }
  const size = Math.ceil((evidence.length * examples) / (examples + HALF));
  const share = size / evidence.length;
  return (1 + chanceOf(good * share, size) - chanceOf(spam * share, size)) / 2;
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
