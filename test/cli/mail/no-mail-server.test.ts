import { join } from "node:path";
import { expect, test } from "bun:test";
import type { Delivery } from "../../../src/delivery/delivery.ts";
import { emptyData, formflag, onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { openMailSink } from "../../support/peers/mail-sink.ts";
import { tempDirectory } from "../../support/temp.ts";

const WARNING =
  "warning: no mail server is configured: mail waits for one\nhint: start the server with --smtp-url and --mail-from";

const FILLED = ["-p", "default", "-e", "production", "--from-form", "contact", "--field", "email"];

/** Commands that set up or send mail, each with what it needs before. */
const MAILING: readonly (readonly string[])[] = [
  ["forms", "create", "contact", "--notify", "ann@example.com"],
  ["forms", "set", "contact", "--notify", "ben@example.com"],
  ["forms", "create", "other", "--autoreply", "on", "--email-field", "email"],
  ["forms", "get", "contact"],
  ["forms", "test", "contact"],
  ["targets", "add", "contact", "mail:ops@example.com"],
  ["targets", "add", "mail:ops@example.com", "-p", "default"],
  ["segments", "set", "beta", ...FILLED, "--approve", "on", "--welcome", "# Welcome\n\nYou are in."],
];
const OTHERS: readonly (readonly string[])[] = [
  ["forms", "create", "plain"],
  ["forms", "set", "plain", "--name", "Plain"],
  ["forms", "test", "plain"],
  ["targets", "add", "plain", "https://93.184.215.14/hook"],
  ["segments", "set", "beta", ...FILLED, "--approve", "on"],
];

test("commands that set up or send mail say that no mail will come, and others do not", async () => {
  const here = onData(emptyData());
  const notifies = join(tempDirectory(), "formflag.yaml");
  await Bun.write(notifies, "projects: { shop: { forms: { contact: { notify: [ann@example.com] } } } }");
  const welcomes = join(tempDirectory(), "formflag.yaml");
  const beta = `{ source: { form: contact, field: email, approve: true, welcome: "# Hi\\n\\nYou are in." } }`;
  await Bun.write(
    welcomes,
    `projects: { shop: { environments: { production: { segments: { beta: ${beta} } } } } }`,
  );
  const plain = join(tempDirectory(), "formflag.yaml");
  await Bun.write(plain, "projects: { shop: { forms: { order: { notify: [] } } } }");
  for (const [commands, said] of [
    [[...MAILING, ["apply", notifies, "--yes"], ["apply", welcomes, "--yes"]], true],
    [[...OTHERS, ["apply", plain, "--yes"]], false],
  ] as const) {
    for (const words of commands) {
      const { code, stderr } = await here.run(...words);
      expect([words.join(" "), code, stderr.includes(WARNING)]).toEqual([words.join(" "), 0, said]);
    }
  }
});

test("the same over the admin API, where the running server counts; with a mail server nothing is said", async () => {
  const { port } = await openMailSink();
  const mail = ["--smtp-url", `smtp://127.0.0.1:${port}`, "--mail-from", "forms@shop.example"];
  for (const options of [[], mail]) {
    const server = await startServer(options);
    const { token } = await onData(server.data).json<{ token: string }>("tokens", "create", "admin");
    const env = { FORMFLAG_SERVER: server.url, FORMFLAG_TOKEN: token };
    const beside = (words: readonly string[]) => formflag([...words, "--data", server.data]);
    const remote = (words: readonly string[]) => formflag([...words], { env });
    for (const [at, words] of MAILING.entries()) {
      const { code, stderr } = await (at % 2 === 0 ? remote(words) : beside(words));
      expect([words.join(" "), code, stderr.includes(WARNING)]).toEqual([
        words.join(" "),
        0,
        options.length === 0,
      ]);
    }
    expect((await remote(["forms", "test", "contact"])).stdout).toMatch(
      /^stored the test as submission \S+; deliveries: mail to ben@example\.com, mail \S+\n$/,
    );
    expect((await beside(["forms", "create", "quiet"])).code).toBe(0);
    expect((await beside(["forms", "test", "quiet"])).stdout).toContain("; deliveries: none, as the form");
    const { stdout } = await remote(["forms", "get", "contact", "--json"]);
    const { warnings } = JSON.parse(stdout) as { warnings?: string[] };
    expect(warnings).toEqual(
      options.length === 0 ? ["no mail server is configured: mail waits for one"] : undefined,
    );
    await server.stop();
  }
});

test("a delivery that waits for a mail server says so at once, and has no next attempt", async () => {
  const server = await startServer();
  const here = onData(server.data);
  await here.run(...MAILING[0]!);
  await here.run("forms", "test", "contact");
  const [delivery] = await here.json<Delivery[]>("deliveries", "list");
  const waits = {
    status: "queued",
    nextAt: null,
    error: "no mail server is configured: the delivery waits for one",
  };
  expect(delivery).toMatchObject(waits);
  expect(await here.json<Delivery>("deliveries", "get", delivery!.id)).toMatchObject(waits);
  expect((await here.run("status")).stdout).toMatch(/^mail +no mail server, so mail waits/m);
  expect((await here.run("today")).stdout).toContain("1 mail waits for a mail server");
  await server.stop();
  // Another one may have a mail server.
  await here.run("forms", "test", "contact");
  const [later] = await here.json<Delivery[]>("deliveries", "list");
  expect(later).toMatchObject({ status: "queued", nextAt: expect.any(String), error: null });
});

const NO_LINKS =
  "warning: no public URL is configured: no mail asks senders to confirm\nhint: start the server with --public-url";

test("a form whose senders confirm says so where the server cannot make their links", async () => {
  const document = join(tempDirectory(), "formflag.yaml");
  await Bun.write(document, "projects: { shop: { forms: { news: { optIn: email } } } }");
  const mail = ["--mail-url", "resend://", "--mail-from", "forms@shop.example"];
  const key = { FORMFLAG_MAIL_KEY: "key" };
  for (const options of [[], ["--public-url", "https://forms.shop.example"]]) {
    const server = await startServer([...mail, ...options], { env: key });
    const { token } = await onData(server.data).json<{ token: string }>("tokens", "create", "admin");
    const env = { FORMFLAG_SERVER: server.url, FORMFLAG_TOKEN: token };
    for (const words of [
      ["forms", "create", "news", "--opt-in", "email"],
      ["forms", "set", "news", "--opt-in-within", "1d"],
      ["apply", document, "--yes"],
    ]) {
      for (const run of [onData(server.data).run, (...args: string[]) => formflag(args, { env })]) {
        const { stderr } = await run(...words, ...(words[1] === "create" ? ["--if-not-exists"] : []));
        expect([words.join(" "), stderr.includes(NO_LINKS)]).toEqual([words.join(" "), options.length === 0]);
        expect(stderr).not.toContain(WARNING);
      }
    }
    const set = await onData(server.data).run("forms", "set", "news", "--opt-in", "none");
    expect(set.stderr).not.toContain("warning");
    await server.stop();
  }
});
