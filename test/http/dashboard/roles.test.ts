import { beforeAll, describe, expect, test } from "bun:test";
import { ROLES, type Role } from "../../../src/access/role.ts";
import { createToken } from "../../../src/access/tokens.ts";
import { createFeed } from "../../../src/forms/feeds/feeds.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { startRamp } from "../../../src/flags/ramps/ramps.ts";
import { addTarget } from "../../../src/forms/targets.ts";
import { openTestApp } from "../../support/app.ts";
import { apply } from "../../support/records/apply.ts";
import { proposalOf } from "../../support/records/records.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";
import { furnish } from "../../support/pages/furnished.ts";
import { fakeOutgoing } from "../../support/peers/outgoing.ts";

const app = openTestApp();
const made = await furnish(app);
const { id: target } = await addTarget(app, OPERATOR, "contact", "https://example.com/hook", fakeOutgoing());
await createToken(app, OPERATOR, { name: "victim" });
const proposal = proposalOf("shop", {
  environments: ["develop"],
  type: "token",
  createdAt: app.now(),
  expiresAt: app.now() + 86_400_000,
});
await apply(app.store, {
  change: "insertProposal",
  project: "shop",
  proposal,
  action: "change.propose",
  events: [],
});
await createToken(app, OPERATOR, { name: "victim", project: "shop" });
const { id: feed } = await createFeed(app, OPERATOR, "contact", { format: "csv" });
const ramped = { project: "shop", environment: "develop", flag: "ramped" };
await setFlag(app, OPERATOR, ramped, {});
await startRamp(app, OPERATOR, ramped, { variant: "on", to: [1, 100], every: 86_400 });
const dashboard = openDashboard(app);
const { routes } = await dashboard.created;

const NAMES: Record<string, string> = {
  form: "contact",
  id: made.withFiles,
  target,
  feed,
  token: "victim",
  user: "viewer",
  project: "shop",
  environment: "develop",
  flag: "checkout",
  segment: "staff",
  experiment: "headline",
  revision: String(made.revision),
  change: proposal.id,
  session: "nothing",
  secret: "nothing",
};
const scheduled = { ":id": made.scheduled, ":environment": "production" };
const addressOf = (path: string, names: Record<string, string> = {}) =>
  path.replaceAll(/:\w+/g, (name) => names[name] ?? NAMES[name.slice(1)]!);

type Rule = {
  /** Who may send the form. */
  least: Role;
  /** The page that has the form. */
  on: string;
  names?: Record<string, string>;
  fields?: Record<string, string>;
  /** What the page says where the address of the form does not tell it apart. */
  button?: string;
};
const shop = "/projects/shop";
const develop = `${shop}/environments/develop`;
const production = `${shop}/environments/production`;

/** Every form that not everybody may send, written down a second time on purpose. */
const RULES: Record<string, Rule> = {
  "/start/form": { least: "inbox", on: "", fields: { name: "" } },
  "/start/flag": { least: "editor", on: "", fields: { flag: "" } },
  "/inbox/marks": { least: "inbox", on: "/inbox", fields: { submission: made.spam, mark: "read" } },
  "/inbox/undo": { least: "inbox", on: "" },
  "/inbox/delete": { least: "inbox", on: "", fields: { submission: made.spam } },
  "/inbox/-/matching": { least: "inbox", on: "/inbox/-/matching?form=contact", fields: { mark: "read" } },
  "/inbox/:form/:id/retry": { least: "inbox", on: `/inbox/contact/${made.withFiles}` },
  "/inbox/:form/:id/reply": { least: "inbox", on: "", fields: { text: "" } },
  "/inbox/:form/:id/assign": { least: "inbox", on: `/inbox/contact/${made.withFiles}` },
  "/inbox/:form/:id/label": {
    least: "inbox",
    on: `/inbox/contact/${made.withFiles}`,
    fields: { label: "x" },
  },
  "/inbox/:form/:id/note": { least: "inbox", on: `/inbox/contact/${made.withFiles}`, fields: { note: "x" } },
  "/inbox/:form/:id/block": { least: "inbox", on: `/inbox/contact/${made.withFiles}`, fields: { word: "x" } },
  "/people/erase": {
    least: "inbox",
    on: "/people?q=ada%40example.com",
    fields: { q: "ada@example.com", confirm: "ada@example.com" },
  },
  "/forms/new": { least: "inbox", on: "/forms/new", fields: { slug: "new" } },
  "/forms/:form/fields": { least: "inbox", on: "/forms/contact/fields", fields: { as: "json", schema: "" } },
  "/forms/:form/feeds": { least: "inbox", on: "/forms/contact/feeds", fields: { format: "csv" } },
  "/forms/:form/feeds/:feed": { least: "inbox", on: "/forms/contact/feeds" },
  "/forms/:form/settings": { least: "inbox", on: "/forms/contact/settings", fields: { name: "New" } },
  "/forms/:form/state": { least: "inbox", on: "/forms/contact", fields: { enabled: "off" } },
  "/forms/:form/test": { least: "inbox", on: "/forms/contact" },
  "/forms/:form/delete": { least: "inbox", on: "/forms/contact/delete", fields: { slug: "contact" } },
  "/forms/:form/copy": { least: "inbox", on: "/forms/contact/copy", fields: { slug: "copied" } },
  "/forms/:form/move": { least: "inbox", on: "/forms/contact/move", fields: { project: "nowhere" } },
  "/forms/:form/targets": {
    least: "inbox",
    on: "/forms/contact",
    fields: { target: "https://example.com/" },
  },
  "/forms/:form/targets/:target": { least: "inbox", on: "/forms/contact", fields: { act: "delete" } },
  "/deliveries/retry": { least: "inbox", on: `/deliveries/${made.delivery}`, fields: { id: made.delivery } },
  "/projects": { least: "admin", on: "/projects", fields: { slug: "new" } },
  "/projects/:project/flags": { least: "editor", on: shop, fields: { slug: "new", flag: "new" } },
  "/projects/:project/people": {
    least: "editor",
    on: `${shop}/flags/checkout?environment=develop`,
    fields: { name: "Ann", context: "plan=beta" },
  },
  "/projects/:project/flags/ticked": {
    least: "editor",
    on: shop,
    fields: { act: "tag", tag: "new", flag: "checkout" },
  },
  "/projects/:project/flags/:flag/details": {
    least: "editor",
    on: `${shop}/flags/checkout`,
    fields: { owner: "ann" },
  },
  "/projects/:project/flags/:flag/delete": {
    least: "releaser",
    on: `${shop}/flags/checkout`,
    fields: { name: "checkout", confirm: "production" },
  },
  "/projects/:project/environments/:environment/flags/:flag": {
    least: "editor",
    on: `${develop}/flags/checkout`,
    fields: { act: "state", enabled: "off" },
    button: "Turn off in develop",
  },
  "/projects/:project/environments/:environment/flags/:flag/turn": {
    least: "editor",
    on: shop,
    fields: { on: "true" },
  },
  "/projects/:project/environments/:environment/flags/:flag/ramp": {
    least: "editor",
    on: `${develop}/flags/ramped`,
    names: { ":flag": "ramped" },
    fields: { do: "pause" },
  },
  "/projects/:project/environments/:environment/flags/:flag/release": {
    least: "editor",
    on: `${develop}/flags/checkout`,
    fields: { who: "all", how: "now" },
  },
  "/projects/:project/environments/:environment/flags/:flag/release/undo": {
    least: "editor",
    on: "",
    fields: { revision: String(made.revision) },
  },
  "/projects/:project/targets": {
    least: "editor",
    on: `${shop}/targets`,
    fields: { target: "https://example.com/" },
  },
  "/projects/:project/targets/:target": {
    least: "editor",
    on: `${shop}/targets`,
    names: { ":target": made.target },
    fields: { do: "disable" },
  },
  "/projects/:project/flags/:flag/feedback/delete": {
    least: "editor",
    on: `${shop}/flags/checkout/feedback`,
  },
  "/projects/:project/environments/:environment/scheduled/:id/cancel": {
    least: "releaser",
    on: `${production}/scheduled/${made.scheduled}/cancel`,
    names: scheduled,
    fields: { confirm: "production" },
  },
  ...Object.fromEntries(
    ["approve", "reject", "withdraw", "refresh"].map((step): [string, Rule] => [
      `/projects/:project/changes/:change/${step}`,
      { least: "releaser", on: step === "refresh" ? "" : `${shop}/changes/${proposal.id}` },
    ]),
  ),
  "/projects/:project/changes/:change/apply": { least: "editor", on: "" },
  "/projects/:project/compare/review": {
    least: "editor",
    on: `${shop}/compare?from=staging&to=develop`,
    fields: { from: "staging", to: "develop", all: "1" },
    button: "Promote what is ticked",
  },
  "/projects/:project/compare/promote": {
    least: "editor",
    on: "",
    fields: { from: "staging", to: "develop", flag: "checkout" },
  },
  "/projects/:project/environments/:environment/segments/:segment": {
    least: "editor",
    on: `${develop}/segments/staff`,
    fields: { rule: "true", as: "json" },
  },
  "/projects/:project/environments/:environment/segments/:segment/approve": {
    least: "editor",
    on: "",
    fields: { all: "1" },
  },
  "/projects/:project/environments/:environment/segments/:segment/delete": {
    least: "editor",
    on: `${shop}/environments/staging/segments/staff/delete`,
    names: { ":environment": "staging" },
  },
  "/projects/:project/segments/new": {
    least: "editor",
    on: `${shop}/segments/new`,
    fields: { environment: "develop", name: "new", rule: "true" },
  },
  "/projects/:project/experiments/new": {
    least: "editor",
    on: `${shop}/experiments/new`,
    fields: { name: "new", environment: "develop", flag: "hero", metrics: "event:signup" },
  },
  "/projects/:project/environments/:environment/experiments/:experiment/state": {
    least: "editor",
    on: `${develop}/experiments/headline`,
    fields: { do: "start" },
  },
  "/projects/:project/environments/:environment/experiments/:experiment/ship": {
    least: "editor",
    on: `${shop}/environments/staging/experiments/headline`,
    names: { ":environment": "staging" },
    fields: { variant: "on", to: "" },
  },
  "/projects/:project/environments/:environment/experiments/:experiment/delete": {
    least: "editor",
    on: `${develop}/experiments/headline`,
  },
  "/projects/:project/history/:revision/rollback": { least: "releaser", on: "" },
  "/projects/:project/import/flagd": {
    least: "editor",
    on: `${shop}/import`,
    fields: { environment: "develop", text: '{"flags":{}}' },
  },
  "/projects/:project/import/document": { least: "admin", on: `${shop}/import`, fields: { text: "{}" } },
  "/projects/:project/settings": { least: "admin", on: `${shop}/settings`, fields: { name: "New" } },
  "/projects/:project/done": { least: "editor", on: "", fields: { flag: "a" } },
  "/projects/:project/delete": { least: "admin", on: `${shop}/delete`, fields: { name: "shop" } },
  "/projects/:project/members": {
    least: "admin",
    on: `${shop}/members`,
    fields: { do: "set", user: "viewer", role: "inbox" },
  },
  "/projects/:project/tokens": { least: "admin", on: `${shop}/tokens`, fields: { name: "new" } },
  "/projects/:project/tokens/:token": { least: "admin", on: `${shop}/tokens` },
  "/projects/:project/environments": { least: "admin", on: `${shop}/settings`, fields: { slug: "new" } },
  "/projects/:project/environments/:environment/settings": {
    least: "admin",
    on: `${shop}/settings`,
    fields: { locked: "on" },
  },
  "/projects/:project/environments/:environment/delete": {
    least: "admin",
    on: `${develop}/delete`,
    fields: { name: "develop" },
  },
  "/access/tokens": { least: "admin", on: "/access/tokens", fields: { name: "new" } },
  "/access/tokens/:token": { least: "admin", on: "/access/tokens", fields: { act: "revoke" } },
  "/access/users": { least: "admin", on: "/access/users", fields: { name: "new", role: "admin" } },
  "/access/users/:user": {
    least: "admin",
    on: `/access/users/${NAMES["user"]}`,
    fields: { act: "role", role: "admin" },
  },
};

/** Forms for everybody who is signed in, or for nobody in particular. */
const FOR_EVERYBODY = [
  "/sign-in",
  "/sign-out",
  "/link/:secret",
  "/invitation/:secret",
  "/sign-in/code",
  "/sign-in/passkey",
  "/sign-in/passkey/options",
  "/me/totp",
  "/me/totp/codes",
  "/me/totp/remove",
  "/me/passkeys",
  "/me/passkeys/options",
  "/me/passkeys/:passkey/name",
  "/me/passkeys/:passkey/remove",
  "/me/password",
  "/me/settings",
  "/inbox/-/views",
  "/me/sessions/:session",
  "/me/grants/:grant",
  "/device",
];

/** Paths of the script of passkeys, which are tested with approvals. */
const BY_SCRIPT = ["", "/options"].map((end) => `/projects/:project/changes/:change/approve/passkey${end}`);

type Browser = Awaited<ReturnType<typeof dashboard.signIn>>;
const browsers = {} as Record<Role, Browser>;
beforeAll(async () => {
  for (const role of ROLES) browsers[role] = await dashboard.signIn(role);
});

const mayNot = (least: Role) => ROLES.slice(0, ROLES.indexOf(least));

describe("A form of the dashboard", () => {
  test("is known here, with who may send it", () => {
    const paths = routes
      .filter(({ method }) => method === "POST")
      .map(({ path }) => path.replace("/dashboard", ""));
    expect(paths.toSorted()).toEqual([...Object.keys(RULES), ...FOR_EVERYBODY, ...BY_SCRIPT].toSorted());
  });

  for (const [path, { least, on, names, fields = {}, button }] of Object.entries(RULES)) {
    test(`to ${path} is taken from ${least} and those who may more, and offered to nobody else`, async () => {
      const address = addressOf(path, names);
      const before = (await app.store.readVersion()).version;
      for (const role of mayNot(least)) {
        const { status } = await browsers[role].post(address, fields);
        expect([role, status]).toEqual([role, 403]);
      }
      expect((await app.store.readVersion()).version).toBe(before);
      if (on === "") return;
      const wanted = button ?? `action="/dashboard${address}`;
      for (const role of ROLES) {
        const { text } = await browsers[role].get(on);
        expect([role, text.includes(wanted)]).toEqual([role, !mayNot(least).includes(role)]);
      }
    });
  }
});

describe("A locked environment", () => {
  test("is changed by releasers and admins, with its name, and offers others no button", async () => {
    const page = `${production}/flags/checkout`;
    const fields = { act: "state", enabled: "off", confirm: "production" };
    for (const role of ["viewer", "inbox", "editor"] as const) {
      expect([role, (await browsers[role].post(page, fields)).status]).toEqual([role, 403]);
      const shown = await browsers[role].get(page);
      expect([role, shown.text.includes("Turn off in production")]).toEqual([role, false]);
      expect([role, shown.text.includes('value="save"')]).toEqual([role, false]);
    }
    const { text } = await browsers.releaser.get(page);
    expect(text).toContain("Turn off in production");
    const asked = await browsers.releaser.post(page, { act: "state", enabled: "off" });
    expect(asked.status).toBe(428);
    for (const name of ["develop", "PRODUCTION", "*"])
      expect((await browsers.releaser.post(page, { ...fields, confirm: name })).status).toBe(428);
    expect((await browsers.releaser.post(page, fields)).text).toContain("Turn on in production");
  });
});

test("Somebody who may only read tries what a change would do, and it changes nothing", async () => {
  const before = (await app.store.readVersion()).version;
  const page = `${develop}/flags/checkout`;
  const { status } = await browsers.viewer.post(page, { act: "try", contexts: "{}", payload: "1" });
  expect(status).toBe(200);
  expect((await app.store.readVersion()).version).toBe(before);
});

test("A viewer changes the own password and ends the own sessions, and nobody else's", async () => {
  const viewer = browsers.viewer;
  expect((await viewer.post("/me/password", { next: "correct horse battery" })).status).toBe(200);
  const { items } = await app.store.sessions.page("admin", { limit: 10 });
  const { status } = await viewer.post(`/me/sessions/${items[0]!.id}`, {});
  expect([403, 404]).toContain(status);
  expect((await app.store.sessions.page("admin", { limit: 10 })).items.length).toBe(items.length);
});
