import { describe, expect, test } from "bun:test";
import { typedCode, userCode } from "../../src/access/device/device-login.ts";
import { answerLogin, beginLogin, findLogin, pollLogin } from "../../src/access/device/device-logins.ts";
import { resumeSession } from "../../src/access/sessions.ts";
import { authenticate } from "../../src/access/tokens.ts";
import { openTestApp } from "../support/app.ts";
import { openReplicas } from "../support/postgres/replicas.ts";
import { IS_POSTGRES_HERE } from "../support/postgres/postgres.ts";
import { random } from "../support/records/records.ts";
import { BROWSER, signIn } from "../support/records/users.ts";
import { reasonOf } from "../support/refusals.ts";

const CLIENT = { client: "formflag on ada" };
const WRONG = "not_found login-unknown";

test("a code is eight letters that make no word, however it is typed", () => {
  const codes = Array.from({ length: 200 }, () => userCode(random));
  expect(new Set(codes).size).toBe(200);
  for (const code of codes) expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  for (const typed of ["BCDF-GHJK", " bcdfghjk ", "bcdf–ghjk", "b c d f g h j k"])
    expect(typedCode(typed)).toBe("BCDF-GHJK");
  for (const typed of ["", "BCDF-GHJ", "BCDF-GHJKL", "ABCD-EFGH", "BCDF-GHJ1", "B".repeat(60)])
    expect(typedCode(typed)).toBeNull();
});

describe("a login of the command line", () => {
  test("is a session with the rights of the user who allowed it, until its time", async () => {
    const app = openTestApp();
    const { caller } = await signIn(app, "ann", "editor");
    const { deviceCode, userCode: code } = await beginLogin(app, { ...CLIENT, seconds: 3600 }, BROWSER);
    expect(await reasonOf(pollLogin(app, deviceCode))).toBe("authorization_pending");
    expect(await reasonOf(pollLogin(app, deviceCode))).toBe("slow_down");
    app.clock.now += 2000;
    expect(await reasonOf(pollLogin(app, deviceCode))).toBe("authorization_pending");
    expect(await findLogin(app, caller, code)).toMatchObject({
      ...CLIENT,
      address: BROWSER.address,
      lasts: 3600,
    });
    await answerLogin(app, caller, code, "allow");
    const { secret, user, expiresAt } = await pollLogin(app, deviceCode);
    expect({ user, expiresAt }).toEqual({ user: "ann", expiresAt: app.now() + 3_600_000 });
    expect(await reasonOf(pollLogin(app, deviceCode))).toBe("expired_token");

    expect((await resumeSession(app, secret, "cli")).user).toMatchObject({ name: "ann", role: "editor" });
    // It opens no dashboard, and is no token; nor is a session of a browser.
    expect(await reasonOf(resumeSession(app, secret))).toBe("unauthenticated session-ended");
    expect(await reasonOf(authenticate(app, secret))).toBe("unauthenticated token-unknown");
    const browser = await signIn(app, "ann");
    expect(await reasonOf(resumeSession(app, browser.secret, "cli"))).toBe("unauthenticated login-ended");
    app.clock.now += 3_599_999;
    await resumeSession(app, secret, "cli");
    app.clock.now += 1;
    expect(await reasonOf(resumeSession(app, secret, "cli"))).toBe("unauthenticated login-ended");
  });

  test("is not allowed twice, nor by a wrong code, and ends as denied or expired", async () => {
    const app = openTestApp();
    const { caller } = await signIn(app, "ann");
    const [denied, late] = [await beginLogin(app, CLIENT, BROWSER), await beginLogin(app, CLIENT, BROWSER)];
    await answerLogin(app, caller, denied.userCode, "deny");
    expect(await reasonOf(pollLogin(app, denied.deviceCode))).toBe("access_denied");
    expect(await reasonOf(answerLogin(app, caller, denied.userCode, "allow"))).toBe(WRONG);
    expect(await reasonOf(findLogin(app, caller, denied.userCode))).toBe(WRONG);
    app.clock.now += 900_000;
    expect(await reasonOf(pollLogin(app, late.deviceCode))).toBe("expired_token");
    expect(await reasonOf(answerLogin(app, caller, late.userCode, "allow"))).toBe(WRONG);
    expect(await reasonOf(pollLogin(app, ""))).toBe("expired_token");
    const forever = beginLogin(app, { ...CLIENT, seconds: 30 * 86_400 + 1 }, BROWSER);
    expect(await reasonOf(forever)).toBe("invalid");
  });

  test("makes a user wait after ten wrong codes, the right one too, and nobody else", async () => {
    const app = openTestApp();
    const [ann, ben] = [await signIn(app, "ann"), await signIn(app, "ben")];
    const { userCode: code } = await beginLogin(app, CLIENT, BROWSER);
    for (let count = 0; count < 10; count += 1)
      expect(await reasonOf(findLogin(app, ann.caller, `BCDF-GHJ${"BCDFGHJKLM"[count]}`))).toBe(WRONG);
    expect(await reasonOf(findLogin(app, ann.caller, code))).toBe("rate_limited codes-throttled");
    expect(await reasonOf(answerLogin(app, ann.caller, code, "allow"))).toBe("rate_limited codes-throttled");
    await findLogin(app, ben.caller, code);
    app.clock.now += 60_000;
    await findLogin(app, ann.caller, code);
  });

  test("is begun twenty times by a network, then one by one", async () => {
    const app = openTestApp();
    for (let count = 0; count < 20; count += 1) await beginLogin(app, CLIENT, BROWSER);
    expect(await reasonOf(beginLogin(app, CLIENT, BROWSER))).toBe("rate_limited logins-throttled");
    await beginLogin(app, CLIENT, { ...BROWSER, network: "192.0.2.2" });
    app.clock.now += 3000;
    await beginLogin(app, CLIENT, BROWSER);
  });

  test.skipIf(!IS_POSTGRES_HERE)(
    "begins, is allowed and ends on different replicas",
    async () => {
      const [one, two, three] = (await openReplicas(3)) as [never, never, never];
      const { caller } = await signIn(two, "ann");
      const { deviceCode, userCode: code } = await beginLogin(one, CLIENT, BROWSER);
      await answerLogin(two, caller, code, "allow");
      // Two replicas are polled at the same moment.
      const polls = await Promise.allSettled([pollLogin(one, deviceCode), pollLogin(three, deviceCode)]);
      const [done] = polls.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      expect(polls.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect((await resumeSession(two, done!.secret, "cli")).user.name).toBe("ann");
    },
    60_000,
  );
});
