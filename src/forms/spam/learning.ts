import { AppError } from "../../base/errors.ts";
import { createTurns, yieldToEventLoop } from "../../base/event-loop.ts";
import type { FormsApp } from "../store.ts";
import { featureTexts, featuresOf } from "./features.ts";
import { type Weights, decides, emptyLearned, judge, learn, weigh } from "./learned.ts";
import { LEARNED } from "./spam-reason.ts";

export type LearningApp = Pick<FormsApp, "store" | "now" | "random">;

/** The filter of a project as submissions are judged by it. */
export type Filter = {
  /**
   * The reason why a submission is spam, with the words that say so; null for one that is not. Waited for only where the filter
   * may be out of date.
   */
  findSpam: (data: object, report: (error: unknown) => void) => string | null | Promise<string | null>;
};

/** Milliseconds for which a filter is taken to be up to date, unless this thread learns in between. */
const FRESH_MS = 5000;

/** The filters of a store by the slugs of their projects, and how often this thread has learned since its start. */
type Shelf = { filters: Map<string, Promise<Filter>>; lessons: number };

const shelves = new WeakMap<object, Shelf>();

function shelfOf({ store }: LearningApp): Shelf {
  const shelf = shelves.get(store) ?? { filters: new Map(), lessons: 0 };
  shelves.set(store, shelf);
  return shelf;
}

/** The filter of a project, by its slug, in the memory of this thread. Throws `unavailable`. */
export function projectFilter(app: LearningApp, project: string): Promise<Filter> {
  const { filters } = shelfOf(app);
  const loading = filters.get(project) ?? loadFilter(app, project);
  filters.set(project, loading);
  loading.catch(() => filters.delete(project));
  return loading;
}

async function loadFilter(app: LearningApp, project: string): Promise<Filter> {
  const shelf = shelfOf(app);
  // Noted before the reading, which may miss what is learned meanwhile.
  let [checkedAt, lessons] = [app.now(), shelf.lessons];
  const salt = await saltOf(app);
  let known = await readLearned(app, project, null);
  let renewing: Promise<void> | null = null;
  const renew = async (before: Promise<void> | null, report: (error: unknown) => void) => {
    await before;
    try {
      known = await readLearned(app, project, known);
    } catch (error) {
      // Judged by what is known; a submission after a while tries again.
      if (!(error instanceof AppError && error.code === "unavailable")) report(error);
    }
  };
  const judgeNow = (data: object) => {
    if (known.weights === null) return null;
    const found = judge(known.weights, featuresOf(data, salt));
    return found && LEARNED + featureTexts(data, salt, found).join(", ");
  };
  return {
    findSpam(data, report) {
      if (lessons !== shelf.lessons || Math.abs(app.now() - checkedAt) >= FRESH_MS) {
        [checkedAt, lessons] = [app.now(), shelf.lessons];
        const started = renew(renewing, report).finally(() => {
          if (renewing === started) renewing = null;
        });
        renewing = started;
      }
      // A filter that is up to date costs no wait.
      return renewing === null ? judgeNow(data) : renewing.then(() => judgeNow(data));
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
  shelfOf(app).lessons += 1;
}

function hashesIn(data: string, salt: string): Uint8Array {
  return pack(featuresOf(JSON.parse(data) as object, salt));
}
