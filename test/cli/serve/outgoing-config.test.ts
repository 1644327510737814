import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import {
  loadOutgoing,
  outgoingFromEnvironment,
  readAlertMail,
  readOutgoing,
  readRetryDelays,
} from "../../../cli/serve/outgoing-config.ts";
import { formflag } from "../../support/commands.ts";
import { errorOf } from "../../support/refusals.ts";
import { tempDirectory } from "../../support/temp.ts";

const URL = { smtpUrl: "smtp://me%40shop@mail.example.com" };
const MAIL = { ...URL, mailFrom: "Shop <forms@example.com>" };

/** A file with that content. */
async function fileWith(content: string): Promise<string> {
  const file = join(tempDirectory(), "file");
  await Bun.write(file, content);
  return file;
}

const PASSWORD = { FORMFLAG_SMTP_PASSWORD: "hunter2" };

describe("the settings of outgoing connections", () => {
  test("are none by default", async () => {
    expect(await loadOutgoing(readOutgoing({}), {})).toEqual({ targetNetworks: [], mail: null });
    expect(await outgoingFromEnvironment({})).toEqual({ targetNetworks: [], mail: null });
  });

  test("are the same from options and from the environment", async () => {
    const smtpPasswordFile = await fileWith(" hunter2 \r\n");
    const smtpCa = await fileWith("a certificate");
    const dkimKeyFile = await fileWith("a key");
    const dkim = { dkimDomain: "example.com", dkimSelector: "mail2027", dkimKeyFile };
    const options = {
      ...MAIL,
      mailHelo: "out.example.com",
      smtpPasswordFile,
      smtpCa,
      ...dkim,
      targetNetwork: ["10.0.0.0/8", "::1"],
    };
    const config = await loadOutgoing(readOutgoing(options), { FORMFLAG_SMTP_PASSWORD: "not that one" });
    expect(config).toEqual({
      targetNetworks: ["10.0.0.0/8", "::1"],
      mail: {
        host: "mail.example.com",
        port: 587,
        secure: false,
        starttls: "required",
        user: "me@shop",
        password: " hunter2 ",
        ca: "a certificate",
        from: { name: "Shop", address: "forms@example.com" },
        helo: "out.example.com",
        nameServer: null,
        dkim: { domain: "example.com", selector: "mail2027", key: "a key" },
      },
    });
    const variables = {
      FORMFLAG_SMTP_URL: MAIL.smtpUrl,
      FORMFLAG_SMTP_PASSWORD_FILE: smtpPasswordFile,
      FORMFLAG_SMTP_PASSWORD: "not that one",
      FORMFLAG_SMTP_CA: smtpCa,
      FORMFLAG_MAIL_FROM: MAIL.mailFrom,
      FORMFLAG_MAIL_HELO: "out.example.com",
      FORMFLAG_DKIM_DOMAIN: "example.com",
      FORMFLAG_DKIM_SELECTOR: "mail2027",
      FORMFLAG_DKIM_KEY_FILE: dkimKeyFile,
      FORMFLAG_TARGET_NETWORK: "10.0.0.0/8, ::1",
      // Of the server alone.
      FORMFLAG_ALERT_MAIL: "nonsense",
    };
    expect(await outgoingFromEnvironment(variables)).toEqual(config);
  });

  test.each([
    [{ mailHelo: "[192.0.2.1]", publicUrl: "https://forms.example.com" }, "[192.0.2.1]"],
    [{ publicUrl: "https://forms.example.com/base" }, "forms.example.com"],
    [{ publicUrl: "http://192.0.2.1:8787" }, "example.com"],
    [{ publicUrl: "http://forms.local" }, "example.com"],
    [{}, "example.com"],
    [{ mailFrom: "forms@bücher.example" }, "xn--bcher-kva.example"],
    [{ mailFrom: "forms@relay" }, null],
  ])("greet mail servers, where this machine has no full name, by %j as %p", async (more, helo) => {
    const own = "mailHelo" in more || !hostname().includes(".") ? null : hostname();
    const { mail } = await loadOutgoing(readOutgoing({ ...MAIL, ...more }), PASSWORD);
    expect(mail).toHaveProperty("helo", own ?? helo);
    // The same for a command without a server.
    const { mailHelo, publicUrl, mailFrom = MAIL.mailFrom } = more as Record<string, string | undefined>;
    const variables = { MAIL_HELO: mailHelo, PUBLIC_URL: publicUrl, MAIL_FROM: mailFrom };
    const named = Object.entries(variables).map(([name, value]) => [`FORMFLAG_${name}`, value]);
    const env = { FORMFLAG_SMTP_URL: "smtp://mail.example.com", ...Object.fromEntries(named) };
    expect((await outgoingFromEnvironment(env)).mail).toHaveProperty("helo", own ?? helo);
  });

  test("take the password from the environment where no file is named", async () => {
    const { mail } = await loadOutgoing(readOutgoing(MAIL), PASSWORD);
    expect(mail).toHaveProperty("password", "hunter2");
  });

  test.each([
    [{ ...MAIL, smtpUrl: "smtp://me:hunter2@h" }, "--smtp-url: the SMTP URL holds a password"],
    [{ ...MAIL, smtpUrl: "https://mail.example.com" }, "--smtp-url: an SMTP URL looks like"],
    [{ ...MAIL, smtpUrl: "smtp://h?starttls=maybe" }, "--smtp-url: starttls of the SMTP URL is"],
    [URL, "--smtp-url needs --mail-from"],
    [{ mailFrom: MAIL.mailFrom }, "--mail-from needs --smtp-url"],
    [{ smtpPasswordFile: "x" }, "--smtp-password-file needs --smtp-url"],
    [{ smtpCa: "x" }, "--smtp-ca needs --smtp-url"],
    [{ mailHelo: "a.example" }, "--mail-helo needs --smtp-url"],
    [{ ...MAIL, mailHelo: "a b" }, "--mail-helo a b is not a host name"],
    [{ ...MAIL, mailHelo: "a\r\nMAIL FROM:<b>" }, "--mail-helo a"],
    [{ dkimSelector: "x" }, "--dkim-selector needs --smtp-url"],
    [{ ...MAIL, mailFrom: "a@b.example, c@d.example" }, "--mail-from: a mail address looks like"],
    [{ ...MAIL, dkimDomain: "example.com" }, "--dkim-domain, --dkim-selector, --dkim-key-file go together"],
    [
      { ...MAIL, dkimDomain: "a b", dkimSelector: "s", dkimKeyFile: "x" },
      "--dkim-domain a b is not a domain",
    ],
    [{ ...MAIL, dkimDomain: "a.b", dkimSelector: "s;", dkimKeyFile: "x" }, "--dkim-selector s; is not"],
    [{ ...MAIL, mailUrl: "postmark://" }, "--smtp-url and --mail-url both name what takes mail"],
    [{ mailUrl: "postmark://" }, "--mail-url needs --mail-from"],
    [{ mailKeyFile: "x" }, "--mail-key-file needs --smtp-url or --mail-url"],
    [{ mailUrl: "acme://", mailFrom: "a@b.example" }, "--mail-url: a mail URL is smtp[s]://"],
    [
      { mailUrl: "resend://", mailFrom: "a@b.example", dkimDomain: "b.example" },
      "--dkim-domain is for a mail server, and --mail-url names a mail service",
    ],
    [{ targetNetwork: ["10.0.0.0/33"] }, "--target-network 10.0.0.0/33 is not an address range"],
    [{ alertMail: "ops@example.com" }, "--alert-mail needs --smtp-url"],
    [{ ...MAIL, alertMail: "nonsense" }, "--alert-mail: a mail address looks like"],
  ])("refuse %j", async (options, message) => {
    const read = async () => [readOutgoing(options), readAlertMail(options)];
    expect(await errorOf(read())).toStartWith(`invalid: ${message}`);
  });

  test("name a mail service, whose key is in a file or in the environment", async () => {
    const service = { mailUrl: "mailgun://mg.example.com?region=eu", mailFrom: "forms@example.com" };
    const expected = {
      service: "mailgun",
      place: "mg.example.com",
      endpoint: "https://api.eu.mailgun.net",
      key: "key-1",
      sessionToken: null,
      ca: null,
      from: { name: "", address: "forms@example.com" },
      nameServer: null,
    };
    const mailKeyFile = await fileWith("key-1\n");
    const load = async (options: object, variables: Record<string, string>) =>
      (await loadOutgoing(readOutgoing({ ...service, ...options }), variables)).mail;
    expect(await load({ mailKeyFile }, { FORMFLAG_MAIL_KEY: "not that one" })).toEqual(expected as never);
    expect(await load({}, { FORMFLAG_MAIL_KEY: "key-1" })).toEqual(expected as never);
  });

  test("take the credentials of AWS for ses, or a key of id and secret", async () => {
    const service = { mailUrl: "ses://eu-central-1", mailFrom: "forms@example.com" };
    const load = async (variables: Record<string, string>) =>
      (await loadOutgoing(readOutgoing(service), variables)).mail;
    const aws = { AWS_ACCESS_KEY_ID: "ID", AWS_SECRET_ACCESS_KEY: "SECRET", AWS_SESSION_TOKEN: "t" };
    expect(await load(aws)).toMatchObject({ key: "ID:SECRET", sessionToken: "t" });
    const both = await load({ ...aws, FORMFLAG_MAIL_KEY: "OTHER:SECRET" });
    expect(both).toMatchObject({ key: "OTHER:SECRET", sessionToken: null });
    expect(await errorOf(load({ FORMFLAG_MAIL_KEY: "one-word" }))).toBe(
      "invalid: the key of ses is not an id and its secret",
    );
  });

  test("refuse files that cannot be read, and a password without a user", async () => {
    const missing = { ...MAIL, smtpPasswordFile: "/nonexistent/password" };
    expect(await errorOf(loadOutgoing(readOutgoing(missing), {}))).toBe(
      "invalid: --smtp-password-file: the file /nonexistent/password cannot be read (ENOENT)",
    );
    const userless = readOutgoing({ ...MAIL, smtpUrl: "smtp://mail.example.com" });
    expect(await errorOf(loadOutgoing(userless, PASSWORD))).toBe(
      "invalid: there is a password for the mail server, and --smtp-url names no user",
    );
  });

  test("are called by their variables where they come from those", async () => {
    expect(await errorOf(outgoingFromEnvironment({ FORMFLAG_SMTP_URL: MAIL.smtpUrl }))).toStartWith(
      "invalid: FORMFLAG_SMTP_URL needs FORMFLAG_MAIL_FROM",
    );
    expect(await errorOf(outgoingFromEnvironment({ FORMFLAG_TARGET_NETWORK: "x" }))).toStartWith(
      "invalid: FORMFLAG_TARGET_NETWORK x is not",
    );
  });
});

describe("the delays between tries", () => {
  test.each([
    ["5s 5m", [5, 300]],
    ["5s,5m,30d", [5, 300, 30 * 86_400]],
    ["none", []],
    ["0s", [0]],
  ])("%j are %j seconds", (retryDelays, seconds) => {
    expect(readRetryDelays({ retryDelays })).toEqual(seconds);
  });

  test.each([
    ["5", "--retry-delays 5 is not a time"],
    ["-5s", "--retry-delays -5s is not a time"],
    ["31d", "--retry-delays: a delivery waits at most 30d, not 31d"],
    [Array(21).fill("1s").join(" "), "--retry-delays has 21 times, and at most 20 count"],
  ])("refuse %j", async (retryDelays, message) => {
    expect(await errorOf((async () => readRetryDelays({ retryDelays }))())).toBe(`invalid: ${message}`);
  });

  test("are nine by default", async () => {
    const { stdout } = await formflag(["config", "show", "--json"]);
    const { "retry-delays": shown } = JSON.parse(stdout) as Record<string, { value: string }>;
    expect(shown!.value).toBe("5s 5m 30m 2h 5h 10h 14h 20h 24h");
  });
});

describe("serve", () => {
  test("does not start with settings that are wrong, exit 2, and shows no password", async () => {
    const cases: [args: string[], env: Record<string, string>, said: string][] = [
      [["--smtp-url", "smtp://me:hunter2@h", "--mail-from", "a@b.example"], {}, "FORMFLAG_SMTP_PASSWORD"],
      [["--mail-from", "a@b.example"], { FORMFLAG_SMTP_URL: "smtp://me:hunter2@h" }, "holds a password"],
      [["--smtp-url", "smtp://me@h", "--mail-from", "a@b.example"], {}, 'the SMTP user "me" has no password'],
      [
        ["--smtp-url", "smtp://me@h", "--mail-from", "a@b.example", "--smtp-ca", "/dev/null"],
        { FORMFLAG_SMTP_PASSWORD: "hunter2" },
        "not a certificate in PEM",
      ],
    ];
    for (const [args, env, said] of cases) {
      const { code, stdout, stderr } = await formflag(["serve", "--listen", "127.0.0.1:0", ...args], { env });
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(said);
      expect(stderr).toContain("hint: ");
      expect(stderr).not.toContain("hunter2");
    }
  });
});

test("config show hides the password of the mail server, also one in a URL", async () => {
  for (const smtpUrl of [
    "smtp://me:hunter2@h",
    "smtp://me:hun/ter2@h",
    "me:hunter2@h",
    "smtp://:hunter2@h",
  ]) {
    const env = { FORMFLAG_SMTP_URL: smtpUrl, FORMFLAG_SMTP_PASSWORD: "hunter2" };
    const { code, stdout } = await formflag(["config", "show"], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^smtp-url +\(hidden\)/m);
    expect(stdout).toMatch(/^smtp-password +\(hidden\)/m);
    expect(stdout).not.toMatch(/hun|ter2/);
  }
  const { stdout } = await formflag(["config", "show", "--smtp-url", "smtp://me@mail.example.com:587"]);
  expect(stdout).toContain("smtp://me@mail.example.com:587");
});
