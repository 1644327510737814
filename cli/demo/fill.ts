import { clock } from "../../src/base/clock.ts";
import { documents } from "../../src/operations/documents.ts";
import { environments } from "../../src/operations/environments.ts";
import { flags } from "../../src/operations/flags.ts";
import { forms } from "../../src/operations/forms.ts";
import { scheduled } from "../../src/operations/scheduled.ts";
import { submissions } from "../../src/operations/submissions.ts";
import type { Client } from "../session/client.ts";

const HOUR = 3_600_000;

/** A sender, what was sent, how many hours ago, and anything else of a row of an import. */
type Sent = [fields: Record<string, string>, hoursAgo: number, more?: Record<string, unknown>];

const message = (name: string, text: string) => ({
  name,
  email: `${name.toLowerCase().replaceAll(" ", ".")}@example.com`,
  message: text,
});

const CONTACT: Sent[] = [
  [message("Ann Berger", "Do you deliver to Innsbruck, and on Saturdays?"), 1],
  [message("Oskar Lind", "My order arrived with a broken lid. Can I have a new one?"), 4],
  [message("Giulia Conti", "The new checkout is quick. Thank you!"), 9],
  [message("Hanna Vogel", "Is the blue one coming back?"), 26, { read: true }],
  [message("Jonas Weber", "Please send me the invoice for October."), 31, { read: true }],
  [message("Mara Novak", "Can we pick up two crates at the shop?"), 52, { read: true }],
  [message("Emil Dahl", "We would like to sell your honey in our store."), 75],
  [message("Lea Fischer", "How long do your gift cards last?"), 120, { read: true, state: "archived" }],
  [
    message("Win Big", "CHEAP CASINO BONUS http://casino.example"),
    6,
    { state: "spam", spam: "word: casino" },
  ],
  [
    message("Seo Expert", "I rank your site first on every search engine"),
    40,
    { state: "spam", spam: "word: rank" },
  ],
];

const FEEDBACK: Sent[] = [
  [{ stars: "5", comment: "Found what I needed in a minute.", page: "/honey" }, 2],
  [{ stars: "4", comment: "Pictures could be larger.", page: "/candles" }, 20],
  [{ stars: "2", comment: "The search found nothing for beeswax.", page: "/search" }, 45],
  [{ stars: "5", comment: "Lovely.", page: "/" }, 90, { read: true }],
];

const RULE = {
  if: [
    {
      or: [
        { ends_with: [{ var: "email" }, "@example.com"] },
        { in: [{ var: "country" }, ["AT", "DE", "CH"]] },
      ],
    },
    "on",
    "off",
  ],
};
const BOOLEAN = { enabled: true, variants: { on: true, off: false }, defaultVariant: "off" };
const ROLLOUT = {
  fractional: [
    ["on", 25],
    ["off", 75],
  ],
};

const DOCUMENT = {
  projects: {
    shop: {
      name: "Larch Valley shop",
      environments: {
        develop: { color: "green" },
        staging: { color: "yellow" },
        production: { color: "red" },
      },
      flags: {
        checkout: {
          description: "The checkout on one page",
          environments: {
            develop: { enabled: true },
            staging: { enabled: true },
            production: { ...BOOLEAN, targeting: RULE },
          },
        },
        "gift-wrapping": {
          description: "Offer to wrap an order as a gift",
          environments: { develop: { enabled: true }, production: { ...BOOLEAN, targeting: ROLLOUT } },
        },
        banner: {
          description: "The line above every page",
          environments: {
            develop: { enabled: true, payload: { text: "Free delivery until Sunday", color: "green" } },
            production: { enabled: false, payload: { text: "Free delivery until Sunday", color: "green" } },
          },
        },
        "dark-mode": { description: "", environments: { develop: { enabled: true } } },
      },
      forms: {
        contact: { name: "Contact", spamWords: ["casino", "rank"] },
        feedback: { name: "Feedback on the site" },
      },
    },
  },
};

/** Fills empty data with what a small shop would have: flags, forms, submissions, a history and a change to come. */
export async function fillDemo(client: Client): Promise<void> {
  await client.send(documents.apply, { body: { document: DOCUMENT } });
  const at = (environment: string, flag: string) => ({ project: "shop", environment, flag });
  const changes: [string, string, Record<string, unknown>, string][] = [
    ["staging", "gift-wrapping", { enabled: true }, "ready to be tried"],
    ["staging", "banner", { enabled: true, payload: { text: "Hello", color: "blue" } }, "a first draft"],
    ["staging", "banner", { payload: { text: "Free delivery", color: "green" } }, "shorter and green"],
    ["develop", "dark-mode", { enabled: false }, "unreadable on the order page"],
  ];
  for (const [environment, flag, body, why] of changes)
    await client.send(flags.set, { names: at(environment, flag), body, why });
  const now = clock.now();
  await client.call(scheduled.create, {
    names: at("production", "banner"),
    body: { at: new Date(now + 72 * HOUR).toISOString(), patch: { enabled: true } },
  });
  await client.call(environments.set, {
    names: { project: "shop", environment: "production" },
    body: { locked: true },
  });
  for (const [form, sent] of [
    ["contact", CONTACT],
    ["feedback", FEEDBACK],
  ] as const) {
    const { key } = await client.call(forms.get, { names: { form: `shop:${form}` } });
    const lines = sent.map(([data, hours, more]) =>
      JSON.stringify({ data, createdAt: new Date(now - hours * HOUR).toISOString(), ...more }),
    );
    await client.call(submissions.import, { names: { form: key }, body: `${lines.join("\n")}\n` });
  }
}
