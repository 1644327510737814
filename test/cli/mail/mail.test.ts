import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { adviceOn } from "../../../cli/commands/mail.ts";
import type { MailTest } from "../../../src/delivery/mail-test.ts";
import { emptyData, formflag, onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { openNameServer } from "../../support/peers/name-server.ts";
import { KEYS, openMailService } from "../../support/peers/mail-service.ts";
import { createCertificates, openMailSink, reply } from "../../support/peers/mail-sink.ts";
import { tempDirectory } from "../../support/temp.ts";

const { ca, here } = await createCertificates();
const data = emptyData();
const caFile = join(tempDirectory(), "ca.pem");
await Bun.write(caFile, ca);

/** A server that wants a login, and refuses any but this one, repeating what it was sent. */
const withLogin = () =>
  openMailSink({
    ...here,
    authOptional: false,
    authMethods: ["PLAIN"],
    onAuth: ({ username, password }, _session, done) =>
      password === "hunter2"
        ? done(null, { user: username! })
        : done(reply(`535 5.7.8 ${password} is not the password`)),
  });

const from = { FORMFLAG_MAIL_FROM: "Shop <forms@shop.example>" };
const at = ({ port }: { port: number }, user = "", query = "") => ({
  ...from,
  FORMFLAG_SMTP_URL: `smtp://${user}127.0.0.1:${port}${query}`,
});

const mailTest = (env: Record<string, string>, ...args: string[]) =>
  formflag(["mail", "test", "ada@example.com", "--data", data, ...args], { env });

describe("mail test", () => {
  test("sends a message, over TLS and with a login, and says that it was delivered", async () => {
    const sink = await withLogin();
    const login = { FORMFLAG_SMTP_PASSWORD: "hunter2", FORMFLAG_SMTP_CA: caFile };
    const { code, stdout, stderr } = await mailTest({
      ...at(sink, "me%40shop@", "?starttls=required"),
      ...login,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe("delivered: the mail server accepted the message to ada@example.com (250)\n");
    const [{ to, from, user, isEncrypted, email }] = sink.received as [(typeof sink.received)[0]];
    expect({ to, from, user, isEncrypted }).toEqual({
      to: ["ada@example.com"],
      from: "forms@shop.example",
      user: "me@shop",
      isEncrypted: true,
    });
    expect(email.from).toEqual({ name: "Shop", address: "forms@shop.example" });
    expect(email.subject).toBe("Test message from formflag");
    expect(email.headers).toContainEqual(
      expect.objectContaining({ key: "auto-submitted", value: "auto-generated" }),
    );
  });

  test("prints the Message-ID with --json, another one each time", async () => {
    const sink = await openMailSink();
    const ids = [];
    for (const _ of [1, 2]) {
      const { stdout } = await mailTest(at(sink), "--json");
      const result = JSON.parse(stdout) as MailTest;
      expect(result).toEqual({
        id: expect.stringMatching(/^<test-[a-z0-9-]{14}@shop\.example>$/),
        from: "forms@shop.example",
        delivered: true,
        code: 250,
        error: null,
        sender: null,
      });
      ids.push(result.id);
    }
    expect(new Set(ids).size).toBe(2);
    expect(sink.received.map(({ email }) => email.messageId)).toEqual(ids);
  });

  test("says that the server offers no STARTTLS where it is required, and sends nothing", async () => {
    const sink = await openMailSink();
    const { code, stdout, stderr } = await mailTest(at(sink, "", "?starttls=required"));
    expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
    expect(stderr).toStartWith("error: the message was not delivered: STARTTLS: 500");
    expect(stderr).toMatch(/^hint: the server offers no encryption at this port/m);
    expect(sink.received).toEqual([]);
  });

  test("says that the login was refused, without the password", async () => {
    const sink = await withLogin();
    const env = { ...at(sink, "me@"), FORMFLAG_SMTP_PASSWORD: "correct horse", FORMFLAG_SMTP_CA: caFile };
    for (const args of [[], ["--json"]]) {
      const { code, stdout, stderr } = await mailTest(env, ...args);
      expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
      expect(stderr).toContain("AUTH PLAIN: 535 5.7.8 [secret] is not the password");
      expect(stderr).toContain("check the user in the SMTP URL");
      expect(stderr).not.toContain("correct horse");
    }
  });

  test.each([
    [{ onRcptTo: "550 5.1.1 No such user" }, "RCPT TO: 550 5.1.1 No such user", "to that address: check it"],
    [{ onRcptTo: "451 4.7.1 Later" }, "RCPT TO: 451 4.7.1 Later", "try again later"],
    [{ onMailFrom: "553 5.7.1 Not yours" }, "MAIL FROM: 553 5.7.1 Not yours", "--mail-from"],
  ])("says what to check after the reply %j", async (hook, error, advice) => {
    const [[name, text]] = Object.entries(hook) as [[string, string]];
    const refuse = (...given: unknown[]) => (given.at(-1) as (error: Error) => void)(reply(text));
    const { code, stderr } = await mailTest(at(await openMailSink({ [name]: refuse })));
    expect(code).toBe(6);
    expect(stderr).toContain(`error: the message was not delivered: ${error}\n`);
    expect(stderr).toContain(advice);
  });

  test.each([
    ["EHLO forms: 550 5.7.1 Access denied", "--mail-helo"],
    ["HELO [127.0.0.1]: 501 Syntactically invalid HELO argument", "--mail-helo"],
    ["RCPT TO: 504 5.5.2 <forms>: Helo command rejected: need fully-qualified hostname", "--mail-helo"],
    ["AUTH PLAIN: no answer within 30 s", "wrong login"],
    ["AUTH LOGIN: 535 5.7.8 Wrong", "password"],
    ["MAIL FROM: no answer within 30 s", "check its log"],
    ["STARTTLS: no answer within 30 s", "check its log"],
    ["connection refused: 554 5.7.1 Go away", "its reply says why"],
    ["Greeting never received", "did not speak SMTP"],
    ["Connection timeout", "firewall"],
    ["getaddrinfo ENOTFOUND mail.invalid", "its name is not known"],
  ])("advises after %j to look at the cause", (error, advice) => {
    expect(adviceOn(error)).toContain(advice);
  });

  test("greets with the name of --mail-helo, and says where that is refused", async () => {
    const names: unknown[] = [];
    const sink = await openMailSink({
      onRcptTo(_address, { hostNameAppearsAs }, done) {
        names.push(hostNameAppearsAs);
        done(hostNameAppearsAs === "out.shop.example" ? null : reply("504 5.5.2 Helo command rejected"));
      },
    });
    const { port } = sink;
    const env = { FORMFLAG_SMTP_URL: `smtp://127.0.0.1:${port}`, FORMFLAG_MAIL_FROM: "forms@relay" };
    const refused = await mailTest({ ...env, FORMFLAG_MAIL_HELO: "other.example" });
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining("set --mail-helo")]);
    expect((await mailTest({ ...env, FORMFLAG_MAIL_HELO: "out.shop.example" })).code).toBe(0);
    expect(names).toEqual(["other.example", "out.shop.example"]);
  });

  test("says what to check where nothing listens, and where the certificate is not trusted", async () => {
    const nothing = await mailTest(at({ port: 1 }));
    expect([nothing.code, nothing.stderr]).toEqual([
      6,
      expect.stringContaining("hint: nothing listens there"),
    ]);
    const sink = await openMailSink(here);
    const untrusted = await mailTest(at(sink, "", "?starttls=required"));
    expect([untrusted.code, untrusted.stderr]).toEqual([6, expect.stringContaining("--smtp-ca")]);
  });

  test("without a mail server is exit 5, and with wrong settings or no address exit 2", async () => {
    const none = await mailTest({});
    expect([none.code, none.stdout]).toEqual([5, ""]);
    expect(none.stderr).toContain(
      "error: no mail server is configured\nhint: start the server with --smtp-url",
    );
    const wrong = await mailTest({ ...from, FORMFLAG_SMTP_URL: "smtp://me:hunter2@127.0.0.1" });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("FORMFLAG_SMTP_URL: the SMTP URL holds a password");
    expect(wrong.stderr).not.toContain("hunter2");
    const { code, stderr } = await onData(data).run("mail", "test", "not an address");
    expect([code, stderr]).toEqual([2, expect.stringContaining("a mail address looks like")]);
  });

  test("beside a running server uses that server's settings, which variables replace", async () => {
    const [sink, other] = [await withLogin(), await openMailSink()];
    const passwordFile = join(tempDirectory(), "password");
    await Bun.write(passwordFile, "hunter2\n");
    const env = { ...at(sink, "me@", "?starttls=required"), FORMFLAG_SMTP_CA: caFile };
    const { stop, data } = await startServer(["--smtp-password-file", passwordFile], { env });
    const run = (env: Record<string, string> = {}) =>
      formflag(["mail", "test", "ada@example.com", "--data", data], { env });
    expect(await run()).toMatchObject({ code: 0, stderr: "" });
    expect(sink.received).toHaveLength(1);
    expect(await run(at(other))).toMatchObject({ code: 0, stderr: "" });
    expect([sink.received.length, other.received.length]).toEqual([1, 1]);
    await stop();
  });

  test("beside a running server says that it alone has the password, which only mail needs", async () => {
    const sink = await withLogin();
    const env = { ...at(sink, "me@", "?starttls=required"), FORMFLAG_SMTP_CA: caFile };
    const { stop, data } = await startServer(["--target-network", "127.0.0.0/8"], {
      env: { ...env, FORMFLAG_SMTP_PASSWORD: "hunter2" },
    });
    const beside = onData(data);
    const test = ["mail", "test", "ada@example.com"];
    expect(await beside.run(...test)).toMatchObject({
      code: 2,
      stderr:
        'error: the password of the SMTP user "me" is in the environment of the running server\n' +
        "hint: set FORMFLAG_SMTP_PASSWORD here too, or let that server send: formflag mail test with --server and a token\n",
    });
    const { stdout } = await beside.run("doctor");
    expect(stdout).toMatch(
      /warning +mail +the password of the SMTP user "me" is in the environment of the running server/,
    );
    const withPassword = { env: { FORMFLAG_SMTP_PASSWORD: "hunter2" } };
    expect(await formflag([...test, "--data", data], withPassword)).toMatchObject({ code: 0 });
    await beside.json("forms", "create", "contact");
    await beside.json("targets", "add", "contact", "http://127.0.0.1:1/");
    await stop();
  });

  test("shows what DNS says of the sender's domain, and the records to add", async () => {
    const [sink, names] = [
      await openMailSink(),
      await openNameServer({ "shop.example": { mx: ["mx.shop.example"] } }),
    ];
    const env = { ...at(sink), FORMFLAG_DNS: names.address };
    const { stdout } = await mailTest(env);
    expect(stdout).toMatch(/^SPF +missing +no record/m);
    expect(stdout).toMatch(/^MX +ok +mx\.shop\.example$/m);
    expect(stdout).toContain(
      '  _dmarc.shop.example. TXT "v=DMARC1; p=none; rua=mailto:postmaster@shop.example"\n',
    );
    const { sender } = JSON.parse((await mailTest(env, "--json")).stdout) as MailTest;
    expect(sender).toMatchObject({
      domain: "shop.example",
      verdict: expect.stringContaining("only if it is signed"),
    });
    const wrong = await mailTest({ ...env, FORMFLAG_DNS: "dns.example.com" });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("is not an address and a port") });
  });

  test("sends a message by a mail service, and says what to check where that refuses the key", async () => {
    const service = openMailService();
    const env = { ...from, FORMFLAG_MAIL_URL: `postmark://?endpoint=${service.endpoint}` };
    const sent = await mailTest({ ...env, FORMFLAG_MAIL_KEY: KEYS.postmark });
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining("ada@example.com (200)") });
    expect(service.taken).toHaveLength(1);
    const { code, stderr } = await mailTest({ ...env, FORMFLAG_MAIL_KEY: "not-the-key" });
    expect(code).toBe(6);
    expect(stderr).toContain("postmark: 401 Bad or missing Server API token.");
    expect(stderr).toContain("hint: check the key of the mail service");
    expect(stderr).not.toContain("not-the-key");
  });

  test("beside a running server takes its mail service, whose key only that server may have", async () => {
    const service = openMailService();
    const mail = ["--mail-url", `brevo://?endpoint=${service.endpoint}`, "--mail-from", "forms@shop.example"];
    const keyFile = join(tempDirectory(), "key");
    await Bun.write(keyFile, `${KEYS.brevo}\n`);
    const first = await startServer([...mail, "--mail-key-file", keyFile]);
    const test = ["mail", "test", "ada@example.com"];
    expect(await onData(first.data).run(...test)).toMatchObject({ code: 0 });
    await first.stop();
    const second = await startServer(mail, { env: { FORMFLAG_MAIL_KEY: KEYS.brevo } });
    expect(await onData(second.data).run(...test)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("error: the key of brevo is in the environment of the running server"),
    });
    await second.stop();
    expect(service.taken).toHaveLength(1);
  });

  test("with --server uses the server's settings, and needs the scope admin", async () => {
    const sink = await openMailSink();
    const { url, stop, data } = await startServer([], { env: at(sink) });
    const token = async (...args: string[]) =>
      (await onData(data).json<{ token: string }>("tokens", "create", ...args)).token;
    const [admin, writer] = [await token("admin"), await token("writer", "--scope", "forms:write")];
    const run = (token: string) =>
      formflag(["mail", "test", "ada@example.com", "--server", url], {
        // A wrong setting of this command does not count.
        env: { FORMFLAG_SMTP_URL: "nonsense", FORMFLAG_TOKEN: token },
      });
    expect(await run(admin)).toMatchObject({ code: 0, stdout: expect.stringContaining("delivered") });
    expect(await run(writer)).toMatchObject({ code: 4, stderr: expect.stringContaining("scope admin") });
    expect(sink.received).toHaveLength(1);
    expect(await stop()).toBe(0);
  });
});
