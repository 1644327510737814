import type { App } from "../../src/app.ts";
import { HOUR_MS } from "../../src/base/days.ts";
import { own } from "../../src/base/shapes/own.ts";
import type { FlagRecord } from "../../src/flags/flag.ts";
import { createReadTally, type Serving } from "../../src/flags/reads/read-tally.ts";
import { createReads, neverRead } from "../../src/flags/reads/reads.ts";
import { parseRules } from "../../src/flags/rules/rules.ts";
import { DAYS } from "./messages.ts";
import { PROJECT } from "./people.ts";

/** Reads of all flags in an hour of a day with the most, by environment. */
const READS: Readonly<Record<string, number>> = { develop: 9, staging: 24, production: 2600 };
/** A flag that is not read any more. */
const UNREAD = "summer-sale";
/** Hours in which it is known who got what. */
const FLAG_HOURS = 24;
/** The part of the readers that got another variant than the default. */
const SHARES: Readonly<Record<string, number>> = {
  "production/gift-wrapping": 0.25,
  "production/search-ranking": 0.5,
  "production/checkout": 0.02,
  "production/express-shipping": 0.31,
  "production/basket-limit": 0.08,
  "staging/express-shipping": 0.5,
};

/** Counts the reads of six weeks by the hour, and those of each flag in the last day. */
export async function fillReads(app: App, now: number): Promise<void> {
  const tally = createReadTally(app.store);
  const reads = createReads(app.store);
  for (const { slug, key } of await app.store.environments.list(PROJECT)) {
    const flags = (await app.store.flags.list(PROJECT, slug)).filter((flag) => flag.slug !== UNREAD);
    const most = own(READS, slug) ?? 0;
    // Elsewhere there are too few reads for weeks to matter.
    for (let hour = 0; hour < (slug === "production" ? DAYS * 24 : FLAG_HOURS); hour += 1) {
      const at = now - hour * HOUR_MS;
      const count = readsAt(most, Math.floor(at / HOUR_MS));
      const served = hour < FLAG_HOURS ? flags.flatMap((flag) => servingsOf(slug, flag, count)) : [];
      const clients = new Map(hour < FLAG_HOURS ? [["shop-web", Math.floor(count * 0.82)]] : []);
      tally.note({ count, served: () => served, clients }, key, null, at);
    }
    for (const flag of flags) reads.note(neverRead(), key, flag.slug, now);
  }
  await tally.flush();
  await reads.flush();
}

/** The answers of a flag: none has a variant while it is off, and a plain one serves `on`. */
function servingsOf(environment: string, { slug, enabled, rules }: FlagRecord, count: number): Serving[] {
  if (!enabled || rules === null) return [{ count, of: [[slug, enabled ? "on" : ""]] }];
  const { variants, defaultVariant } = parseRules(rules);
  const other = Object.keys(variants).find((name) => name !== defaultVariant) ?? "";
  const others = Math.round(count * (own(SHARES, `${environment}/${slug}`) ?? 0));
  return [
    { count: count - others, of: [[slug, defaultVariant ?? ""]] },
    { count: others, of: [[slug, other]] },
  ];
}

/** More by day than by night, and uneven. */
function readsAt(most: number, hour: number): number {
  const ofDay = Math.max(0, Math.sin(((((hour + 1) % 24) - 5) / 18) * Math.PI));
  const uneven = 0.9 + ((hour * 7919) % 97) / 480;
  return Math.round(most * (0.06 + 0.94 * ofDay) * uneven);
}
