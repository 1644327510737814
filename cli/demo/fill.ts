import { setMember } from "../../src/access/members/members.ts";
import { createToken } from "../../src/access/tokens.ts";
import { createUser } from "../../src/access/users.ts";
import type { App } from "../../src/app.ts";
import { clock, setClock } from "../../src/base/clock.ts";
import { DAY_MS } from "../../src/base/days.ts";
import { applyDocument } from "../../src/documents/apply.ts";
import type { Document } from "../../src/documents/document.ts";
import { setEnvironment } from "../../src/projects/environments.ts";
import { betaEvents } from "./beta.ts";
import { inboxEvents } from "./inbox.ts";
import { DAYS } from "./messages.ts";
import { ago, by, PROJECT } from "./people.ts";
import { fillReads } from "./reads.ts";
import { releaseEvents } from "./releases.ts";
import shop from "./shop.json";

/**
 * Fills empty data with the last six weeks of a small shop, each event at its time, by the operations that people use. The
 * same happens in each demo, but keys and secrets are random.
 */
export async function fillDemo(app: App): Promise<void> {
  const now = clock.now();
  const events = [
    ago(now, DAYS + 0.5, () => openShop(app, now)),
    ...releaseEvents(app, now),
    ...inboxEvents(app, now),
    ...betaEvents(app, now),
  ];
  try {
    for (const { at, run } of events.toSorted((a, b) => a.at - b.at)) {
      setClock({ now: () => at });
      await run();
    }
  } finally {
    setClock();
  }
  await fillReads(app, now);
}

/** The shop with its people and tokens. */
async function openShop(app: App, now: number): Promise<void> {
  const mara = by("mara");
  await createUser(app, mara, { name: "mara", role: "admin" });
  const expired = new Date(now - 33 * DAY_MS).toISOString();
  const document = JSON.parse(JSON.stringify(shop).replaceAll("{expired}", expired)) as Document;
  await applyDocument(app, mara, document, { prune: false, confirmed: true });
  for (const [name, role] of [
    ["jonas", "editor"],
    ["hanna", "inbox"],
  ] as const) {
    await createUser(app, mara, { name, role: "none" });
    await setMember(app, mara, PROJECT, name, { role });
  }
  await setEnvironment(app, mara, PROJECT, "production", { locked: true });
  const production = { project: PROJECT, environment: "production" };
  await createToken(app, mara, { name: "shop-web", scopes: ["flags:evaluate"], ...production });
  await createToken(app, mara, { name: "landing-page", scopes: ["flags:browser"], ...production });
  const expiresAt = new Date(now + 61 * DAY_MS).toISOString();
  const staging = { project: PROJECT, environment: "staging" };
  await createToken(app, mara, { name: "pipeline", scopes: ["flags:write"], expiresAt, ...staging });
}
