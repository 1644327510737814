import type { MailMessage } from "../../../src/delivery/message.ts";
import { type Attempt, delivered, unanswered } from "../../../src/delivery/attempt.ts";
import type { Outgoing, WebhookDelivery } from "../../../src/delivery/outgoing.ts";
import { type Verdicts, createCheck } from "./check-service.ts";
import type { Process, Scheduler } from "./scheduler.ts";

/** A request that a receiver has got: `data` is that of its event. */
export type Receipt = {
  id: string;
  about: string;
  type: string;
  data: unknown;
  url: string;
  at: number;
  accepted: boolean;
};

/** A request on its way; `about` is the submission, or the type and the revision of the first notice. */
export type Sending = Omit<Receipt, "at" | "accepted"> & { process: Process };

export type Receivers = {
  receipts: Receipt[];
  /** Whether they answer as they should. */
  isHealthy: boolean;
  /** When one of each URL last wanted nothing any more. */
  goneAt: Map<string, number>;
  /** What the external check has said. */
  verdicts: Verdicts;
  /** Mail that was accepted, in its order. */
  mail: MailMessage[];
  outgoingOf: (process: Process, began: (sending: Sending) => void) => Outgoing;
};

/** Once in so many requests each happens while the receivers are not healthy. */
const SICK = 8;

/** Ends of the URLs of receivers that are slow, and that answer at times that they want nothing any more. */
const [SLOW, LEAVING] = ["/slow", "/leaving"];
/** Of the requests to such a one, one in so many. */
const LEAVES = 12;

const failed = (code: number, retryAfter: number | null = null): Attempt => ({
  outcome: "retry",
  code,
  error: `the answer was ${code}`,
  retryAfter,
  isTargetDown: code === 503,
});

type EventData = { id: string; revision: number; notices: { type: string; data: EventData }[] };

function aboutOf(type: string, { id, revision, notices }: EventData): string {
  if (type === "submission.created") return id;
  if (type !== "digest") return `${type} ${revision}`;
  const [first] = notices;
  return `digest of ${first!.type} ${first!.data.revision}`;
}

/** Receivers that drop, delay and repeat requests, and answer with errors. */
export function createReceivers(scheduler: Scheduler): Receivers {
  const { chance } = scheduler;
  const receivers: Receivers = {
    receipts: [],
    isHealthy: true,
    goneAt: new Map(),
    verdicts: new Map(),
    mail: [],
    outgoingOf,
  };
  const check = createCheck(scheduler, receivers.verdicts, () => receivers.isHealthy);

  const receive = ({ id, about, type, data, url }: Sending, accepted: boolean) =>
    void receivers.receipts.push({ id, about, type, data, url, at: scheduler.now(), accepted });

  const answer = async (sending: Sending): Promise<Attempt> => {
    await scheduler.sleep(5 + chance.int(50), "request", sending.process);
    if (!receivers.isHealthy && sending.url.endsWith(LEAVING) && chance.once(LEAVES)) {
      receive(sending, false);
      receivers.goneAt.set(sending.url, scheduler.now());
      return { ...failed(410), outcome: "gone" };
    }
    if (!receivers.isHealthy && sending.url.endsWith(SLOW)) {
      await scheduler.sleep(9000, "slow", sending.process);
      receive(sending, true);
      return delivered(200);
    }
    if (receivers.isHealthy || !chance.once(2)) {
      receive(sending, true);
      await scheduler.sleep(5 + chance.int(50), "answer", sending.process);
      return delivered(200);
    }
    switch (chance.int(SICK)) {
      case 0:
        await scheduler.sleep(10_000, "dropped", sending.process);
        return unanswered("no answer", true);
      case 1:
        receive(sending, true);
        await scheduler.sleep(10_000, "answer lost", sending.process);
        return unanswered("no answer", false);
      case 2:
        receive(sending, true);
        await scheduler.sleep(chance.int(9000), "slow answer", sending.process);
        return delivered(202);
      case 3:
        receive(sending, false);
        return failed(503);
      case 4:
        receive(sending, false);
        return failed(429, chance.int(120));
      case 5:
        receive(sending, true);
        receive(sending, true);
        return delivered(200);
      default:
        receive(sending, false);
        return failed(500);
    }
  };

  function outgoingOf(process: Process, began: (sending: Sending) => void): Outgoing {
    const send = async ({ id, type, url, data }: WebhookDelivery, signal: AbortSignal): Promise<Attempt> => {
      const parsed = JSON.parse(data) as EventData;
      const sending = { id, about: aboutOf(type, parsed), type, data: parsed, url, process };
      scheduler.note(`send ${id} to ${url}`);
      // Events of proposed changes have leases of their own.
      if (!type.startsWith("change.")) began(sending);
      const aborted = Promise.withResolvers<never>();
      aborted.promise.catch(() => {});
      signal.addEventListener("abort", () => aborted.reject(signal.reason));
      return Promise.race([answer(sending), aborted.promise]);
    };
    return {
      check: async () => {},
      ask: check(process),
      sendWebhook: send,
      async sendChat(kind, url) {
        await scheduler.sleep(5 + chance.int(50), `chat ${kind}`, process);
        return !receivers.isHealthy && chance.once(2) ? failed(500) : delivered(url === "" ? 204 : 200);
      },
      mail: {
        from: { name: "Forms", address: "forms@example.com" },
        inspect: async () => null,
        mailer: {
          async send(message) {
            const { id } = message;
            await scheduler.sleep(5 + chance.int(50), `mail ${id}`, process);
            if (!receivers.isHealthy && chance.once(2)) return failed(500);
            receivers.mail.push(message);
            return delivered(200);
          },
          close: () => {},
        },
      },
    };
  }
  return receivers;
}
