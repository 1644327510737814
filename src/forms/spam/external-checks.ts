import { isoTime } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { once } from "../../base/once.ts";
import type { Outgoing, WebhookDelivery } from "../../delivery/outgoing.ts";
import { type SentSubmission, submissionJson } from "../../delivery/submission-json.ts";
import { oneLine } from "../../delivery/text.ts";
import type { Form } from "../form.ts";
import type { StoredSubmission } from "../intake/insertion.ts";
import { EXTERNAL_CHECKS } from "../limits.ts";
import type { FormsApp } from "../store.ts";
import { columnsOfRow } from "../submission-columns.ts";
import { checkReason } from "./spam-reason.ts";
import { VERDICTS, type Verdict } from "./verdict.ts";

/** Why a submission is spam, and why checks gave no verdict; null for neither. */
type Judgement = { spam: string | null; unchecked: string | null };

/**
 * Asks the external checks of a form about a submission; `trace` is the span of its request, as `traceparent`. Throws
 * `forbidden` if one of them refuses it.
 */
export type Judge = (form: Form, submission: StoredSubmission, trace: string | null) => Promise<Judgement>;

type Given = { verdict: Verdict; reason: string | null; failure: string | null };

/**
 * Returns the judge of a thread. All checks of a form are asked at once and answer within `EXTERNAL_CHECKS.time`; the
 * strictest verdict counts. A check that fails, and a submission without room to wait, gets the verdict that the form has for it.
 * `warn` receives the failures of a form, by its key.
 */
export function createJudge(
  app: FormsApp,
  outgoing: () => Promise<Pick<Outgoing, "ask">>,
  fileUrl: (submission: string, position: number) => Promise<string>,
  warn: (formKey: string, text: string) => void,
): Judge {
  const secrets = createCheckSecrets(app);
  const waiting = new Map<string, number>();
  let [all, characters] = [0, 0];

  async function ask(
    form: Form,
    url: string,
    sent: Omit<WebhookDelivery, "url" | "secrets">,
  ): Promise<Given> {
    const delivery = { ...sent, url, secrets: [await secrets(form.key, url)] };
    const answered = await (await outgoing()).ask(delivery, EXTERNAL_CHECKS.time);
    return "error" in answered
      ? failed(form, answered.error)
      : (readVerdict(answered.answer) ??
          failed(form, `the answer of ${new URL(url).hostname} is no verdict`));
  }

  async function askAll(form: Form, submission: StoredSubmission, trace: string | null): Promise<Given[]> {
    const { id, createdAt } = submission;
    const sent = {
      id,
      type: "submission.check",
      data: await submissionJson(form, shown(form, submission), fileUrl),
      createdAt: isoTime(createdAt),
      ...(trace !== null && { traceparent: trace }),
    };
    return Promise.all(form.checks.map((url) => ask(form, url, sent)));
  }

  return async (form, submission, trace) => {
    const count = waiting.get(form.key) ?? 0;
    const { length } = submission.data;
    const isFull = all >= EXTERNAL_CHECKS.waiting || count >= EXTERNAL_CHECKS.waitingOfForm;
    if (isFull || characters + length > EXTERNAL_CHECKS.waitingCharacters)
      return judgementOf([failed(form, "too many submissions wait for checks")]);
    waiting.set(form.key, count + 1);
    all += 1;
    characters += length;
    try {
      const judgement = judgementOf(await askAll(form, submission, trace));
      if (judgement.unchecked !== null)
        warn(form.key, `an external check of the form ${form.slug} fails: its submissions say why`);
      return judgement;
    } finally {
      all -= 1;
      characters -= length;
      const left = waiting.get(form.key)! - 1;
      if (left === 0) waiting.delete(form.key);
      else waiting.set(form.key, left);
    }
  };
}

/**
 * Returns the secret that signs what a check of a form gets, as Standard Webhooks writes it: the same one each time, by the key of
 * the form and the address, from a secret in the database, which the first use by any process creates.
 */
export function createCheckSecrets(app: FormsApp): (formKey: string, url: string) => Promise<string> {
  const secret = once(() =>
    app.store.secrets.keep("checks", Buffer.from(app.random(32)).toString("base64url")),
  );
  return async (formKey, url) => {
    const hash = new Bun.CryptoHasher("sha256", await secret());
    return `whsec_${hash.update(JSON.stringify([formKey, url])).digest("base64")}`;
  };
}

function failed({ checkFailing }: Form, failure: string): Given {
  return { verdict: checkFailing, reason: null, failure };
}

/** The verdict in the answer of a check; null if it has none. */
function readVerdict(answer: string): Given | null {
  const value = parseJson(answer);
  if (!isObject(value)) return null;
  const verdict = VERDICTS.find((each) => each === value["verdict"]);
  if (verdict === undefined) return null;
  const { reason } = value;
  const said = typeof reason === "string" ? oneLine(reason, EXTERNAL_CHECKS.reason) : "";
  return { verdict, reason: said || null, failure: null };
}

/** Throws `forbidden` if a verdict is to refuse. */
function judgementOf(given: readonly Given[]): Judgement {
  const rankOf = (each: Given) => 2 * VERDICTS.indexOf(each.verdict) + (each.failure === null ? 1 : 0);
  const { verdict, reason, failure } = given.toSorted((a, b) => rankOf(b) - rankOf(a))[0]!;
  if (verdict === "refuse") {
    if (failure !== null)
      throw new AppError(
        "forbidden",
        "this submission could not be checked, and was not stored: try again later",
      );
    throw new AppError("forbidden", `this submission was refused${reason === null ? "" : `: ${reason}`}`);
  }
  const failures = given.flatMap((each) => each.failure ?? []);
  return {
    spam: verdict === "ok" ? null : failure === null ? checkReason(reason) : "unchecked",
    unchecked:
      failures.length === 0 ? null : oneLine([...new Set(failures)].join("; "), EXTERNAL_CHECKS.failure),
  };
}

/** A submission before it is stored, as it will be if all is well. */
function shown(
  { optIn }: Form,
  { id, data, createdAt, files, meta, flags }: StoredSubmission,
): SentSubmission {
  const state = optIn === null ? "inbox" : "unconfirmed";
  const columns = columnsOfRow({ ...NO_TEXTS, meta: meta ?? null, flags: flags ?? null });
  const sent = files.map(({ field, name, type, size, sha256 }) => ({ field, name, type, size, sha256 }));
  return { id, data, createdAt, files: sent, state, spam: null, read: false, ...columns };
}

const NO_TEXTS = {
  meta: null,
  flags: null,
  unchecked: null,
  assignee: null,
  labels: null,
  confirmedAt: null,
  unsubscribedAt: null,
  consent: null,
};
