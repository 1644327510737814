import { join } from "node:path";
import { expect, test } from "bun:test";
import type { ProposalView } from "../../src/documents/changes/proposal.ts";
import { openApp } from "../../cli/data/open.ts";
import { NO_BROWSER } from "../../src/access/session.ts";
import { newSession } from "../../src/access/sign-in.ts";
import { saveSettings } from "../../src/access/users.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { type Received, openMailSink } from "../support/peers/mail-sink.ts";
import { formflag, onData } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

const NETWORK = { FORMFLAG_TARGET_NETWORK: "127.0.0.0/8" };
const DASHBOARD = "http://dash.example/dashboard";

type Webhook = { type: string; data: { url?: string; change?: ProposalView } };

/** The examples of JSON in a page of the documentation. */
async function examplesIn(page: string): Promise<Record<string, unknown>[]> {
  const text = await Bun.file(join(import.meta.dir, "../../docs/guides", page)).text();
  return [...text.matchAll(/^```json\n(.*)\n```$/gm)].map(([, json]) =>
    JSON.parse(json!.replaceAll(", …", "")),
  );
}

/** The names of the members of a value, and of `data` and `change` in it, in their order. */
function namesIn(value: object): unknown[] {
  return Object.entries(value).map(([name, each]) =>
    name === "data" || name === "change" ? [name, namesIn(each as object)] : name,
  );
}

/** A receiver of webhooks and of messages for ntfy. */
function openReceiver() {
  const [webhooks, messages]: [Webhook[], string[]] = [[], []];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const text = await request.text();
      if (request.headers.has("webhook-id")) webhooks.push(JSON.parse(text) as Webhook);
      else messages.push(text);
      return new Response();
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    webhooks,
    messages,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

/** A project that sends everything to a receiver, with a server that knows the address of its dashboard. */
async function begin(receiver: { url: string }, ...options: string[]) {
  const data = tempDirectory();
  const here = onData(data, (args) => formflag(args, { env: NETWORK }));
  const run = async (line: string, ...more: string[]) => {
    const { code, stdout, stderr } = await here.run(...line.split(" "), ...more);
    expect({ line, code, stderr: code === 0 ? "" : stderr }).toEqual({ line, code: 0, stderr: "" });
    return stdout;
  };
  await run("projects create shop --environments develop,live");
  await run("flags set search -p shop -e live --on");
  const server = await startServer(options, { data, env: NETWORK });
  return { run, server, data, hook: `${receiver.url}/hook` };
}

test("a notice links to a page of the dashboard that is there, in a webhook and in a chat", async () => {
  using receiver = openReceiver();
  const { run, server, hook } = await begin(receiver, "--dashboard-url", "http://dash.example");
  await run(`targets add ${hook} -p shop`);
  await run(`targets add ntfy:${receiver.url}/topic -p shop --event flag.changed`);
  const live = "-p shop -e live";
  await run(`flags set search ${live} --off --why`, "orders dropped");
  await run(`flags set search ${live} --on --at 2h`);
  await run(`segments set staff ${live} --rule true`);
  await run("environments set live -p shop --color red");
  await run(`flags ramp search ${live} --variant on --to 10,100 --every 1d`);
  await run(`flags ramp search ${live} --abort`);
  await run(`experiments create headline ${live} --flag search --metric event:signup --start`);
  await run(`experiments stop headline ${live}`);
  await run("flags delete search -p shop --yes");
  await eventually("the deletion", () =>
    receiver.webhooks.some(({ data }) => JSON.stringify(data).includes('"after":null')),
  );
  const changes = () =>
    receiver.webhooks.filter(({ type }) => type.endsWith(".changed") || type.startsWith("experiment."));
  await eventually("the changes", () => changes().length > 4);
  const message = await eventually("the message", () =>
    receiver.messages.find((text) => text.includes("orders dropped")),
  );
  expect(
    receiver.webhooks
      .map(({ data }) => data.url ?? "none")
      .filter((url) => !url.startsWith(`${DASHBOARD}/projects/shop/`)),
  ).toEqual([]);
  expect(message).toMatch(
    /^Reason: orders dropped\nenabled: on → off\n\nhttp:\/\/dash\.example\/dashboard\/projects\/shop\/history\/\d+$/,
  );

  const link = new URL((await run("users link ann")).trim(), server.url);
  const opened = await fetch(new URL(link.pathname, server.url), {
    method: "POST",
    redirect: "manual",
    headers: { Origin: server.url },
  });
  const cookie = opened.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ");
  // The pages of the flag are gone with it: its changes are not.
  const paths = changes().map(({ data }) => new URL(data.url!).pathname + new URL(data.url!).search);
  for (const path of new Set(paths)) {
    const { status } = await fetch(server.url + path, { headers: { Cookie: cookie } });
    expect({ path, status }).toEqual({ path, status: 200 });
  }
  await server.stop();
}, 60_000);

test("a digest links to the history of what it is about", async () => {
  using receiver = openReceiver();
  const { run, server, hook } = await begin(receiver, "--dashboard-url", "http://dash.example");
  await run(`targets add ${hook} -p shop -e live --digest 1s`);
  await run(`targets add ntfy:${receiver.url}/topic -p shop --digest 1s`);
  await run("flags set search -p shop -e live --off");
  await eventually("both digests", () => receiver.webhooks.length === 1 && receiver.messages.length === 1);
  expect(receiver.webhooks).toMatchObject([
    { type: "digest", data: { count: 1, url: `${DASHBOARD}/projects/shop/history?environment=live` } },
  ]);
  const [, example] = await examplesIn("notices.md");
  expect(namesIn(receiver.webhooks[0]!)).toEqual(namesIn(example!));
  expect(receiver.messages[0]).toEndWith(`\n\n${DASHBOARD}/projects/shop/history`);
  await server.stop();
}, 60_000);

test("a submission in a chat links to its page", async () => {
  using receiver = openReceiver();
  const { run, server } = await begin(receiver, "--dashboard-url", "http://dash.example");
  const key = (await run("forms create contact -p shop --field key")).trim();
  await run(`targets add contact ntfy:${receiver.url}/topic`);
  const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, {
    method: "POST",
    body: new URLSearchParams("name=ann"),
  });
  const { id } = (await answer.json()) as { id: string };
  await eventually("the message", () => receiver.messages.length === 1);
  expect(receiver.messages).toEqual([`name: ann\n\nSubmission ${id}: ${DASHBOARD}/inbox/shop:contact/${id}`]);
  await server.stop();
}, 60_000);

test("a proposed change names its page in the answer, in the command and in its webhooks", async () => {
  using receiver = openReceiver();
  const { run, server, hook } = await begin(receiver, "--dashboard-url", "http://dash.example");
  await run(`targets add ${hook} -p shop --on changes`);
  const words = await run("flags set search -p shop -e live --off --propose");
  const id = /^proposed change (\S+)/.exec(words)![1]!;
  const page = `${DASHBOARD}/projects/shop/changes/${id}`;
  expect(words).toEndWith(`\nit is shown at ${page}\n`);
  expect(await run(`changes get ${id} -p shop`)).toContain(`page: ${page}\n`);
  const [answer, event] = await examplesIn("approvals.md");
  const { impact, mayApprove, ...change } = JSON.parse(
    await run(`changes get ${id} -p shop --json`),
  ) as ProposalView;
  // The answer that makes a proposal has neither.
  expect([impact, mayApprove]).toEqual([expect.any(Object), false]);
  expect(namesIn({ change })).toEqual(namesIn(answer!));
  await eventually("the event", () => receiver.webhooks.length === 1);
  expect(Object.keys(receiver.webhooks[0]!.data)).toEqual(Object.keys(event!["data"] as object));
  expect(receiver.webhooks).toMatchObject([{ type: "change.proposed", data: { url: page, change: { id } } }]);
  await server.stop();
}, 60_000);

test("targets of a project hear of changes that are proposed, rejected, approved and applied, with their page", async () => {
  using receiver = openReceiver();
  const { run, server, data, hook } = await begin(receiver, "--dashboard-url", "http://dash.example");
  await run(`targets add ${hook} -p shop --event change.*`);
  await run(`targets add ntfy:${receiver.url}/topic -p shop -e live --event change.*`);
  await run(`targets add ${hook} -p shop -e develop --event change.*`);
  await run("users create bea --role releaser");
  const app = await openApp({ data, writing: "inline" });
  const { secret, stored } = newSession(app, "bea", "cli", NO_BROWSER, app.now() + 3_600_000);
  await app.store.sessions.insert(stored, null);
  await app[Symbol.asyncDispose]();
  const propose = async (why: string) => {
    const words = await run("flags set search -p shop -e live --off --propose --why", why);
    return /^proposed change (\S+)/.exec(words)![1]!;
  };
  const review = async (...args: string[]) => {
    const env = { ...NETWORK, FORMFLAG_TOKEN: secret };
    const all = ["changes", ...args, "-p", "shop", "--server", server.url];
    expect(await formflag(all, { env })).toMatchObject({ code: 0 });
  };
  const [first, second] = [await propose("orders dropped"), await propose("again")];
  await review("reject", first, "--why", "not today");
  await review("approve", second);
  await review("apply", second);
  await eventually("the events", () => receiver.webhooks.length === 5 && receiver.messages.length === 5);
  const page = (id: string) => `${DASHBOARD}/projects/shop/changes/${id}`;
  const events = receiver.webhooks.map(({ type, data }) => `${type} ${data.url}`);
  expect(events.toSorted()).toEqual(
    [
      `change.proposed ${page(first)}`,
      `change.proposed ${page(second)}`,
      `change.rejected ${page(first)}`,
      `change.approved ${page(second)}`,
      `change.applied ${page(second)}`,
    ].toSorted(),
  );
  const proposed = receiver.webhooks.find(
    ({ type, data }) => type === "change.proposed" && data.change!.id === first,
  )!.data.change!;
  expect(proposed).toMatchObject({ environments: ["live"], why: "orders dropped" });
  const lines = proposed.impact!.lines.map((line) => `Impact: ${line}`);
  const message = ["Reason: orders dropped", "enabled: on → off", ...lines, "", page(first)].join("\n");
  expect(receiver.messages).toContain(message);
  expect(receiver.messages).toContain(`Reason: not today\n\n${page(first)}`);
  await server.stop();
}, 60_000);

test("people who may approve a change, and want it, get mail about it, and no one else", async () => {
  using receiver = openReceiver();
  const sink = await openMailSink();
  const mail = ["--smtp-url", `smtp://127.0.0.1:${sink.port}?starttls=off`, "--mail-from", "f@example.com"];
  const { run, server, data } = await begin(receiver, "--dashboard-url", "http://dash.example", ...mail);
  const roles = { ann: "releaser", bea: "releaser", eve: "editor", dan: "admin" };
  for (const [name, role] of Object.entries(roles)) await run(`users create ${name} --role ${role}`);
  const app = await openApp({ data, writing: "inline" });
  const want = (name: string, reviewMail: string | null) => {
    const caller = { ...OPERATOR, name, type: "user" as const };
    return saveSettings(app, caller, name, { reviewMail });
  };
  await want("ann", "ann@example.com");
  await want("eve", "eve@example.com");
  await want("dan", "dan@example.com");
  await want("dan", null);
  const { secret, stored } = newSession(app, "dan", "cli", NO_BROWSER, app.now() + 3_600_000);
  await app.store.sessions.insert(stored, null);
  const propose = async (token?: string) => {
    const words = "flags set search -p shop -e live --off --propose --json";
    const env = { ...NETWORK, ...(token !== undefined && { FORMFLAG_TOKEN: token }) };
    const sent = await formflag([...words.split(" "), "--server", server.url], { env });
    return (JSON.parse(sent.stdout) as { change: ProposalView }).change;
  };
  const { id, impact } = await propose(secret);
  await eventually("the mail", () => sink.received.length === 1);
  const [{ to, email }] = sink.received as [Received];
  expect(to).toEqual(["ann@example.com"]);
  expect(email.subject).toBe("shop/live: dan proposed: change flag search in live");
  const page = `${DASHBOARD}/projects/shop/changes/${id}`;
  expect(email.text!.trim()).toEndWith(page);
  expect(email.text).toContain("enabled: on → off");
  for (const line of impact?.lines ?? []) expect(email.text).toContain(`Impact: ${line}`);
  // None of her own.
  await want("dan", "dan@example.com");
  await want("ann", null);
  await propose(secret);
  await want("ann", "ann@example.com");
  await propose(secret);
  await eventually("the next mail", () => sink.received.length === 2);
  expect(sink.received[1]!.to).toEqual(["ann@example.com"]);
  expect(await run("deliveries list --project shop")).toContain("notification");
  await app[Symbol.asyncDispose]();
  await server.stop();
}, 60_000);

test("a server that does not know the address of its dashboard sends no link", async () => {
  using receiver = openReceiver();
  const { run, server, hook } = await begin(receiver);
  await run(`targets add ${hook} -p shop`);
  await run(`targets add ntfy:${receiver.url}/topic -p shop`);
  await run("flags set search -p shop -e live --off");
  await eventually("both", () => receiver.webhooks.length === 1 && receiver.messages.length === 1);
  expect(receiver.webhooks[0]!.data.url).toBeUndefined();
  expect(receiver.messages).toEqual(["enabled: on → off"]);
  await server.stop();
}, 60_000);
