import { describe, expect, test } from "bun:test";
import { signInByCode } from "../../src/access/factors/code-step.ts";
import { setUpTotp } from "../../src/access/factors/factors.ts";
import { addPasskey, beginPasskey, beginSignIn, signInByPasskey } from "../../src/access/factors/passkeys.ts";
import { siteOf } from "../../src/access/factors/site.ts";
import { totpCode, totpKey, totpStep } from "../../src/access/factors/totp.ts";
import { signInByLink } from "../../src/access/sign-in.ts";
import { createLink } from "../../src/access/users.ts";
import { createAuthenticator } from "../support/peers/authenticator.ts";
import { BROWSER, signIn } from "../support/records/users.ts";
import { reasonOf } from "../support/refusals.ts";
import { solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import type { Challenge } from "altcha-lib/types";
import { setFlag } from "../../src/flags/flags.ts";
import { createFlagReader } from "../../src/flags/reads/flag-reader.ts";
import { markSubmissions } from "../../src/forms/inbox/submission-marks.ts";
import { setSource } from "../../src/memberships/sources.ts";
import { createFileLinks } from "../../src/forms/inbox/file-links.ts";
import { newFormSchema } from "../../src/forms/form-schema.ts";
import type { NewForm } from "../../src/forms/form.ts";
import { loadLinkSecret } from "../../src/forms/link-secret.ts";
import { createForm } from "../../src/forms/forms.ts";
import { createLinks } from "../../src/http/forms/links.ts";
import { createProject } from "../../src/projects/projects.ts";
import { type ClockedApp, clientAt, openServices } from "../support/app.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { hiddenIn, openDashboard } from "../support/pages/dashboard.ts";
import { IS_POSTGRES_HERE, execute, freshDatabase } from "../support/postgres/postgres.ts";
import { submissionTo } from "../support/records/records.ts";
import { openReplicas } from "../support/postgres/replicas.ts";

/** The services of two replicas, and what is sent to either. */
async function openPair(url?: string) {
  const apps = (await openReplicas(2, url)) as [ClockedApp, ClockedApp];
  const services = apps.map((app) => openServices(app));
  let count = 0;
  const ask = (replica: number, path: string, init: RequestInit = {}, service: "forms" | "flags" = "forms") =>
    Promise.resolve(
      services[replica]![service].routes.fetch(new Request(`http://site.test${path}`, init), {
        client: clientAt("203.0.113.7"),
      }),
    );
  const submit = (
    replica: number,
    { key }: { key: string },
    body = "a=1",
    headers: Record<string, string> = {},
  ) =>
    ask(replica, `/v1/s/${key}?mode=rest`, {
      method: "POST",
      body,
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    });
  return {
    apps,
    services,
    clock: apps[0].clock,
    ask,
    submit,
    newForm: (settings: Partial<NewForm> = {}, project?: string) =>
      createForm(apps[0], OPERATOR, {
        ...newFormSchema.parse({ slug: `form-${(count += 1)}`, ...settings }),
        ...(project !== undefined && { project }),
      }),
    reported: () => services.flatMap(({ reported }) => reported.splice(0)),
  };
}

const statuses = (answers: Response[]) => answers.map(({ status }) => status).toSorted((a, b) => a - b);

if (IS_POSTGRES_HERE) {
  const pair = await openPair();
  // Forms that name no project are in it, also where tests create others.
  await createProject(pair.apps[0], OPERATOR, { slug: "default", environments: [] });
  describe("on each of two replicas", () => {
    test("a rate limit counts what came to the other, and its window ends on both", async () => {
      const { apps, clock, newForm, submit } = pair;
      const form = await newForm({ rateLimit: { count: 5, seconds: 60 } });
      const many = await Promise.all(Array.from({ length: 20 }, (_, index) => submit(index % 2, form)));
      expect(statuses(many)).toEqual([...Array<number>(5).fill(200), ...Array<number>(15).fill(429)]);
      clock.now += 59_999;
      for (const replica of [0, 1]) {
        const refused = await submit(replica, form);
        expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
      }
      clock.now += 1;
      const later = await Promise.all(Array.from({ length: 6 }, (_, index) => submit(index % 2, form)));
      expect(statuses(later)).toEqual([200, 200, 200, 200, 200, 429]);
      expect(await apps[1].store.submissions.count(form.key)).toBe(10);
    });

    test("a form is open as the flag is that the other set, from the next request on", async () => {
      const { apps, newForm, submit } = pair;
      await createProject(apps[0], OPERATOR, { slug: "opening", environments: ["live"] });
      const place = { project: "opening", environment: "live", flag: "contact-open" };
      await setFlag(apps[0], OPERATOR, place, {});
      const form = await newForm({ openWhen: "opening/live/contact-open" });
      for (const [round, enabled] of [true, false, true, false].entries()) {
        await setFlag(apps[round % 2]!, OPERATOR, place, { enabled });
        const answers = await Promise.all([submit(0, form), submit(1, form)]);
        expect(statuses(answers)).toEqual(enabled ? [200, 200] : [409, 409]);
      }
    });

    test("who signs up on the other is in the segment of the form at the next read, and who is spam is not", async () => {
      const { apps, newForm, submit } = pair;
      const project = await createProject(apps[0], OPERATOR, { slug: "beta", environments: ["live"] });
      const form = await newForm({}, "beta");
      const place = { project: "beta", environment: "live" };
      await setSource(
        apps[0],
        OPERATOR,
        { ...place, segment: "beta" },
        { form: form.slug, field: "email" },
        null,
      );
      const targeting = { if: [{ $ref: "beta" }, "on", "off"] };
      const rule = { enabled: true, variants: { on: true, off: false }, defaultVariant: "off", targeting };
      await setFlag(apps[1], OPERATOR, { ...place, flag: "new" }, rule);
      const readers = apps.map((app) => createFlagReader(app));
      const areIn = (email: string) =>
        Promise.all(readers.map(async (reader) => reader.isTrue({ ...place, flag: "new" }, { email })));
      expect(project.environments).toHaveLength(1);
      for (const [index, replica] of [0, 1, 0].entries()) {
        const email = `u${index}@example.com`;
        expect(await areIn(email)).toEqual([false, false]);
        const { id } = (await (await submit(replica, form, `email=${email}`)).json()) as { id: string };
        expect(await areIn(email)).toEqual([true, true]);
        await markSubmissions(apps[1 - replica]!, OPERATOR, [id], "spam");
        expect(await areIn(email)).toEqual([false, false]);
        await markSubmissions(apps[replica]!, OPERATOR, [id], "inbox");
        expect(await areIn(email)).toEqual([true, true]);
      }
    });

    test("a rate limit knows no address in clear, and is forgotten once its time is over", async () => {
      const url = await freshDatabase();
      const own = await openPair(url);
      const form = await own.newForm({ rateLimit: { count: 5, seconds: 60 } });
      await own.submit(0, form);
      const rows = () => execute("SELECT encode(hash, 'escape') AS hash FROM rate_counts", databaseOf(url));
      const [row] = await rows();
      expect(row!["hash"]).not.toContain("203.0.113");
      await own.submit(1, await own.newForm());
      expect(await rows()).toHaveLength(1);
      own.clock.now += 60_000;
      await own.apps[1].store.submissions.clearExpired(own.clock.now, 100);
      expect(await rows()).toEqual([]);
    });

    test("a submission that came to the other is a repeat, a duplicate, or one that uses a solved challenge again", async () => {
      const { apps, ask, newForm, submit } = pair;
      const form = await newForm({ duplicates: 60, challenge: false });
      const repeats = await Promise.all(
        Array.from({ length: 10 }, (_, index) => submit(index % 2, form, "a=1", { "Idempotency-Key": "k" })),
      );
      const ids = await Promise.all(repeats.map(async (each) => ((await each.json()) as { id: string }).id));
      expect(new Set(ids).size).toBe(1);
      await submit(1, form);
      expect(await apps[0].store.submissions.count(form.key, ["spam"])).toBe(1);

      const { random } = apps[0];
      // The lowest counter is solved in the shortest time.
      apps[0].random = (length) => (length === 4 ? new Uint8Array(4) : random(length));
      const guarded = await newForm({ challenge: true });
      const challenge = (await (await ask(0, `/v1/s/${guarded.key}/challenge`)).json()) as Challenge;
      apps[0].random = random;
      const solution = await solveChallenge({ challenge, deriveKey });
      const altcha = Buffer.from(JSON.stringify({ challenge, solution })).toString("base64");
      const body = new URLSearchParams({ altcha }).toString();
      await Promise.all(
        Array.from({ length: 6 }, (_, index) => submit(index % 2, guarded, `${body}&n=${index}`)),
      );
      expect(await apps[1].store.submissions.count(guarded.key, ["inbox"])).toBe(1);
      expect(await apps[1].store.submissions.count(guarded.key, ["spam"])).toBe(5);
    });

    test("a code of an authenticator app or a recovery code that both take at once signs in once", async () => {
      const { apps } = pair;
      const { caller, session, user } = await signIn(apps[0], "two-factors");
      const key = totpKey(apps[0].random);
      const codeOf = (steps: number) => totpCode(key, totpStep(apps[0].now()) + steps);
      const self = { user: user.name, session: session.id };
      const recovery = await setUpTotp(apps[0], caller, self, { key, code: codeOf(0) });
      for (const code of [codeOf(1), recovery[0]!]) {
        const begun = await Promise.all(
          [0, 1, 0, 1].map(async (replica) => {
            const { secret } = await createLink(apps[replica]!, OPERATOR, "two-factors");
            return (await signInByLink(apps[replica]!, secret, BROWSER)) as { begun: string };
          }),
        );
        const done = await Promise.all(
          begun.map(({ begun }, index) => reasonOf(signInByCode(apps[index % 2]!, begun, code, BROWSER))),
        );
        expect(done.toSorted()).toEqual(["none", ...Array<string>(3).fill("unauthenticated code-wrong")]);
      }
    });

    test("a passkey that was begun on one is added and used on the other, and its answer counts once on both", async () => {
      const { apps } = pair;
      const { caller, session, user } = await signIn(apps[0], "passkeys");
      const site = siteOf("https://flags.example.com");
      const device = createAuthenticator(site.origin);
      const self = { user: user.name, session: session.id };
      const begun = await beginPasskey(apps[0], caller, self, site);
      const credential = device.create(begun.options as Parameters<typeof device.create>[0]);
      await addPasskey(apps[1], caller, self, { name: "Key", credential, ticket: begun.ticket, site });
      const { options, ticket } = await beginSignIn(apps[1], site);
      const answer = { credential: device.get(options), ticket, site };
      const done = await Promise.all(
        [0, 1, 0, 1].map((replica) => reasonOf(signInByPasskey(apps[replica]!, answer, BROWSER))),
      );
      expect(done.toSorted()).toEqual(["none", ...Array<string>(3).fill("unauthenticated passkey-refused")]);
    });

    test("links that the other signed are valid: to the error page and to files", async () => {
      const { apps, newForm } = pair;
      const [near, far] = await Promise.all(
        apps.map(async (app) => createLinks(null, "", await loadLinkSecret(app))),
      );
      const query = new URL(near!.error(400, "too long", ["a"]), "http://site.test").searchParams;
      const shown = { code: "400", message: "too long", details: ["a"] };
      expect(far!.isOurs(shown, query.get("signature")!)).toBe(true);
      expect(far!.isOurs({ ...shown, message: "other" }, query.get("signature")!)).toBe(false);

      const { key } = await newForm();
      const { id } = submissionTo(key);
      const url = await createFileLinks(apps[0], "").url(id, 1);
      const token = url.slice(url.lastIndexOf("/") + 1);
      // The signature is right, and the file does not exist.
      expect(await createFileLinks(apps[1], "").open(token).catch(String)).toContain(id);
    });

    test("flags have the same entity tags and tickets for their events", async () => {
      const { apps, services, ask } = pair;
      const { key, environments } = await createProject(apps[0], OPERATOR, {
        slug: "shop",
        environments: ["live"],
      });
      const place = { project: "shop", environment: "live", flag: "sale" };
      await setFlag(apps[0], OPERATOR, place, { enabled: true, payload: '{"a":1}' });
      const headers = { "x-project-key": key, "x-environment-key": environments[0]!.key };
      const tags = await Promise.all(
        [0, 1].map(async (each) =>
          (await ask(each, "/api/v1/flags", { headers }, "flags")).headers.get("etag"),
        ),
      );
      expect(tags[0]).toStartWith('"');
      expect(tags[1]).toBe(tags[0]);
      const bulks = await Promise.all(
        services.map(async ({ ofrep }) => {
          const request = new Request("http://site.test/ofrep/v1/evaluate/flags", {
            method: "POST",
            headers: { ...headers, "content-type": "application/json" },
            body: "{}",
          });
          const answer = await (await ofrep()).routes.fetch(request, { client: clientAt("203.0.113.7") });
          return [answer.headers.get("etag"), await answer.text()];
        }),
      );
      expect(bulks[1]).toEqual(bulks[0]);
    });

    test("a session of the other is signed in, a link is spent once, and what was done there is undone", async () => {
      const { apps, newForm } = pair;
      const [near, far] = [openDashboard(apps[0]), openDashboard(apps[1])];
      const browser = await near.signIn("admin");
      const form = await newForm();
      const submission = submissionTo(form.key);
      await apps[0].store.submissions.insert(submission);
      const marked = await browser.post("/inbox/marks", { submission: submission.id, mark: "archived" });
      const undo = hiddenIn(marked, "undo");
      const elsewhere = far.openBrowser({ cookies: browser.cookies });
      const undone = await elsewhere.post("/inbox/undo", { undo });
      expect(undone.text).toContain("Undone: 1 submission moved to the inbox.");
      expect((await apps[0].store.submissions.find(submission.id))!.state).toBe("inbox");
      expect((await browser.post("/inbox/undo", { undo })).status).toBe(410);
    });
  });

  describe("a database that refuses a server which runs on it", () => {
    test("is a 503 for senders, and no right that they lack", async () => {
      const url = await freshDatabase();
      const { newForm, submit, reported } = await openPair(url);
      const [form, limited] = [await newForm(), await newForm({ rateLimit: { count: 5, seconds: 60 } })];
      expect((await submit(0, form)).status).toBe(200);
      const role = `guest_${crypto.randomUUID().replaceAll("-", "")}`;
      await execute(`CREATE ROLE ${role} LOGIN`);
      await execute(
        `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
        databaseOf(url),
      );
      const guest = await openPair(url.replace("postgres@", `${role}@`));
      expect((await guest.submit(0, form)).status).toBe(200);
      await execute(`REVOKE INSERT ON submissions, rate_counts FROM ${role}`, databaseOf(url));
      for (const each of [form, limited]) {
        const answer = await guest.submit(0, each);
        const { message } = (await answer.json()) as { message: string };
        expect([answer.status, message]).toEqual([503, "the database refuses this server"]);
      }
      expect(guest.reported()).toHaveLength(2);
      expect(reported()).toEqual([]);
    });
  });
}

function databaseOf(url: string): { database: string } {
  return { database: new URL(url).pathname.slice(1) };
}
