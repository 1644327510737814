import { DAY_MS, HOUR_MS } from "../../src/base/days.ts";
import { timedId } from "../../src/base/ids.ts";
import { withoutAccents } from "../../src/base/normalize.ts";
import type { ImportedSubmission } from "../../src/forms/store.ts";
import texts from "./texts.json";

/** Days in which messages came, and how many. */
export const DAYS = 42;
const MESSAGES = 400;
const SPAM_DAYS = 29;
/** The newest of them, whenever the demo begins, and the time between two. */
const FRESH = 8;
const FRESH_MS = 1.7 * HOUR_MS;

export const FORMS = ["contact", "feedback", "booking"] as const;
export type FormSlug = (typeof FORMS)[number];

/** A submission to a form, as an import has it. */
export type Message = ImportedSubmission & { form: FormSlug };

/** Numbers from 0 to 1 that are the same in each demo (mulberry32): the content, and never a key, is made of them. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Messages of the last weeks, oldest first; one in ten is spam, and some of the shop's days are busier than others. */
export function messagesUntil(now: number): Message[] {
  const next = seeded(1);
  const messages = Array.from({ length: MESSAGES }, (_, index) => {
    const isSpam = index % 10 === 7;
    const form = isSpam ? "contact" : formOf(next());
    const age = index < FRESH ? (index + 0.3) * FRESH_MS : ageOf(now, isSpam ? SPAM_DAYS : DAYS, next);
    const time = Math.round(now - age);
    return isSpam ? spamAt(time, next) : messageTo(form, time, next);
  });
  return messages.toSorted((a, b) => a.createdAt - b.createdAt);
}

function formOf(chance: number): FormSlug {
  if (chance < 0.58) return "contact";
  return chance < 0.83 ? "feedback" : "booking";
}

/** By day, and more in the last weeks than in the first. */
function ageOf(now: number, days: number, next: () => number): number {
  const age = days * DAY_MS * (1 - next() ** 0.8) + FRESH * FRESH_MS;
  const hour = new Date(now - age).getUTCHours();
  return hour < 5 || hour > 20 ? age + 9 * HOUR_MS : age;
}

function pick<T>(from: readonly T[], next: () => number): T {
  return from[Math.floor(next() * from.length)]!;
}

type Voice = (typeof texts.voices)[number];

const WEIGHTS = texts.voices.reduce((sum, { weight }) => sum + weight, 0);

function voice(next: () => number): Voice {
  let rest = next() * WEIGHTS;
  return texts.voices.find(({ weight }) => (rest -= weight) < 0) ?? texts.voices[0]!;
}

/** A sender. The address is made of the name, or of numbers for a name in other letters than a to z. */
function senderAmong({ given, family, language }: Voice, next: () => number) {
  const [first, last] = [pick(given, next), pick(family, next)];
  const name = language === "ja" ? `${last} ${first}` : `${first} ${last}`;
  const plain = withoutAccents(name)
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, ".");
  const local = plain.length > 2 ? plain : `${language}${given.indexOf(first)}${family.indexOf(last)}`;
  return { name, email: `${local}@example.com` };
}

function messageTo(form: FormSlug, time: number, next: () => number): Message {
  const speaker = voice(next);
  const { name, email } = senderAmong(speaker, next);
  const page = {
    contact: "contact",
    feedback: pick(["honey", "candles", "search", "checkout"], next),
    booking: "cafe",
  };
  const data = {
    contact: () => ({
      name,
      email,
      message: pick(speaker.messages, next).replace("{p}", pick(speaker.products, next)),
      ...(next() < 0.4 && { order: String(10_200 + Math.floor(next() * 400)) }),
      ...(next() < 0.2 && { phone: `+43 512 555 ${100 + Math.floor(next() * 900)}` }),
    }),
    feedback: () => ({
      stars: String(pick([5, 5, 5, 4, 4, 3, 2], next)),
      comment: pick(speaker.praise, next),
      ...(next() < 0.5 && { email }),
    }),
    booking: () => ({
      guests: 1 + Math.ceil(next() * 6),
      date: new Date(time + (1 + next() * 12) * DAY_MS).toISOString().slice(0, 10),
      time: pick(["11:30", "12:00", "12:30", "15:00", "18:30", "19:30", "20:00"], next),
      contact: name,
      email,
      wishes: pick(texts.wishes, next),
    }),
  }[form]();
  const meta = { language: speaker.language, referrer: `https://larch.example/${page[form]}` };
  return submission(form, time, { data, meta }, next);
}

function spamAt(time: number, next: () => number): Message {
  const { name, text: message, reason: spam } = pick(texts.spam, next);
  const email = `${name.toLowerCase().replace(" ", "")}${Math.floor(next() * 90)}@example.net`;
  const meta = { language: "en", referrer: null };
  return {
    ...submission("contact", time, { data: { name, email, message }, meta }, next),
    state: "spam",
    spam,
  };
}

type Sent = { data: object; meta: { language: string; referrer: string | null } };

function submission(form: FormSlug, createdAt: number, { data, meta }: Sent, next: () => number): Message {
  const unique = Uint8Array.from({ length: 8 }, () => next() * 256);
  const network = `198.51.${Math.floor(next() * 250)}.0/24`;
  const userAgent = pick(texts.browsers, next);
  return {
    form,
    id: timedId(createdAt, 0, unique),
    data: JSON.stringify(data),
    createdAt,
    state: "inbox",
    spam: null,
    read: true,
    meta: { address: network, userAgent, ...meta },
    ...(form === "contact" &&
      next() < 0.12 && { labels: [pick(texts.labels, next)], assignee: pick(["jonas", "hanna"], next) }),
  };
}
