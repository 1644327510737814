import { expect, test } from "bun:test";
import type { Delivery } from "../../src/delivery/delivery.ts";
import { eventually } from "../support/eventually.ts";
import { onData } from "../support/commands.ts";
import { runExecutable, startServer } from "../support/executable.ts";
import { openMailSink } from "../support/peers/mail-sink.ts";
import { tempDirectory } from "../support/temp.ts";

const NETWORK = { FORMFLAG_TARGET_NETWORK: "127.0.0.0/8" };

async function begin(settings: string[], { smtpPort }: { smtpPort: number }) {
  const data = tempDirectory();
  const url = `smtp://127.0.0.1:${smtpPort}?starttls=off`;
  const mail = [
    "--smtp-url",
    url,
    "--mail-from",
    "Forms <forms@example.com>",
    "--alert-mail",
    "ops@example.com",
  ];
  const args = [...mail, "--public-url", "https://forms.example.com"];
  const server = await startServer(args, { data, env: NETWORK });
  const here = onData(data);
  const { key } = await here.json<{ key: string }>(
    "forms",
    "create",
    "contact",
    "--uploads",
    "on",
    ...settings,
  );
  const submit = async (body: FormData) => {
    const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, { method: "POST", body });
    expect(answer.status).toBe(200);
  };
  return { data, server, here, submit };
}

function fieldsOf(fields: Record<string, string | File>): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  return body;
}

test("a submission reaches the addresses to notify with its files, and its sender a reply", async () => {
  const sink = await openMailSink();
  const settings = ["--notify", "a@example.com", "b@example.com", "--autoreply", "on"];
  const { here, submit, server } = await begin(
    [...settings, "--notify-subject", "From {{name}}", "--autoreply-text", "Dear {{name}}, we have it."],
    { smtpPort: sink.port },
  );
  await submit(fieldsOf({ email: "spam@example.org", _gotcha: "x" }));
  const file = new File(["bytes of the file"], "cv.txt", { type: "text/plain" });
  await submit(fieldsOf({ name: "Ann", email: "ann@example.org", file }));
  await eventually("three messages", () => sink.received.length === 3);
  const to = (address: string) => sink.received.find((each) => each.to[0] === address)!.email;
  for (const address of ["a@example.com", "b@example.com"]) {
    const { subject, replyTo, text, attachments } = to(address);
    expect({ subject, replyTo: replyTo?.map((each) => each.address) }).toEqual({
      subject: "From Ann",
      replyTo: ["ann@example.org"],
    });
    expect(text).toContain("1 submission waits in the spam folder.");
    expect(text).toMatch(
      /Open in the dashboard:\n {2}https:\/\/forms\.example\.com\/dashboard\/inbox\/contact\/[\w-]{36}\nMark as spam:\n {2}https:\/\/forms\.example\.com\/v1\/spam\/[\w-]{51}\n/,
    );
    expect(attachments.map(({ filename }) => filename)).toEqual(["cv.txt"]);
    expect(Buffer.from(attachments[0]!.content as ArrayBuffer).toString()).toBe("bytes of the file");
  }
  expect(to("ann@example.org").text).toBe("Dear Ann, we have it.\n");
  await server.stop();
  const statuses = (await here.json<Delivery[]>("deliveries", "list")).map(({ status }) => status);
  expect(statuses).toEqual(["delivered", "delivered", "delivered"]);
}, 60_000);

test("files that are too large together are links, which anybody can open who has one", async () => {
  const sink = await openMailSink();
  const { submit, server } = await begin(["--notify", "a@example.com", "--attach", "4B"], {
    smtpPort: sink.port,
  });
  await submit(fieldsOf({ file: new File(["12345"], "a.txt") }));
  await eventually("a message", () => sink.received.length === 1);
  const { text, attachments } = sink.received[0]!.email;
  expect(attachments).toEqual([]);
  const [, path] = /https:\/\/forms\.example\.com(\/v1\/files\/\S+)/.exec(text!)!;
  const answer = await fetch(`${server.url}${path}`);
  expect([answer.status, await answer.text()]).toEqual([200, "12345"]);
}, 60_000);

test("a target that wants nothing any more is switched off, and the operator hears of it once", async () => {
  const sink = await openMailSink();
  using hook = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(null, { status: 410 }),
  });
  const { data, here, submit, server } = await begin([], { smtpPort: sink.port });
  const add = ["targets", "add", "contact", `http://127.0.0.1:${hook.port}/hook`, "--json", "--data", data];
  const { id } = JSON.parse((await runExecutable(add, { env: NETWORK })).stdout) as { id: string };
  await submit(fieldsOf({ n: "1" }));
  await eventually("the alert", () => sink.received.length === 1);
  const { email, to } = sink.received[0]!;
  expect(to).toEqual(["ops@example.com"]);
  expect(email.text).toContain(`Target ${id} of form contact was switched off.`);
  expect(server.stderr()).toContain(`the target ${id} was switched off`);
  expect(await here.json<{ enabled: boolean }>("targets", "get", id)).toMatchObject({ enabled: false });
  await here.run("targets", "enable", id);
  await submit(fieldsOf({ n: "2" }));
  await eventually("it is off again", async () => {
    const target = await here.json<{ enabled: boolean }>("targets", "get", id);
    return !target.enabled;
  });
  await server.stop();
  expect(sink.received).toHaveLength(1);
}, 60_000);
