import { expect, test } from "bun:test";
import { formflag, onData } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { startServer } from "../support/executable.ts";
import { openMailSink } from "../support/peers/mail-sink.ts";
import { tempDirectory } from "../support/temp.ts";

type Notice = { type: string; data: { name: string; changes: { field: string; after: unknown }[] } };
type Received = { id: string; notice: Notice };

const NETWORK = { FORMFLAG_TARGET_NETWORK: "127.0.0.0/8" };

/** A webhook that remembers what it gets; it answers once the gate is open. */
function openWebhook(gate: Promise<void> = Promise.resolve()) {
  const received: Received[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const notice = (await request.json()) as Notice;
      received.push({ id: request.headers.get("webhook-id")!, notice });
      await gate;
      return new Response();
    },
  });
  const url = `http://127.0.0.1:${server.port}/hook`;
  return { url, received, [Symbol.dispose]: () => void server.stop(true) };
}

/** A project whose notices go to a webhook; commands run beside the server. */
async function begin(url: string, ...settings: string[]) {
  const data = tempDirectory();
  const here = onData(data, (args) => formflag(args, { env: NETWORK }));
  await here.json("projects", "create", "shop");
  await here.json("flags", "set", "search", "-p", "shop", "-e", "production", "--on");
  await here.json("targets", "add", url, "-p", "shop", ...settings);
  const set = (...values: string[]) =>
    here.json("flags", "set", "search", "-p", "shop", "-e", "production", ...values);
  return { data, here, set };
}

test("a change by a command beside a server reaches the webhook of the project and its mail", async () => {
  using hook = openWebhook();
  const sink = await openMailSink();
  const { data, here, set } = await begin(hook.url, "-e", "production", "--event", "flag.*");
  await here.json("targets", "add", "mail:ops@example.com", "-p", "shop");
  const mail = ["--smtp-url", `smtp://127.0.0.1:${sink.port}?starttls=off`, "--mail-from", "f@example.com"];
  const server = await startServer(mail, { data, env: NETWORK });
  await set("--off", "--why", "orders dropped");
  await here.json("segments", "set", "beta", "-p", "shop", "-e", "production", "--rule", "true");
  await eventually("the notice", () => hook.received.length === 1);
  await eventually("two mails", () => sink.received.length === 2);
  expect(hook.received[0]!.notice).toMatchObject({
    type: "flag.changed",
    data: { name: "search", changes: [{ field: "enabled", before: true, after: false }] },
  });
  const about = sink.received.find(({ email }) => email.subject?.includes("search"))!;
  expect(about.to).toEqual(["ops@example.com"]);
  expect(about.email.subject).toStartWith("shop/production: search changed by ");
  expect(about.email.text).toContain("enabled: on → off");
  expect(about.email.text).toContain("Reason: orders dropped");
  const listed = await here.json<object[]>("deliveries", "list", "--project", "shop");
  const ofNotice = { submission: null, form: null, project: "shop", environment: "production" };
  expect(listed).toHaveLength(3);
  for (const each of listed) expect(each).toMatchObject(ofNotice);
  await server.stop();
});

test("a flag that expires is noticed once", async () => {
  using hook = openWebhook();
  const { data, set } = await begin(hook.url, "--event", "flag.expired");
  const server = await startServer([], { data, env: NETWORK });
  await set("--expires", new Date(Date.now() + 1500).toISOString());
  await eventually("the notice", () => hook.received.length === 1);
  expect(hook.received[0]!.notice).toMatchObject({
    type: "flag.expired",
    data: { name: "search", changes: [{ field: "enabled", before: true, after: false }] },
  });
  await server.stop();
});

test("a server that is killed while it sends sends again under the same id", async () => {
  const gate = Promise.withResolvers<void>();
  using hook = openWebhook(gate.promise);
  const { data, here, set } = await begin(hook.url);
  await set("--off");
  const first = await startServer([], { data, env: NETWORK });
  await eventually("the first attempt", () => hook.received.length === 1);
  await first.stop("SIGKILL");
  gate.resolve();
  const second = await startServer([], { data, env: NETWORK });
  const delivered = async () =>
    (await here.json<{ status: string }[]>("deliveries", "list", "--status", "delivered")).length === 1;
  await eventually("the delivery", delivered);
  const [one, ...others] = new Set(hook.received.map(({ id }) => id));
  expect(one).toBeString();
  expect(others).toEqual([]);
  expect(hook.received.length).toBeLessThanOrEqual(2);
  await second.stop();
});

test("a ramp whose server is killed at each step makes each of them once, with one notice", async () => {
  using hook = openWebhook();
  const { data, here } = await begin(hook.url, "--event", "ramp.*");
  const shares = [1, 10, 50, 100];
  const ramp = ["flags", "ramp", "search", "-p", "shop", "-e", "production"];
  await here.json("flags", "set", "search", "-p", "shop", "-e", "production", "--off");
  await here.json(...ramp, "--variant", "on", "--to", shares.join(","), "--every", "1s");
  const shareOf = ({ notice: { type, data } }: Received) =>
    type === "ramp.stepped" ? (data as unknown as { ramp: { share: number } }).ramp.share : null;
  for (const share of shares) {
    const server = await startServer([], { data, env: NETWORK });
    await eventually(`the step to ${share}`, () => hook.received.some((each) => shareOf(each) === share));
    await server.stop("SIGKILL");
  }
  const last = await startServer([], { data, env: NETWORK });
  const waiting = async () =>
    (await here.json<{ status: string }[]>("deliveries", "list", "--status", "queued")).length;
  await eventually("the end", async () => (await waiting()) === 0);
  const ids = (share: number) =>
    new Set(hook.received.filter((each) => shareOf(each) === share).map(({ id }) => id)).size;
  expect(shares.map(ids)).toEqual([1, 1, 1, 1]);
  const ends = hook.received.filter(({ notice }) => notice.type === "ramp.ended");
  expect(new Set(ends.map(({ id }) => id)).size).toBe(1);
  const done = await here.json<{ status: string; steps: { share: number; doneAt: string | null }[] }>(
    ...ramp,
  );
  expect(done.status).toBe("completed");
  expect(done.steps.map(({ share, doneAt }) => doneAt && share)).toEqual(shares);
  type Change = { kind: string; after: { targeting?: object } };
  const history = await here.json<Change[]>("flags", "history", "search", "-p", "shop", "-e", "production");
  // On, off, and a change for each step.
  expect(history.filter(({ kind }) => kind === "flag")).toHaveLength(2 + shares.length);
  await last.stop();
}, 60_000);

test("a mail target with a digest gets several changes as one mail", async () => {
  const sink = await openMailSink();
  const { data, set } = await begin("mail:ops@example.com", "--digest", "1s");
  await set("--off");
  await set("--on", "--why", "again");
  const mail = ["--smtp-url", `smtp://127.0.0.1:${sink.port}?starttls=off`, "--mail-from", "f@example.com"];
  const server = await startServer(mail, { data, env: NETWORK });
  await eventually("the mail", () => sink.received.length > 0);
  const [{ email, to }] = sink.received as [(typeof sink.received)[number]];
  expect(to).toEqual(["ops@example.com"]);
  expect(email.subject).toBe("shop: 2 changes");
  expect(email.text!.match(/shop\/production: search changed by /g)).toHaveLength(2);
  await server.stop();
  expect(sink.received).toHaveLength(1);
});
