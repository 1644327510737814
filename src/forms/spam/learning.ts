import { AppError } from "../../base/errors.ts";
import { createTurns, yieldToEventLoop } from "../../base/event-loop.ts";
import type { FormsApp } from "../store.ts";
import { featureTexts, featuresOf } from "./features.ts";
import { type Weights, decides, emptyLearned, judge, learn, weigh } from "./learned.ts";
import { LEARNED } from "./spam-reason.ts";

export type LearningApp = Pick<FormsApp, "store" | "now" | "random">;

/** The filter of a project as submissions are judged by it. */
export type Filter = {
  /** The reason why a submission is spam, with the words that say so; null for one that is not. */
  findSpam: (data: object, report: (error: unknown) => void) => string | null;
  /** Returns once it is no longer renewed. */
  settled: () => Promise<void>;
};

/** Milliseconds after which a filter is checked for what was learned since. */
const FRESH_MS = 5000;

const filters = new WeakMap<object, Map<string, Promise<Filter>>>();

/** The filter of a project, by its slug, in the memory of this thread. Throws `unavailable`. */
export function projectFilter(app: LearningApp, project: string): Promise<Filter> {
  const known = filters.get(app.store) ?? new Map<string, Promise<Filter>>();
  filters.set(app.store, known);
  const loading = known.get(project) ?? loadFilter(app, project);
  known.set(project, loading);
  loading.catch(() => known.delete(project));
  return loading;
}

async function loadFilter(app: LearningApp, project: string): Promise<Filter> {
  const salt = await saltOf(app);
  let known = await readLearned(app, project, null);
  let checkedAt = app.now();
  let renewing = Promise.resolve();
  const renew = async () => {
    known = await readLearned(app, project, known);
  };
  return {
    settled: () => renewing,
    findSpam(data, report) {
      // Renewed beside this submission, which is judged by what is known.
      if (Math.abs(app.now() - checkedAt) >= FRESH_MS) {
        checkedAt = app.now();
        renewing = renew().catch((error) => {
          // The next submission after a while tries again.
          if (!(error instanceof AppError && error.code === "unavailable")) report(error);
        });
      }
      if (known.weights === null) return null;
      const found = judge(known.weights, featuresOf(data, salt));
      return found && LEARNED + featureTexts(data, salt, found).join(", ");
    },
  };
}

/** The weights of a project at one stamp of its examples; null where these are too few to decide. */
type Known = { weights: Weights | null; stamp: string };

/** The knowledge of a project, read again unless it is `known`. */
async function readLearned({ store }: LearningApp, project: string, known: Known | null): Promise<Known> {
  const { stamp, ...counts } = await store.learning.counts(project);
  if (stamp === known?.stamp) return known;
  if (!decides(counts)) return { weights: null, stamp };
  const learned = emptyLearned();
  const { spam, good } = await store.learning.examples(project);
  const takeTurns = createTurns();
  // Both kinds in turns, so that neither takes all the room.
  for (let index = 0; index < Math.max(spam.length, good.length); index += 1) {
    for (const [isSpam, hashes] of [[true, spam[index]] as const, [false, good[index]] as const])
      if (hashes) learn(learned, isSpam, unpack(hashes));
    const turn = takeTurns();
    if (turn !== undefined) await turn;
  }
  return { weights: decides(learned) ? await weigh(learned) : null, stamp };
}

/** Bytes in the order of the machine: every one that formflag runs on puts the lowest first. */
function unpack(bytes: Uint8Array): Int32Array {
  return new Int32Array(bytes.slice().buffer, 0, Math.floor(bytes.length / 4));
}

function pack(hashes: Int32Array): Uint8Array {
  return new Uint8Array(hashes.buffer, hashes.byteOffset, hashes.byteLength);
}

/** The secret of the database with which words are hashed. */
function saltOf({ store, random }: LearningApp): Promise<string> {
  return store.secrets.keep("learning", Buffer.from(random(32)).toString("base64url"));
}

/** Examples of one transaction. */
const STEP = 100;

/** Reads every submission that is still to be learned from. Throws `unavailable`. */
export async function learnMarked(app: LearningApp): Promise<void> {
  const { learning } = app.store;
  let examples = await learning.unread(STEP);
  if (examples.length === 0) return;
  const salt = await saltOf(app);
  for (; examples.length > 0; examples = await learning.unread(STEP)) {
    await learning.keep(
      examples.map(({ id, data }) => ({ id, hashes: data === null ? null : hashesIn(data, salt) })),
    );
    await yieldToEventLoop();
  }
}

function hashesIn(data: string, salt: string): Uint8Array {
  return pack(featuresOf(JSON.parse(data) as object, salt));
}
