import type { App } from "../../src/app.ts";
import { DAY_MS, HOUR_MS } from "../../src/base/days.ts";
import { delivered } from "../../src/delivery/attempt.ts";
import { createOutbox } from "../../src/delivery/outbox.ts";
import { nameIn } from "../../src/forms/form-name.ts";
import { getForm } from "../../src/forms/forms.ts";
import { replyToSubmission } from "../../src/forms/inbox/reply.ts";
import { assignSubmissions, noteSubmission } from "../../src/forms/inbox/submission-handling.ts";
import { titleOfContent } from "../../src/forms/inbox/titles.ts";
import { rowText } from "../../src/forms/transfer/import-row.ts";
import { importSubmissions } from "../../src/forms/transfer/import.ts";
import { createOptInLinks } from "../../src/forms/opt-in/links.ts";
import { markSubmissions } from "../../src/forms/inbox/submission-marks.ts";
import { storeSubmission } from "../../src/forms/submissions.ts";
import { addTarget } from "../../src/forms/targets.ts";
import { createOutgoing } from "../../src/send/outgoing.ts";
import { VERSION } from "../version.ts";
import { DAYS, FORMS, type FormSlug, type Message, messagesUntil } from "./messages.ts";
import { ago, by, type Event, PROJECT } from "./people.ts";
import texts from "./texts.json";

/** The network of a target that takes nothing: no program listens on that port of this machine, so nothing leaves it. */
export const DEAD_NETWORK = "127.0.0.1/32";
export const DEAD_TARGET = "slack:http://127.0.0.1:9/services/orders";
export const deadOutgoing = ({ now }: App) =>
  createOutgoing({ targetNetworks: [DEAD_NETWORK], mail: null }, now, VERSION);

/** Where links in mail begin that a demo sends to no address. */
export const SHOP_URL = "https://larch.example";

/** The newest messages are unread. */
const UNREAD = 7;
/** The newest messages that went to the target, and of these the ones it did not take. */
const SENT = 5;
const WAITING = 3;
/** The newest of them, which are assigned to mara. */
const ASSIGNED = 2;
/** Days in which a message stays in the inbox. */
const KEPT_DAYS = 2;
/** Every 24th message to the form `contact` has an answer, and every thirtieth message stays in the inbox. */
const ANSWERED = 24;
const LEFT = 30;

/** The arrival of messages, and what people do with them. */
export function inboxEvents(app: App, now: number): Event[] {
  const messages = messagesUntil(now);
  const real = messages.filter(({ spam }) => spam === null);
  for (const message of real.slice(-UNREAD)) message.read = false;
  const sent = real.filter(({ form }) => form === "contact").slice(-SENT);
  const earlier = real.filter((message) => !sent.includes(message));
  const failing = sent.at(-WAITING)!.createdAt;
  const chat = { id: "" };
  return [
    ago(now, DAYS, () =>
      importMessages(
        app,
        messages.filter((message) => !sent.includes(message)),
      ),
    ),
    ago(now, 20, async () => {
      chat.id = (await addTarget(app, by("mara"), nameOf("contact"), DEAD_TARGET, deadOutgoing(app))).id;
    }),
    ...sent.map((message, index) => ({
      at: message.createdAt,
      run: () => receive(app, message, { chat: chat.id, isAssigned: index >= SENT - ASSIGNED }),
    })),
    ...answers(app, now, earlier),
    ...archiving(app, now, earlier),
    { at: failing - 1, run: () => deliver(app) },
  ];
}

const nameOf = (form: FormSlug) => nameIn(PROJECT, form);

async function importMessages(app: App, messages: readonly Message[]): Promise<void> {
  for (const slug of FORMS) {
    const own = messages.filter(({ form }) => form === slug);
    await importSubmissions(app, by("mara"), nameOf(slug), own.map(rowText).join("\n"));
  }
}

/** Stores a message with its delivery, as a request does. */
async function receive(
  app: App,
  { form: slug, data, meta, read }: Message,
  { chat, isAssigned }: { chat: string; isAssigned: boolean },
): Promise<void> {
  const form = await getForm(app, by("mara"), nameOf(slug));
  const draft = { data, files: [], meta: JSON.stringify(meta) };
  const deliveries = [{ id: app.nextId(), kind: "slack" as const, target: chat }];
  const { id } = await storeSubmission(app, form, draft, { deliveries });
  if (read) await markSubmissions(app, by("hanna"), [id], "read");
  if (isAssigned) await assignSubmissions(app, by("hanna"), [id], "mara");
}

/** Answers to some messages, and notes about them, one to five hours after they came. */
function answers(app: App, now: number, messages: readonly Message[]): Event[] {
  const isDue = ({ form, createdAt }: Message) => form === "contact" && createdAt < now - 6 * HOUR_MS;
  return messages
    .filter(isDue)
    .filter((_, index, { length }) => (length - index) % ANSWERED === 1)
    .map(({ id, createdAt }, index) => ({
      at: createdAt + (1 + (index % 5)) * HOUR_MS,
      async run() {
        const who = by(index % 3 === 0 ? "mara" : "hanna");
        await replyToSubmission(app, who, true, id, { text: texts.replies[index % texts.replies.length]! });
        await deliver(app);
        if (index % 4 === 3)
          await noteSubmission(app, who, id, texts.notes[(index >> 2) % texts.notes.length]!);
      },
    }));
}

/** Twice a day, and in earlier weeks every four days, most of what came is archived. */
function archiving(app: App, now: number, messages: readonly Message[]): Event[] {
  const done = messages.filter((_, index) => index % LEFT !== 0);
  const days = Array.from({ length: DAYS * 2 }, (_, half) => half / 2);
  const ends = days.filter((day) => day >= KEPT_DAYS && (day < 6 || day % 4 === 0));
  return ends.map((end, index) => {
    const start = ends[index + 1] ?? DAYS + 1;
    const isOf = ({ createdAt }: Message) =>
      createdAt >= now - start * DAY_MS && createdAt < now - end * DAY_MS;
    const ids = done.filter(isOf).map(({ id }) => id);
    return ago(now, end, () => markSubmissions(app, by(index % 4 === 0 ? "mara" : "hanna"), ids, "archived"));
  });
}

function fail(error: unknown): never {
  throw error;
}

/** Delivers what is queued to receivers that take everything, without sending it. */
export function deliver(app: App): Promise<void> {
  const send = async () => delivered(200);
  const from = { name: "", address: "shop@larch.example" };
  const mail = { mailer: { send, close: () => {} }, from, inspect: async () => null };
  const ask = async () => ({ error: "a demo asks no checks" });
  const outgoing = { check: async () => {}, ask, sendWebhook: send, sendChat: send, mail };
  const optIn = createOptInLinks(app, SHOP_URL);
  const files = { url: async () => "", open: async () => new ReadableStream<Uint8Array>(), optIn };
  const report = { attempted: () => {}, failed: () => {}, error: fail };
  return createOutbox(
    app,
    {
      holder: "demo",
      outgoing: async () => outgoing,
      files,
      titleOf: titleOfContent,
      inWords: () => null,
      retryDelays: [],
      report,
    },
    () => {},
  ).job.run();
}
