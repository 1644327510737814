import { expect, test } from "bun:test";
import type { Submission } from "../../src/forms/submission.ts";
import { onData } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { startServer } from "../support/executable.ts";
import { openMailSink } from "../support/peers/mail-sink.ts";
import { tempDirectory } from "../support/temp.ts";

const PUBLIC = "https://forms.example.com";

test("a sender confirms a submission once, however often the server is killed and the link is opened", async () => {
  const sink = await openMailSink();
  const data = tempDirectory();
  const url = `smtp://127.0.0.1:${sink.port}?starttls=off`;
  const args = ["--smtp-url", url, "--mail-from", "Forms <forms@example.com>", "--public-url", PUBLIC];
  const start = () => startServer(args, { data });
  let server = await start();
  const here = onData(data);
  const settings = ["--opt-in", "email", "--autoreply", "on", "--language", "de"];
  const { key } = await here.json<{ key: string }>("forms", "create", "newsletter", ...settings);
  const list = (...options: string[]) =>
    here.json<Submission[]>("submissions", "list", "newsletter", ...options);
  const crash = async () => {
    await server.stop("SIGKILL");
    server = await start();
  };
  const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, {
    method: "POST",
    body: new URLSearchParams({ email: "ann@example.org" }),
  });
  expect(answer.status).toBe(200);
  await crash();
  const idsOf = () => [...new Set(sink.received.map(({ email }) => email.messageId))];
  await eventually("the request", () => sink.received.length > 0);
  await crash();
  const { text, subject, messageId } = sink.received[0]!.email;
  expect(subject).toBe("Bitte bestätigen Sie Ihre Adresse");
  const link = new RegExp(`${PUBLIC}(/v1/c/\\S+)`).exec(text!)![1]!;
  expect(await (await fetch(server.url + link)).text()).toContain("<button>Bestätigen</button>");
  expect([(await list()).length, (await list("--unconfirmed")).length]).toEqual([0, 1]);
  // Killed at once after the answer, and again before the reply may have gone.
  for (let times = 0; times < 3; times += 1) {
    expect((await fetch(server.url + link, { method: "POST" })).status).toBe(200);
    await crash();
  }
  const [confirmed, ...others] = await list();
  expect([others, await list("--unconfirmed")]).toEqual([[], []]);
  expect(confirmed).toMatchObject({ state: "inbox", confirmedAt: expect.any(String), unsubscribedAt: null });
  // The request may come once more.
  const { email: reply } = await eventually("the reply", () =>
    sink.received.find(({ email }) => email.messageId !== messageId),
  );
  const header = (name: string) => reply.headers.find((each) => each.key === name)?.value;
  expect(header("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
  const leave = new RegExp(`^<${PUBLIC}(/v1/u/\\S+)>$`).exec(header("list-unsubscribe")!)![1]!;
  const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
  expect((await fetch(server.url + leave, { method: "POST", body })).status).toBe(200);
  expect((await list())[0]!.unsubscribedAt).toEqual(expect.any(String));
  await server.stop();
  // A message that was under way when the server was killed may come twice, as the same message.
  expect(idsOf()).toHaveLength(2);
}, 60_000);
