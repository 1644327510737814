import { describe, expect, test } from "bun:test";
import type { Caller } from "../../src/access/caller.ts";
import { delivered, unanswered } from "../../src/delivery/attempt.ts";
import { createOutbox } from "../../src/delivery/outbox.ts";
import { setFlag } from "../../src/flags/flags.ts";
import { promoteFlags } from "../../src/flags/promotions.ts";
import type { GivenSource } from "../../src/flags/source-card.ts";
import { deleteSegment } from "../../src/flags/segments.ts";
import { deliveriesOf } from "../../src/forms/deliveries.ts";
import { createForm, setForm } from "../../src/forms/forms.ts";
import { markSubmissions } from "../../src/forms/inbox/submission-marks.ts";
import { titleOfContent } from "../../src/forms/inbox/titles.ts";
import { deleteSubmission } from "../../src/forms/keeping/submission-deletion.ts";
import { createOptInLinks } from "../../src/forms/opt-in/links.ts";
import { storeSubmission } from "../../src/forms/submissions.ts";
import { approve, suspend } from "../../src/memberships/members.ts";
import { setSource } from "../../src/memberships/sources.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openTestApp } from "../support/app.ts";
import { fakeOutgoing } from "../support/peers/outgoing.ts";
import { OPERATOR, callerNamed } from "../support/records/caller.ts";
import { codeOf } from "../support/refusals.ts";

const WELCOME = "# Welcome, {{name}}\n\nYou are in: {{email}}.\n";

const app = openTestApp();
const outgoing = fakeOutgoing();
const outbox = createOutbox(
  app,
  {
    holder: "test",
    outgoing: async () => outgoing,
    titleOf: titleOfContent,
    inWords: () => null,
    files: {
      url: async () => "",
      open: async () => new Blob([]).stream(),
      optIn: createOptInLinks(app, "https://forms.example.com"),
    },
    retryDelays: [5],
    report: { attempted: () => {}, error: (error) => expect(error).toBeUndefined(), failed: () => {} },
  },
  () => {},
);
const { slug: project } = await createProject(app, OPERATOR, { slug: "shop" });
let forms = 0;

/** A segment that a form fills, with a welcome for who is approved. */
async function open(welcome: string | undefined = WELCOME, settings: { notify?: string[] } = {}) {
  const form = await createForm(app, OPERATOR, { slug: `beta-${(forms += 1)}`, ...settings });
  const place = { project, environment: "production", segment: form.slug };
  const source = { form: form.slug, field: "email", approve: true, ...(welcome !== "" && { welcome }) };
  const set = (more: Partial<GivenSource> = {}) =>
    setSource(app, OPERATOR, place, { ...source, ...more }, null);
  await set();
  const send = async (fields: object) => {
    const deliveries = deliveriesOf(app, form, []);
    return (await storeSubmission(app, form, { data: JSON.stringify(fields), files: [] }, { deliveries })).id;
  };
  return { form, place, set, send, approve: (...values: string[]) => approve(app, OPERATOR, place, values) };
}

/** The mail that is sent within some seconds from now. */
async function mailIn(seconds: number) {
  app.clock.now += seconds * 1000;
  await outbox.job.run();
  return outgoing.sent.splice(0).flatMap((each) => ("mail" in each ? [each.mail] : []));
}

describe("a welcome", () => {
  test("is sent once, a minute after the approval, to the address as it was sent", async () => {
    const { send, approve } = await open();
    await send({ email: "Ann@Example.com", name: "Ann" });
    await send({ email: "ben@example.com", name: "Ben" });
    expect(await mailIn(120)).toEqual([]);
    await approve("ann@example.com");
    await approve("ann@example.com");
    expect(await mailIn(59)).toEqual([]);
    const [mail, ...others] = await mailIn(1);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({
      to: "Ann@example.com",
      subject: "Welcome, Ann",
      unsubscribe: expect.stringMatching(/^https:\/\/forms\.example\.com\/v1\/u\/[\w-]{51}$/),
    });
    expect(mail!.text).toContain("You are in");
    await approve("ann@example.com");
    expect(await mailIn(120)).toEqual([]);
  });

  test("goes to the address of the sender where the value is none, and to nobody where there is none", async () => {
    const { set, send, place } = await open();
    await set({ field: "account" });
    await send({ account: "4711", email: "cid@example.com" });
    await send({ account: "4712" });
    await approve(app, OPERATOR, place, null);
    expect((await mailIn(60)).map(({ to }) => to)).toEqual(["cid@example.com"]);
  });

  test.each([
    ["names", { emailField: "contact" }],
    ["confirms", { optIn: "contact" }],
    ["describes as one", { schema: { properties: { contact: { type: "string", format: "email" } } } }],
  ])("goes to the address in the field that the form %s, and to no other", async (_, settings) => {
    const { form, set, send, place } = await open();
    await set({ field: "account" });
    await setForm(app, OPERATOR, form.slug, settings);
    await send({ account: "4711", email: "other@example.com", contact: "dea@example.com" });
    await send({ account: "4712", email: "other@example.com" });
    await approve(app, OPERATOR, place, null);
    expect((await mailIn(60)).map(({ to }) => to)).toEqual(["dea@example.com"]);
  });

  test("waits a minute from each approval, also if the one before was taken back within it", async () => {
    const { send, approve } = await open();
    const id = await send({ email: "ann@example.com" });
    await approve("ann@example.com");
    for (const mark of ["spam", "inbox"] as const) {
      expect(await mailIn(20)).toEqual([]);
      await markSubmissions(app, OPERATOR, [id], mark);
    }
    await approve("ann@example.com");
    expect(await mailIn(59)).toEqual([]);
    expect(await mailIn(1)).toHaveLength(1);
    expect(await mailIn(120)).toEqual([]);
  });

  test("is not sent once its approval was taken back, and a minute after the next one", async () => {
    const { place, send, approve } = await open();
    await send({ email: "ann@example.com" });
    await send({ email: "ben@example.com" });
    await approve("ann@example.com", "ben@example.com");
    expect(await mailIn(30)).toEqual([]);
    await suspend(app, OPERATOR, place, ["Ann@example.com"]);
    expect((await mailIn(60)).map(({ to }) => to)).toEqual(["ben@example.com"]);
    await approve("ann@example.com");
    await suspend(app, OPERATOR, place, ["ann@example.com"]);
    await approve("ann@example.com");
    expect((await mailIn(60)).map(({ to }) => to)).toEqual(["ann@example.com"]);
    await suspend(app, OPERATOR, place, ["ann@example.com", "ben@example.com"]);
    await approve("ann@example.com", "ben@example.com");
    expect(await mailIn(120)).toEqual([]);
  });

  test("gives way to mail that a person waits for, and is every fifth mail while such mail waits", async () => {
    const { send, place } = await open(WELCOME, { notify: ["ops@example.com"] });
    const { length } = await Promise.all(
      Array.from({ length: 200 }, (_, n) => send({ email: `p${n}@example.com` })),
    );
    await mailIn(0);
    await approve(app, OPERATOR, place, null);
    outgoing.answer = async () => {
      if (outgoing.sent.length === 50)
        await Promise.all(Array.from({ length: 40 }, (_, n) => send({ text: `late ${n}` })));
      return delivered(250);
    };
    const mail = await mailIn(60);
    outgoing.answer = () => delivered(250);
    const late = mail.flatMap(({ to }, place) => (to === "ops@example.com" ? [place] : []));
    expect(mail).toHaveLength(length + 40);
    expect(late[0]).toBeLessThan(54);
    const among = mail.slice(late[0], late.at(-1)).filter(({ to }) => to !== "ops@example.com");
    expect(among.length).toBeGreaterThanOrEqual(8);
    expect(among.length).toBeLessThanOrEqual(12);
  });

  test("waits with all other mail while the mail server is down", async () => {
    const { send, approve } = await open(WELCOME, { notify: ["ops@example.com"] });
    await send({ email: "ann@example.com" });
    await send({ email: "ben@example.com" });
    await approve("ann@example.com", "ben@example.com");
    outgoing.answer = () => unanswered("the mail server is down", true);
    const tried = await mailIn(60);
    outgoing.answer = () => delivered(250);
    expect(tried).toHaveLength(2);
    expect((await mailIn(10)).map(({ to }) => to).toSorted()).toEqual([
      "ann@example.com",
      "ben@example.com",
      "ops@example.com",
      "ops@example.com",
    ]);
  });

  test("has the name of the form as its subject where nothing is left of its own", async () => {
    const { form, send, approve } = await open("# {{name}}\n\nYou are in.\n");
    await send({ email: "ann@example.com", name: "evil.example/x" });
    await approve("ann@example.com");
    expect((await mailIn(60)).map(({ subject }) => subject)).toEqual([form.name]);
  });

  test("is set by who may write the form, and not by who may only read its submissions", async () => {
    const { form, place } = await open("");
    const source = { form: form.slug, field: "email", approve: true };
    const caller = callerNamed("ci", { scopes: ["forms:read", "flags:write"] });
    const set = (caller: Caller, more: Partial<GivenSource>) =>
      setSource(app, caller, place, { ...source, ...more }, null);
    expect(await codeOf(set(caller, { welcome: WELCOME }))).toBe("forbidden");
    await set(caller, { attribute: "mail" });
    await set(callerNamed("ci", { scopes: ["forms:write", "forms:read", "flags:write"] }), {
      welcome: WELCOME,
    });
    expect(await codeOf(set(caller, { welcome: `${WELCOME}more` }))).toBe("forbidden");
    // A promotion sets it in another environment.
    const targeting = { if: [{ $ref: form.slug }, "on"] };
    const flag = { variants: { on: true, off: false }, defaultVariant: "off", targeting };
    await setFlag(app, OPERATOR, { project, environment: "production", flag: "beta" }, flag);
    const order = { from: "production", to: "develop", flags: ["beta"], segments: true };
    const promote = (by: Caller, isDryRun = false) => promoteFlags(app, by, project, order, isDryRun);
    const reader = callerNamed("ci", { scopes: ["forms:read", "flags:write", "flags:read"] });
    expect(await codeOf(promote(reader))).toBe("forbidden");
    expect(await codeOf(promote(reader, true))).toBe("forbidden");
    await promote(OPERATOR);
    expect(await promote(reader)).toMatchObject({ flags: [], segments: [] });
  });

  test("is not sent to who was deleted, is spam, or has left within the minute", async () => {
    const { send, approve, place } = await open();
    const [deleted, spam, left] = [
      await send({ email: "d@example.com" }),
      await send({ email: "e@example.com" }),
      await send({ email: "f@example.com" }),
    ];
    await approve("d@example.com", "e@example.com", "f@example.com");
    await deleteSubmission(app, OPERATOR, deleted);
    await markSubmissions(app, OPERATOR, [spam], "spam");
    await app.store.submissions.unsubscribe(left, ["f@example.com"], app.now());
    expect(await mailIn(60)).toEqual([]);
    const other = await send({ email: "g@example.com" });
    await approve("g@example.com");
    await deleteSegment(app, OPERATOR, place, null);
    expect(await mailIn(60)).toEqual([]);
    const query = { limit: 9, before: null, formKeys: null, projects: null, status: null, submission: other };
    expect((await app.store.deliveries.page(query)).items).toMatchObject([
      { kind: "welcome", target: "g@example.com", status: "cancelled" },
    ]);
  });

  test("is refused without approval, a subject, a text or a template that can be read", async () => {
    const { set } = await open("");
    for (const [more, code] of [
      [{ welcome: WELCOME, approve: false }, "invalid"],
      [{ welcome: "Welcome" }, "invalid"],
      [{ welcome: "# Welcome" }, "invalid"],
      [{ welcome: "# Welcome\n\n{{#name}}" }, "invalid"],
      [{ welcome: "# Welcome {{#name}}\n\nYou are in{{/name}}" }, "invalid"],
      [{ welcome: "# Welcome {{\nname}}\n\nYou are in" }, "invalid"],
      [{ welcome: `# Welcome\n\n${"x".repeat(10_000)}` }, "invalid"],
    ] as const)
      expect([more, await codeOf(set(more))]).toEqual([more, code]);
    await set({ approve: false });
  });
});
