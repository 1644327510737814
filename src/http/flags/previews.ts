import { Hono } from "hono";
import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import { parseFeedback } from "../../flags/previews/feedback.ts";
import { noPreview, takeFeedback } from "../../flags/previews/feedbacks.ts";
import { type PreviewSet, createPreviewSets, viewPreview } from "../../flags/previews/previews.ts";
import type { Rate } from "../../base/units.ts";
import { type Client, limitKey, networkOf } from "../address.ts";
import { type Report, showError } from "../errors.ts";
import { FEEDBACK_PATH, PREVIEWS_PATH } from "../paths.ts";
import { preflight } from "../preflight.ts";
import { type Guard, type ThreadCounts, createRateLimiter } from "../rate-limit.ts";
import {
  type Answer,
  HEADERS,
  MISSING,
  READ_PREFLIGHT,
  answerOf,
  prepareAnswer,
  sendAnswer,
  uncached,
} from "./answers.ts";
import { areLarge, flagsInTurns } from "./large-body.ts";
import { createStaleness } from "./stale.ts";
import { formatBytes } from "../../base/bytes.ts";
import { FEEDBACK_LIMITS } from "../../flags/limits.ts";
import { parseJson, readAll } from "../body.ts";

export type PreviewsService = {
  /** Answers GET or HEAD for the previews of an environment. */
  readPreviews: (request: Request, client: () => Client) => Response | Promise<Response>;
  /** The same answers, those to other methods and to feedback, as a Hono app, which gets the client as a binding. */
  routes: Hono<{ Bindings: { client: Client } }>;
};

type PreviewsOptions = {
  /** Limits the reads of a client; without it, any client may read as often as it likes. */
  readGuard?: Guard | undefined;
  /** Limits the other requests of a client. */
  guard?: Guard | undefined;
  /** Limits the feedback of a client; null for no limit. */
  feedbackRate: Rate | null;
  /** The age in milliseconds up to which previews are answered while the database does not answer; null for any age. */
  maxStale?: number | null;
  /** Counts a feedback that was stored. */
  countFeedback: () => void;
  threads?: ThreadCounts;
};

const POST_PREFLIGHT = {
  methods: "POST, OPTIONS",
  headers: "x-project-key, x-environment-key, x-api-key, content-type",
};

type Keys = { projectKey: string; environmentKey: string };

/** The previews of an environment, and the feedback about them. */
export function createPreviewsService(app: App, report: Report, options: PreviewsOptions): PreviewsService {
  const { readGuard, guard, feedbackRate, countFeedback, maxStale = null, threads = null } = options;
  const staleness = createStaleness(app.watch, maxStale);
  const findPreviews = createPreviewSets(app);
  const answer = createPreviewAnswers(app);
  const countSent = createRateLimiter(app.now, "requests", threads, "feedback");

  /** Throws `invalid` for a header that is missing. */
  const keysOf = ({ headers }: Request): Keys => {
    const projectKey = headers.get("x-project-key");
    if (!projectKey) throw new AppError("invalid", MISSING.projectKey);
    const environmentKey = headers.get("x-environment-key");
    if (!environmentKey) throw new AppError("invalid", MISSING.environmentKey);
    return { projectKey, environmentKey };
  };
  /** The published client reads `message`, and shows it to its callers as `errorMessage`. */
  const fail = (error: unknown, request: Request, rest: object = {}) => {
    const { status, message, headers } = showError(error, report, request);
    return uncached(status, { ...rest, error: true, message, errorMessage: message }, headers);
  };

  const readPreviews: PreviewsService["readPreviews"] = (request, client) => {
    // A reader that ignores the status finds no preview.
    const failRead = (error: unknown) => fail(error, request, { flags: [] });
    try {
      const { projectKey, environmentKey } = keysOf(request);
      readGuard?.(client)();
      const previews = findPreviews(projectKey, environmentKey);
      const answered =
        previews instanceof Promise
          ? previews.then((loaded) => answer(request, loaded))
          : answer(request, previews);
      return answered instanceof Promise ? answered.then(staleness.mark).catch(failRead) : answered;
    } catch (error) {
      return failRead(error);
    }
  };

  const submitFeedback = async (request: Request, client: () => Client): Promise<Response> => {
    let leave: (() => void) | undefined;
    try {
      const keys = keysOf(request);
      leave = guard?.(client);
      const sender = limitKey(client());
      if (feedbackRate && sender !== null) countSent(sender, feedbackRate);
      const { flag, feedback } = parseFeedback(await readFeedback(request));
      const previews = await findPreviews(keys.projectKey, keys.environmentKey);
      if (!previews) throw unknownKeys();
      if (!previews.flags.some(({ slug }) => slug === flag)) {
        staleness.requireFresh();
        throw noPreview(flag);
      }
      const network = networkOf(client().address);
      const { id, isRepeat } = await takeFeedback(app, { ...keys, flag, network }, feedback);
      if (!isRepeat) countFeedback();
      return uncached(200, { success: true, feedbackId: id });
    } catch (error) {
      return fail(error, request);
    } finally {
      leave?.();
    }
  };

  const routes: PreviewsService["routes"] = new Hono();
  for (const path of [PREVIEWS_PATH, `${PREVIEWS_PATH}/`]) {
    routes.get(path, (c) => readPreviews(c.req.raw, () => c.env.client));
    routes.options(path, (c) => preflight(c.req.raw, HEADERS, READ_PREFLIGHT));
    routes.all(path, () => wrongMethod("previews are read with GET", READ_PREFLIGHT.methods, { flags: [] }));
  }
  routes.post(FEEDBACK_PATH, (c) => submitFeedback(c.req.raw, () => c.env.client));
  routes.options(FEEDBACK_PATH, (c) => preflight(c.req.raw, HEADERS, POST_PREFLIGHT));
  routes.all(FEEDBACK_PATH, () => wrongMethod("feedback is sent with POST", POST_PREFLIGHT.methods));
  return { readPreviews, routes };
}

/** Answers with a set of previews, from an answer that is prepared once for all readers; a large one in turns. */
function createPreviewAnswers(
  app: App,
): (request: Request, previews: PreviewSet | undefined) => Response | Promise<Response> {
  const answers = new WeakMap<PreviewSet, Answer>();
  /** Large answers that are being made. */
  const making = new WeakMap<PreviewSet, Promise<Answer>>();
  const answerLater = async (request: Request, previews: PreviewSet, now: number): Promise<Response> => {
    let made = making.get(previews);
    if (!made) {
      const texts = previews.flags.values().map((flag) => JSON.stringify(viewPreview(previews, flag, now)));
      made = flagsInTurns(texts)
        .then((body) => answerOf(body, previews.flags, now))
        .finally(() => making.delete(previews));
      making.set(previews, made);
    }
    const known = await made;
    answers.set(previews, known);
    return sendAnswer(request, known);
  };
  return (request, previews) => {
    if (!previews) throw unknownKeys();
    const now = app.now();
    let known = answers.get(previews);
    if (!known || now >= known.until) {
      const { flags } = previews;
      if (areLarge(flags, ({ previewContent }) => previewContent.length))
        return answerLater(request, previews, now);
      const views = flags.map((flag) => viewPreview(previews, flag, now));
      known = prepareAnswer(JSON.stringify({ flags: views }), flags, now);
      answers.set(previews, known);
    }
    return sendAnswer(request, known);
  };
}

function unknownKeys(): AppError {
  return new AppError("unauthenticated", MISSING.environment);
}

function wrongMethod(message: string, methods: string, rest: object = {}): Response {
  return uncached(405, { ...rest, error: true, message, errorMessage: message }, { Allow: methods });
}

/** The JSON body of a feedback. Throws `too_large`, `invalid` for invalid JSON, `unsupported` for a compressed body. */
async function readFeedback(request: Request): Promise<unknown> {
  const tooLarge = () =>
    new AppError("too_large", `a feedback has at most ${formatBytes(FEEDBACK_LIMITS.body)}`);
  return parseJson(await readAll(request, FEEDBACK_LIMITS.body, tooLarge));
}
