import { describe, expect, test } from "bun:test";
import { recoveryHash } from "../../../../src/access/factors/recovery.ts";
import { totpCode, totpStep } from "../../../../src/access/factors/totp.ts";
import type { ApproveWith } from "../../../../src/projects/approval.ts";
import { setEnvironment } from "../../../../src/projects/environments.ts";
import { openTestApp } from "../../../support/app.ts";
import { ORIGIN, openDashboard } from "../../../support/pages/dashboard.ts";
import { createAuthenticator } from "../../../support/peers/authenticator.ts";
import { addProject, apply } from "../../../support/records/apply.ts";
import { OPERATOR } from "../../../support/records/caller.ts";
import { proposalOf, random } from "../../../support/records/records.ts";

const RECOVERY = "abcde-fghij";

/** The name of the cookie that has the ticket of a challenge. */
const ticketIn = ({ cookies }: { cookies: Map<string, string> }) =>
  [...cookies.keys()].find((name) => name.endsWith("_challenge"))!;

type Options = { challenge: string; rpId: string; allowCredentials: { id: string }[] };
type Value = Options & { to: string; error: { reason: string } };

/** A dashboard with a change of the environment `live`, whose approval asks for a factor. */
async function open(approveWith: ApproveWith | null) {
  const app = openTestApp();
  const dashboard = openDashboard(app);
  const { slug: project } = await addProject(app.store, "shop", "live");
  await setEnvironment(app, OPERATOR, project, "live", { approvals: 1, approveWith });
  const propose = async () => {
    const proposal = proposalOf(project, {
      who: "eve",
      createdAt: app.now(),
      expiresAt: app.now() + 86_400_000,
    });
    const change = { change: "insertProposal", project, proposal, action: "change.propose" } as const;
    await apply(app.store, { ...change, events: [] });
    return { ...proposal, path: `/projects/${project}/changes/${proposal.id}` };
  };
  const proposal = await propose();
  /** A releaser who is signed in, with a device that makes passkeys and an app that shows codes. */
  const person = async (name: string) => {
    const browser = await dashboard.signIn("releaser", name);
    const device = createAuthenticator(ORIGIN);
    const send = async (path: string, body: unknown) => {
      const answer = await browser.ask(path, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { Origin: ORIGIN, "Content-Type": "application/json" },
      });
      return { status: answer.status, value: (await answer.json()) as Value };
    };
    const begin = (etag = proposal.etag, path = proposal.path) =>
      send(`${path}/approve/passkey/options`, { etag });
    const finish = (credential: object, etag = proposal.etag, path = proposal.path) =>
      send(`${path}/approve/passkey`, { etag, credential });
    return {
      ...browser,
      device,
      begin,
      finish,
      addPasskey: async () => {
        const { value } = await send("/me/passkeys/options", {});
        const credential = device.create(value as never);
        expect((await send("/me/passkeys", { name: "Phone", credential })).status).toBe(201);
      },
      addApp: async () => {
        const [key, keep] = [random(20), (await app.store.sessions.page(name, { limit: 1 })).items[0]!.id];
        const recovery = [recoveryHash(key, RECOVERY)];
        await apply(app.store, { change: "setTotp", name, key, step: 1, recovery, at: app.now(), keep });
        return (steps = 0) => totpCode(key, totpStep(app.now()) + steps);
      },
      /** The answer of the device to the challenge for the change, as the page's script gets it. */
      answer: async () => device.get((await begin()).value),
      approve: (fields: { code?: string } = {}, { etag, path } = proposal) =>
        browser.post(`${path}/approve`, { etag, ...fields }),
    };
  };
  const reviews = async () => (await app.store.proposals.find(project, proposal.id))!.reviews;
  const audited = async (action: string) =>
    (await app.store.audit.page({ projects: null, action, limit: 9 })).items.map(({ who, details }) => ({
      who,
      ...details,
    }));
  return { app, project, proposal, propose, person, reviews, audited };
}

const refusal = ({ status, value }: { status: number; value: Value }) => `${status} ${value.error?.reason}`;

describe("An approval with a passkey", () => {
  test("is given on the page of the change, and named on it, in the audit log and nowhere without it", async () => {
    const { person, proposal, reviews, audited } = await open("passkey");
    const ann = await person("ann");
    const without = await ann.get(proposal.path);
    expect(without.text).toContain("takes a passkey, which you do not have");
    expect(without.text).toContain('href="/dashboard/me"');
    expect((await ann.approve()).status).toBe(403);
    await ann.addPasskey();
    const page = await ann.get(proposal.path);
    expect(page.text).toContain("Approve with a passkey");
    expect(page.text).not.toContain('name="code"');
    const bare = await ann.approve();
    expect([bare.status, bare.text.includes("takes a passkey")]).toEqual([428, true]);
    expect(await reviews()).toEqual([]);
    const { value: options } = await ann.begin();
    expect(options.allowCredentials).toEqual([
      { type: "public-key", id: ann.device.credential.toString("base64url") },
    ] as never);
    const { status, value } = await ann.finish(ann.device.get(options));
    expect([status, value.to]).toEqual([200, `/dashboard${proposal.path}`]);
    expect(await reviews()).toMatchObject([{ who: "ann", verdict: "approved", factor: "passkey" }]);
    const approved = await ann.get(proposal.path);
    expect(approved.text).toContain("Approved: it can be applied.");
    expect(approved.text).toContain("ann</bdi> with a passkey");
    expect(await audited("change.approve")).toMatchObject([{ who: "ann", with: "passkey" }]);
  });

  test("is of the reviewer's own passkey, for this change as it was shown, in time, and once", async () => {
    const { app, person, proposal, propose, reviews, audited } = await open("passkey");
    const [ann, bea] = [await person("ann"), await person("bea")];
    await ann.addPasskey();
    await bea.addPasskey();
    const other = await propose();
    expect(refusal(await ann.finish(bea.device.get((await ann.begin()).value)))).toBe("403 passkey-unknown");
    const forOther = ann.device.get((await ann.begin(other.etag, other.path)).value);
    expect(refusal(await ann.finish(forOther))).toBe("403 passkey-refused");
    const forBefore = ann.device.get((await ann.begin("0".repeat(64))).value);
    expect(refusal(await ann.finish(forBefore))).toBe("403 passkey-refused");
    expect(refusal(await ann.finish(forBefore, "0".repeat(64)))).toBe("409 change-differs");
    // A browser without the ticket of the challenge.
    const taken = await ann.answer();
    ann.cookies.delete(ticketIn(ann));
    expect(refusal(await ann.finish(taken))).toBe("400 challenge-ended");
    const late = await ann.answer();
    app.clock.now += 5 * 60_000;
    expect(refusal(await ann.finish(late))).toBe("400 challenge-ended");
    const signIn = ann.device.get((await ann.begin()).value, { challenge: "x".repeat(43) });
    expect(refusal(await ann.finish(signIn))).toBe("403 passkey-refused");
    expect(await reviews()).toEqual([]);
    expect(new Set((await audited("second-factor.fail")).map(({ who }) => who))).toEqual(new Set(["ann"]));
    const good = await ann.answer();
    const [cookie, ticket] = [ticketIn(ann), ann.cookies.get(ticketIn(ann))!];
    expect((await ann.finish(good)).status).toBe(200);
    // The same answer and ticket once more, for a change whose approval became void.
    const stored = (await app.store.proposals.find("shop", proposal.id))!;
    const change = { change: "updateProposal", project: "shop", action: "change.refresh" } as const;
    await apply(app.store, { ...change, proposal: { ...stored, reviews: [] }, events: [] });
    ann.cookies.set(cookie, ticket);
    expect(refusal(await ann.finish(good))).toBe("403 passkey-refused");
    expect(await reviews()).toEqual([]);
  });

  test("is not that of a passkey that was removed since, and wrong ones have to wait", async () => {
    const { app, person, reviews } = await open("passkey");
    const ann = await person("ann");
    await ann.addPasskey();
    const good = await ann.answer();
    const { id } = (await app.store.factors.passkeys("ann"))[0]!;
    expect((await ann.post(`/me/passkeys/${id}/remove`, {})).status).toBe(200);
    expect(refusal(await ann.finish(good))).toBe("403 factor-not-set-up");
    await ann.addPasskey();
    let last = "";
    for (let count = 0; count <= 20; count += 1)
      last = refusal(await ann.finish(ann.device.get((await ann.begin()).value, { flags: 1 })));
    expect(last).toBe("429 passkey-throttled");
    expect(await reviews()).toEqual([]);
  });
});

describe("An approval with a code", () => {
  test("takes a code of the reviewer's own app, once, and is named", async () => {
    const { app, person, proposal, propose, reviews, audited } = await open("totp");
    const [ann, bea] = [await person("ann"), await person("bea")];
    const [codeOf, codeOfBea] = [await ann.addApp(), await bea.addApp()];
    const page = await ann.get(proposal.path);
    expect(page.text).toContain('name="code"');
    expect(page.text).not.toContain("Approve with a passkey");
    expect((await ann.approve()).status).toBe(428);
    for (const code of ["", "000000", codeOfBea(), "nonsense", "x".repeat(40)]) {
      const wrong = await ann.approve({ code });
      expect([code, wrong.status, wrong.text.includes("The code is wrong")]).toEqual([code, 403, true]);
    }
    expect((await ann.approve({ code: "x".repeat(41) })).status).toBe(400);
    expect(await audited("second-factor.fail")).toHaveLength(5);
    const code = codeOf();
    expect((await ann.approve({ code })).text).toContain("Approved: it can be applied.");
    expect(await reviews()).toMatchObject([{ who: "ann", factor: "totp" }]);
    expect(await audited("change.approve")).toMatchObject([{ who: "ann", with: "totp" }]);
    const second = await propose();
    expect((await ann.approve({ code }, second)).status).toBe(403);
    app.clock.now += 30_000;
    expect((await ann.approve({ code: codeOf() }, second)).text).toContain("Approved");
    const third = await propose();
    expect((await ann.approve({ code: RECOVERY.toUpperCase() }, third)).text).toContain("a recovery code");
    expect((await ann.approve({ code: RECOVERY }, await propose())).status).toBe(403);
  });

  test("is not spent by what would be refused anyway", async () => {
    const { person, proposal } = await open("totp");
    const ann = await person("ann");
    const code = (await ann.addApp())();
    expect((await ann.approve({ code }, { ...proposal, etag: "0".repeat(64) })).status).toBe(409);
    expect((await ann.approve({ code })).text).toContain("Approved");
    expect((await ann.approve({ code })).text).toContain("you have approved this change already".slice(4));
  });

  test("has to wait after ten wrong codes, also a right one, and is no longer taken without the app", async () => {
    const { app, person, reviews } = await open("totp");
    const ann = await person("ann");
    const codeOf = await ann.addApp();
    for (let count = 0; count < 10; count += 1)
      expect((await ann.approve({ code: "000000" })).status).toBe(403);
    const waiting = await ann.approve({ code: codeOf() });
    expect([waiting.status, waiting.headers.get("retry-after")]).toEqual([429, "60"]);
    app.clock.now += 60_000;
    const code = codeOf();
    expect((await ann.post("/me/totp/remove", {})).status).toBe(200);
    const gone = await ann.approve({ code });
    expect([gone.status, gone.text.includes("an authenticator app, which you do not have")]).toEqual([
      403,
      true,
    ]);
    expect(await reviews()).toEqual([]);
  });
});

test("Where either factor will do, the page offers the ones that the reviewer has", async () => {
  const { person, proposal } = await open("any");
  const ann = await person("ann");
  expect((await ann.get(proposal.path)).text).toContain(
    "a passkey or a code of your authenticator app, which",
  );
  await ann.addPasskey();
  const typed = await ann.approve({ code: "123456" });
  expect([typed.status, typed.text.includes("an authenticator app, which you do not have")]).toEqual([
    403,
    true,
  ]);
  const code = (await ann.addApp())();
  const both = await ann.get(proposal.path);
  expect(both.text).toContain("Approve with a passkey");
  expect(both.text).toContain('name="code"');
  expect((await ann.approve({ code })).text).toContain("ann</bdi> with a code of an authenticator app");
});

test("An approval from before a factor was asked for no longer counts, and is given again once", async () => {
  const { app, person, project, proposal, reviews } = await open(null);
  const ann = await person("ann");
  expect((await ann.approve()).text).toContain("Approved: it can be applied.");
  await setEnvironment(app, OPERATOR, project, "live", { approveWith: "totp" });
  const codeOf = await ann.addApp();
  expect((await ann.get(proposal.path)).text).toContain("0 of 1");
  expect((await ann.approve({ code: codeOf() })).text).toContain("1 of 1");
  await setEnvironment(app, { ...OPERATOR, hasConfirmed: () => true }, project, "live", {
    approveWith: null,
  });
  expect(await reviews()).toHaveLength(1);
});

test("An environment asks for a looser factor only once that is confirmed", async () => {
  const { app, project } = await open(null);
  const admin = await openDashboard(app).signIn("admin");
  const set = (approveWith: string, confirm = "") =>
    admin.post(`/projects/${project}/environments/live/settings`, { approveWith, confirm });
  for (const [factor, confirm, status] of [
    ["any", "", 200],
    ["passkey", "", 200],
    ["totp", "", 428],
    ["totp", "live", 200],
    ["passkey", "", 200],
    ["any", "", 428],
    ["", "dev", 428],
    ["", "live", 200],
    ["fingerprint", "", 400],
  ] as const)
    expect([factor, confirm, (await set(factor, confirm)).status]).toEqual([factor, confirm, status]);
});

test("The address for mail about changes to approve is one plain address, under You, and none at first", async () => {
  const { app, person } = await open(null);
  const ann = await person("ann");
  expect((await ann.get("/me")).text).toContain("no mail about changes to approve");
  const save = (reviewMail: string) =>
    ann.post("/me/settings", { timeZone: "", shortcuts: "on", reviewMail });
  for (const wrong of ["ann", "ann@example.com, bea@example.com", "Ann <ann@example.com>", "a@[127.0.0.1]"])
    expect([wrong, (await save(wrong)).status]).toEqual([wrong, 400]);
  expect((await save("ann@Example.com")).text).toContain('value="ann@example.com"');
  expect((await app.store.users.find("ann"))!.settings.reviewMail).toBe("ann@example.com");
  await save("");
  expect((await app.store.users.find("ann"))!.settings.reviewMail).toBeNull();
});
