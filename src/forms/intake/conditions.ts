import { DAY_MS } from "../../base/days.ts";
import { sha256 } from "../../base/sum.ts";
import type { Challenger } from "./challenge.ts";
import { CHALLENGE_FIELD, controlText } from "./control-fields.ts";
import type { Form } from "../form.ts";
import type { SenderDetails } from "./metadata.ts";
import type { Conditions, Insertion, Mark } from "./insertion.ts";
import type { FormsApp } from "../store.ts";
import type { Sent } from "./sent.ts";

/** How long a repeat gets the first answer, in milliseconds. */
const KEY_LIFETIME = DAY_MS;

/** Sender of a submission. */
export type Sender = {
  /** One IPv4 address or IPv6 network. */
  network: () => string;
  /** The header `Idempotency-Key`, without quotes; null for none. */
  idempotencyKey: string | null;
  /** The header with a signed assignment; null for none. */
  assignment: string | null;
  /** The span of the request, as `traceparent`; null where none is recorded. */
  trace?: string | null;
  /** Called only for a form that records them. */
  details: () => SenderDetails;
  /** Whether the sender has disconnected. */
  isAbandoned: () => boolean;
};

/** Returns the conditions that the store checks when it inserts a submission. */
export async function conditionsFor(
  app: FormsApp,
  form: Form,
  { sent, spam, keyText }: { sent: Sent; spam: string | null; keyText: string | null },
  sender: Sender,
  challenger: () => Promise<Challenger>,
): Promise<Conditions> {
  const content =
    keyText === null ? "" : await hashContent(sent, ({ field, name, type }) => [field, name, type]);
  // A repeat may name its files otherwise.
  const repeated = form.duplicates === null ? "" : await hashContent(sent, ({ field }) => [field]);
  const now = app.now();
  const keyFor = (text: string): Conditions["key"] => {
    // With the content in its hash, a key from a field makes only repeats of the same one submission.
    const name =
      sender.idempotencyKey === null ? ["field", form.key, text, content] : ["header", form.key, text];
    return { hash: hashOf(name), content, expiresAt: now + KEY_LIFETIME };
  };
  const recentFor = (seconds: number): Mark => ({
    hash: hashOf([form.key, sender.network(), repeated]),
    expiresAt: now + seconds * 1000,
  });
  const solved = async () => {
    const payload = controlText(sent.control, CHALLENGE_FIELD);
    const solution = payload === null ? null : (await challenger()).verify(form.key, payload);
    return solution && { hash: hashOf([solution.nonce]), expiresAt: solution.expiresAt };
  };
  return {
    key: keyText === null ? null : keyFor(keyText),
    spam,
    recent: form.duplicates === null ? null : recentFor(form.duplicates),
    challenge: form.challenge && spam === null ? { nonce: await solved() } : null,
    keepsSpam: form.spam === "keep",
    maxSubmissions: form.maxSubmissions,
    quota: form.ofProject?.quota ?? null,
  };
}

/**
 * Predicts the store's decision. Queries it only for an idempotency key, before external checks, or if spam would hide validation errors: a read
 * costs every submission.
 */
export async function predict(
  app: FormsApp,
  form: Form,
  conditions: Conditions,
  hasErrors: boolean,
): Promise<Insertion> {
  const { key, recent, challenge, spam, keepsSpam } = conditions;
  const isAsked =
    key !== null ||
    (spam === null && form.checks.length > 0) ||
    (hasErrors && (recent !== null || challenge !== null));
  if (isAsked) return app.store.submissions.predict(form.key, app.now(), conditions);
  return spam === null || keepsSpam ? { kind: "stored", spam } : { kind: "spam", reason: spam };
}

/** The hash of the fields and files of a submission, and of what `describe` returns of each file. */
async function hashContent(
  { data, files }: Sent,
  describe: (file: Sent["files"][number]) => string[],
): Promise<string> {
  const sums = await Promise.all(
    files.map(async (file) => [...describe(file), (await file.blob.finish()).sha256]),
  );
  return hashOf([data, sums]);
}

function hashOf(parts: unknown[]): string {
  return sha256(JSON.stringify(parts));
}
