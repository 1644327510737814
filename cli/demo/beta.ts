import type { App } from "../../src/app.ts";
import { DAY_MS, HOUR_MS } from "../../src/base/days.ts";
import { isoTime } from "../../src/base/clock.ts";
import { getForm } from "../../src/forms/forms.ts";
import { nameIn } from "../../src/forms/form-name.ts";
import { markSubmissions } from "../../src/forms/inbox/submission-marks.ts";
import { createOptInLinks } from "../../src/forms/opt-in/links.ts";
import { confirmationTo, consentOf, endOfOptIn } from "../../src/forms/opt-in/opt-in.ts";
import { storeSubmission } from "../../src/forms/submissions.ts";
import { approve } from "../../src/memberships/members.ts";
import { getEnvironment } from "../../src/projects/environments.ts";
import { SHOP_URL, deliver } from "./inbox.ts";
import { ago, by, type Event, PROJECT } from "./people.ts";
import texts from "./texts.json";

const [SIGN_UP, ANSWERS] = [nameIn(PROJECT, "beta-signup"), nameIn(PROJECT, "beta-feedback")];
const BETA = { project: PROJECT, environment: "production", segment: "beta-testers" };

/** Days before now on which people signed up for the beta: the last two have not confirmed. */
const SIGNED_UP = [8.9, 8.4, 7.7, 6.8, 5.2, 4.6, 2.9, 2.3, 1.9, 1.4];
const UNCONFIRMED = 2;
/** How many of them were approved by some days before now. */
const APPROVED = [
  [6.5, 4],
  [3.5, 6],
] as const;
/** Days from an approval to behind its mail. */
const WELCOMED_DAYS = 61_000 / DAY_MS;
/** Days before now of the first answer to the beta, and between two. */
const [ANSWERED, APART] = [1, 0.06];

const NO_CONDITIONS = {
  key: null,
  spam: null,
  recent: null,
  challenge: null,
  keepsSpam: true,
  maxSubmissions: null,
};

/** A sender of whom nothing but the network is recorded. */
const senderAt = (network: string) => ({
  network: () => network,
  details: () => ({ address: network, userAgent: null, referrer: null, language: null }),
});

/** The beta of the checkout: people sign up, confirm, are approved and welcomed, and say what they think of it. */
export function betaEvents(app: App, now: number): Event[] {
  const people = texts.beta.people.map((name, index) => {
    const email = `${name.toLowerCase().replace(" ", ".")}@example.com`;
    return { name, email, days: SIGNED_UP[index]! };
  });
  const confirming = people.slice(0, -UNCONFIRMED);
  const ids = new Map<string, string>();
  return [
    ...people.map((person) =>
      ago(now, person.days, async () => ids.set(person.email, await signUp(app, person))),
    ),
    ...confirming.map(({ email, days }) =>
      ago(now, days - 0.5 * (HOUR_MS / DAY_MS), () => confirm(app, ids.get(email)!)),
    ),
    ...APPROVED.flatMap(([days, count]) => {
      const values = people.slice(0, count).map(({ email }) => email);
      return [
        ago(now, days, () => approve(app, by("mara", "a place in the beta"), BETA, values)),
        ago(now, days - WELCOMED_DAYS, () => deliver(app)),
      ];
    }),
    ...texts.beta.answers.map((answer, index) =>
      ago(now, ANSWERED - index * APART, () =>
        say(app, { email: people[index]!.email, answer }, index % 2 === 0 ? "on" : "off"),
      ),
    ),
  ];
}

/** Stores a sign-up that waits for its sender, and mails the link. */
async function signUp(app: App, { name, email }: { name: string; email: string }): Promise<string> {
  const form = await getForm(app, by("mara"), SIGN_UP);
  const draft = { data: JSON.stringify({ name, email }), files: [] };
  const conditions = { ...NO_CONDITIONS, consent: await consentOf(app, form, senderAt(email), null) };
  const deliveries = [confirmationTo(app, form, email)];
  const { id } = await storeSubmission(app, form, draft, { conditions, deliveries });
  await deliver(app);
  return id;
}

/** Presses the button behind the link. */
async function confirm(app: App, id: string): Promise<void> {
  const form = await getForm(app, by("mara"), SIGN_UP);
  const links = createOptInLinks(app, SHOP_URL);
  const url = await links.confirmUrl(id, endOfOptIn(form, app.now()));
  await links.act("confirm", url.slice(url.lastIndexOf("/") + 1), id);
  await markSubmissions(app, by("hanna"), [id], "read");
}

/** Stores an answer of a member, with the variants that the page had for them. */
async function say(app: App, fields: object, ranking: string): Promise<void> {
  const { project, environment } = BETA;
  const variants = { checkout: "on", "search-ranking": ranking };
  const assignment = {
    flags: { project, environment, at: isoTime(app.now()), variants },
    environmentKey: (await getEnvironment(app, project, environment)).key,
    pseudonym: null,
  };
  const form = await getForm(app, by("mara"), ANSWERS);
  const { id } = await storeSubmission(app, form, { data: JSON.stringify(fields), files: [], assignment });
  await markSubmissions(app, by("hanna"), [id], "read");
}
