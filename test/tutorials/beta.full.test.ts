import { Database } from "bun:sqlite";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "bun:test";
import { onData } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { errorsIn, startServer } from "../support/executable.ts";
import { openChromium } from "../support/pages/chromium.ts";
import { describeInBrowser } from "../support/pages/dashboard-browser.ts";
import { openMailSink } from "../support/peers/mail-sink.ts";
import { tempDirectory } from "../support/temp.ts";
import { openReader } from "../support/tutorials/home.ts";
import { readPage } from "../support/tutorials/network.ts";
import { stepsOf } from "../support/tutorials/page.ts";
import { typePage } from "../support/tutorials/typist.ts";

const PUBLIC = "https://forms.example.com";
const PLACE = ["-p", "shop", "-e", "production"];
const [ANN, BEN] = ["ann@example.com", "ben@example.com"];
const WELCOME = /^Welcome to the beta/;

/** A server that mails, with the project of the guide, its people and a clock that can be put forward for what waits a minute. */
async function openShop() {
  const sink = await openMailSink();
  const data = tempDirectory();
  const smtp = `smtp://127.0.0.1:${sink.port}?starttls=off`;
  const mail = ["--smtp-url", smtp, "--mail-from", "Shop <shop@example.com>", "--public-url", PUBLIC];
  const server = await startServer(mail, { data });
  const here = onData(data);
  await here.json("projects", "create", "shop");
  const db = new Database(join(data, "formflag.db"));
  db.run("PRAGMA busy_timeout = 5000");
  afterAll(() => db.close());

  const send = async (form: string, fields: Record<string, string>) => {
    const { key } = await here.json<{ key: string }>("forms", "get", form);
    const body = new URLSearchParams(fields);
    const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, { method: "POST", body });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { id: string }).id;
  };
  const members = async (...options: string[]) => {
    const list = await here.json<{ value: string }[]>("segments", "members", "beta", ...PLACE, ...options);
    return list.map(({ value }) => value);
  };
  const mailTo = (to: string, subject: RegExp) =>
    sink.received
      .filter((each) => each.to.includes(to) && subject.test(each.email.subject ?? ""))
      .map(({ email }) => email);
  /** Signs up and presses the button behind the link in the mail. */
  const signUp = async (email: string, name: string) => {
    const id = await send("beta-signup", { email, name });
    const request = await eventually(`the request to ${email}`, () => mailTo(email, /confirm/)[0]);
    const link = server.url + new RegExp(`${PUBLIC}(/v1/c/\\S+)`).exec(request.text!)![1]!;
    expect((await fetch(link)).status).toBe(200);
    expect(await members("--pending")).not.toContain(email);
    expect((await fetch(link, { method: "POST" })).status).toBe(200);
    return id;
  };
  const isOnFor = async (email: string) => {
    const context = JSON.stringify({ targetingKey: email, email });
    const read = ["flags", "evaluate", "new-search", ...PLACE, "--context", context];
    return (await here.json<{ value: unknown }>(...read)).value;
  };
  /** What is left of the minute before each welcome that waits, in seconds; then lets it pass, and waits for all mail. */
  const passMinute = async () => {
    const waiting = db
      .query<{ due: number }, []>(
        "SELECT due_at AS due FROM deliveries WHERE kind = 'welcome' AND status = 0",
      )
      .all();
    db.run("UPDATE deliveries SET due_at = due_at - 60000 WHERE kind = 'welcome' AND status = 0");
    await eventually(
      "no delivery waits",
      () => db.query("SELECT 1 FROM deliveries WHERE status = 0").all().length === 0,
    );
    return waiting.map(({ due }) => (due - Date.now()) / 1000);
  };
  const rows = (table: string, where = "1 = 1") => db.query(`SELECT * FROM ${table} WHERE ${where}`).all();
  return { data, server, here, send, members, mailTo, signUp, isOnFor, passMinute, rows };
}

describeInBrowser("The guide to a beta", () => {
  const browser = openChromium();

  test("is typed by a reader, whose people sign up, are welcomed, answer and are forgotten", async () => {
    const shop = await openShop();
    const { data, server, here, send, members, mailTo, signUp, isOnFor, passMinute, rows } = shop;
    const reader = await openReader(data);
    /** The page of the application, for the user who is signed in. */
    const pages = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch({ url }) {
        const [key] = /ff_[\w-]{43}/.exec(reader.printed)!;
        const form = [...reader.printed.matchAll(/^key +(\S+)$/gm)].at(-1)![1]!;
        const saved = await Bun.file(join(reader.home, "search.html")).text();
        const html = saved
          .replace("BROWSER_KEY", key)
          .replace("FORM_KEY", form)
          .replaceAll(ANN, new URL(url).searchParams.get("user")!);
        return new Response(`<!doctype html><title>Search</title>${html}<p data-flag="hero">Hero</p>`, {
          headers: { "Content-Type": "text/html" },
        });
      },
    });
    afterAll(() => pages.stop(true));
    const open = async (user: string) => {
      const page = await (await browser().newContext()).newPage();
      const counted = page.waitForResponse((answer) => new URL(answer.url()).pathname === "/v1/events");
      await page.goto(`${pages.url.origin}?user=${user}`);
      await counted;
      return page;
    };

    const differences = await typePage(stepsOf(readPage("guides/beta.md")), {
      terminalsOf: () => [reader.terminal],
      stands: { [PUBLIC]: server.url, "https://shop.example.com": pages.url.origin },
      isShown: (shown, printed) => shown.split("\n").every((line) => printed.includes(line)),
      after: {
        async "segments set"() {
          await send("beta-signup", { email: BEN, name: "Ben" });
          await signUp(ANN, "Ann Quillfeather");
          expect([await members(), await isOnFor(ANN)]).toEqual([[], false]);
        },
        async "segments approve"() {
          expect([await members(), await isOnFor(ANN), await isOnFor(BEN)]).toEqual([[ANN], true, false]);
          expect(mailTo(ANN, WELCOME)).toEqual([]);
          const [left, ...others] = await passMinute();
          expect(others).toEqual([]);
          expect(left).toBeGreaterThan(30);
          await here.json("segments", "approve", "beta", ANN, ...PLACE);
          expect(await passMinute()).toEqual([]);
          const [welcome, ...more] = mailTo(ANN, WELCOME);
          expect(more).toEqual([]);
          expect(welcome).toMatchObject({
            subject: "Welcome to the beta, Ann Quillfeather",
            text: expect.stringContaining(`The new search is on for you: ${pages.url.origin}/search`),
          });
          expect(welcome!.headers.map(({ key }) => key)).toContain("list-unsubscribe-post");
          expect(mailTo(BEN, WELCOME)).toEqual([]);
        },
        async "data-user"() {
          const experiment = ["--flag", "hero", "--metric", "submissions:beta-feedback", "--start"];
          await here.json("flags", "set", "hero", ...PLACE, "--on", "--browser", "on");
          await here.json("experiments", "create", "headline", ...PLACE, ...experiment);
          const [of, other] = [await open(ANN), await open(BEN)];
          const form = "How is the new search?";
          expect(await other.getByLabel(form).isVisible()).toBe(false);
          await of.getByLabel(form).fill("It plays the zither.");
          const thanks = of.waitForRequest(`${PUBLIC}/v1/thanks`);
          await of.getByRole("button", { name: "Send" }).click();
          await thanks;
          await send("beta-feedback", { email: BEN, answer: "I have no such search." });
          const list = ["submissions", "list", "beta-feedback", "--flag", "new-search=on"];
          const answers = await here.json<{ data: unknown; flags: unknown }[]>(...list);
          expect(answers).toMatchObject([
            {
              data: { email: ANN, answer: "It plays the zither." },
              flags: { variants: { "new-search": "on" } },
            },
          ]);
          expect(rows("measured_visitors")).toHaveLength(2);
          expect(rows("confirmations")).toHaveLength(5);
          expect(rows("submissions", "consent IS NOT NULL")).toHaveLength(2);
          expect(rows("deliveries", "kind = 'welcome'")).toHaveLength(1);
        },
      },
    });
    expect(differences).toEqual([]);
    expect(reader.printed).toContain("It plays the zither.");

    // Behind the last command, nothing of Ann is left, and all of Ben.
    expect([await members(), await isOnFor(ANN)]).toEqual([[], false]);
    expect(rows("memberships")).toEqual([]);
    expect(rows("deliveries", "kind = 'welcome'")).toEqual([]);
    expect(rows("submissions", "consent IS NOT NULL")).toHaveLength(1);
    expect(rows("submissions")).toHaveLength(2);
    expect(rows("measured_visitors")).toHaveLength(1);
    // The paces of Ben, asked and sent, and of the form.
    expect(rows("confirmations")).toHaveLength(3);
    for (const name of readdirSync(data).filter((name) => name.startsWith("formflag.db"))) {
      const bytes = readFileSync(join(data, name)).toString("latin1");
      for (const word of [ANN, "Quillfeather", "zither"])
        expect([name, bytes.includes(word)]).toEqual([name, false]);
    }
    expect(errorsIn(server.stderr())).toEqual([]);
    await server.stop();
  }, 120_000);
});

test("a welcome is not sent if the approval or the sign-up is gone within the minute, or its sender has left", async () => {
  const shop = await openShop();
  const { server, here, members, mailTo, signUp, passMinute } = shop;
  await here.json("forms", "create", "beta-signup", "--opt-in", "email");
  const source = ["--from-form", "beta-signup", "--field", "email", "--approve", "on"];
  const welcome = ["--welcome", "# Welcome to the beta\n\nIt is on for you."];
  await here.json("segments", "set", "beta", ...PLACE, ...source, ...welcome);
  const names = ["undone", "deleted", "purged", "spam", "left", "stays"] as const;
  const ids = new Map<string, string>();
  for (const name of names) ids.set(name, await signUp(`${name}@example.com`, name));
  await here.json("segments", "approve", "beta", "left@example.com", ...PLACE);
  await passMinute();
  const [first] = mailTo("left@example.com", WELCOME);
  const unsubscribe = first!.headers.find(({ key }) => key === "list-unsubscribe")!.value;
  const leave = server.url + new RegExp(`^<${PUBLIC}(/v1/u/\\S+)>$`).exec(unsubscribe)![1]!;
  expect((await fetch(leave, { method: "POST" })).status).toBe(200);
  expect(await members()).toEqual([]);

  await here.json("segments", "approve", "beta", "--all", ...PLACE);
  await here.json("segments", "approve", "beta", "undone@example.com", "--undo", ...PLACE);
  await here.json("submissions", "delete", ids.get("deleted")!, "--yes");
  await here.json("submissions", "mark", ids.get("spam")!, "spam");
  await here.json("submissions", "purge", "--email", "purged@example.com", "--yes");
  await passMinute();
  const welcomed = names.filter((name) => mailTo(`${name}@example.com`, WELCOME).length > 0);
  expect(welcomed).toEqual(["left", "stays"]);
  // What comes back waits for a new approval.
  await here.json("submissions", "mark", ids.get("spam")!, "inbox");
  expect(await members("--pending")).toEqual(["spam@example.com", "undone@example.com"]);
  await passMinute();
  expect(mailTo("spam@example.com", WELCOME)).toEqual([]);
  await here.json("segments", "approve", "beta", "--all", ...PLACE);
  await passMinute();
  expect(names.map((name) => mailTo(`${name}@example.com`, WELCOME).length)).toEqual([1, 0, 0, 1, 1, 1]);
  expect(errorsIn(server.stderr())).toEqual([]);
  await server.stop();
}, 60_000);
