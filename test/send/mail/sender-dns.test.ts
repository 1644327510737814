import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "bun:test";
import type { MailConfig } from "../../../src/send/mail/service.ts";
import { inspectSender } from "../../../src/send/mail/sender-dns.ts";
import { openNameServer, type Zone } from "../../support/peers/name-server.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const KEY = privateKey.export({ type: "pkcs8", format: "pem" });
const PUBLIC = publicKey.export({ type: "spki", format: "der" }).toString("base64");

const SMTP: MailConfig = {
  host: "mail.shop.example",
  port: 587,
  secure: false,
  starttls: "required",
  user: null,
  password: null,
  ca: null,
  from: { name: "", address: "forms@Shop.example" },
  helo: null,
  dkim: { domain: "shop.example", selector: "mail2027", key: KEY },
  nameServer: null,
};

async function inspect(zone: Zone, mail: Partial<MailConfig> = {}) {
  const { address } = await openNameServer(zone);
  const sender = await inspectSender({ ...SMTP, ...mail, nameServer: address });
  const records = Object.fromEntries(sender!.records.map(({ name, ...rest }) => [name, rest]));
  return { ...records, verdict: sender!.verdict } as Record<
    "SPF" | "DKIM" | "DMARC" | "MX",
    { state: string; message: string; add: string | null }
  > & { verdict: string };
}

const SOUND: Zone = {
  "shop.example": {
    txt: ["site-verification=1", "v=spf1 mx a:mail.shop.example ~all"],
    mx: ["mx.shop.example"],
  },
  "mail2027._domainkey.shop.example": { txt: [`v=DKIM1; k=rsa; p=${PUBLIC}`] },
  "_dmarc.shop.example": { txt: ["v=DMARC1; p=quarantine"] },
};

describe("the sender's domain in DNS", () => {
  test("is fine with SPF, the key that signs, a policy and a server for replies", async () => {
    const { SPF, DKIM, DMARC, MX, verdict } = await inspect(SOUND);
    expect([SPF.state, DKIM.state, DMARC.state, MX.state]).toEqual(["ok", "ok", "ok", "ok"]);
    expect(MX.message).toBe("mx.shop.example");
    expect(verdict).toBe("receivers can check that mail comes from shop.example");
  });

  test("that has nothing needs four records, of which three can be pasted", async () => {
    const { SPF, DKIM, DMARC, MX, verdict } = await inspect({});
    expect([SPF.state, DKIM.state, DMARC.state, MX.state]).toEqual([
      "missing",
      "missing",
      "missing",
      "missing",
    ]);
    expect(SPF.add).toBe('shop.example. TXT "v=spf1 mx a:mail.shop.example ~all"');
    const [, first, second] = /^mail2027\._domainkey\.shop\.example\. TXT "(.{255})" "(.+)"$/.exec(
      DKIM.add!,
    )!;
    expect(`${first}${second}`).toBe(`v=DKIM1; k=rsa; p=${PUBLIC}`);
    expect(DMARC.add).toBe('_dmarc.shop.example. TXT "v=DMARC1; p=none; rua=mailto:postmaster@shop.example"');
    expect(MX.message).toContain("replies and bounces get lost");
    expect(verdict).toBe(
      "many receivers refuse mail from shop.example or take it for spam: nothing proves that it comes from there",
    );
  });

  test.each([
    ["reject", "receivers refuse mail from shop.example"],
    ["quarantine", "receivers take mail from shop.example for spam"],
    ["none", "many receivers refuse mail from shop.example or take it for spam"],
  ])("whose policy is %s and that proves nothing: %s", async (policy, verdict) => {
    const found = await inspect({ "_dmarc.shop.example": { txt: [`v=DMARC1; p=${policy}`] } });
    expect(found.verdict).toStartWith(verdict);
  });

  test("has another key than the one that signs", async () => {
    const zone = { ...SOUND, "mail2027._domainkey.shop.example": { txt: ["v=DKIM1; p=MIIBother"] } };
    const { DKIM, verdict } = await inspect(zone);
    expect(DKIM).toMatchObject({ state: "wrong", add: expect.stringContaining("mail2027._domainkey") });
    // SPF alone is enough.
    expect(verdict).toBe("receivers can check that mail comes from shop.example");
  });

  test.each([
    [["v=spf1 a ~all", "v=spf1 mx ~all"], "there are several records, which count as none: keep one"],
    [["v=spf1 +all"], "the record lets every server send: end it with ~all"],
  ])("whose SPF is %j is wrong", async (txt, message) => {
    const { SPF } = await inspect({ ...SOUND, "shop.example": { txt } });
    expect(SPF).toMatchObject({ state: "wrong", message });
  });

  test("takes the policy of the domain above it", async () => {
    const zone = { "_dmarc.shop.example": { txt: ["v=DMARC1; p=reject; sp=none"] } };
    const { DMARC } = await inspect(zone, { from: { name: "", address: "a@mail.shop.example" } });
    expect(DMARC).toMatchObject({ state: "ok", message: "v=DMARC1; p=reject; sp=none" });
  });

  test("that takes no mail (RFC 7505) is missing a server for replies", async () => {
    const { MX } = await inspect({ ...SOUND, "shop.example": { mx: ["."] } });
    expect(MX.state).toBe("missing");
  });

  test("names a mail service where that sends with the domain, and not where it has its own", async () => {
    const zone = { ...SOUND, "shop.example": { txt: ["v=spf1 mx -all"] } };
    const brevo = await inspect(zone, { service: "brevo" } as never);
    expect(brevo.SPF).toMatchObject({
      state: "wrong",
      add: 'shop.example. TXT "v=spf1 mx include:spf.brevo.com -all"',
    });
    expect(brevo.DKIM.message).toBe("brevo signs, and lists the records of your domain");
    const postmark = await inspect({}, { service: "postmark" } as never);
    expect(postmark.SPF.state).toBe("ok");
  });

  test("is not known where no name server answers", async () => {
    const sender = await inspectSender({ ...SMTP, nameServer: "127.0.0.1:1" });
    expect(sender!.records.map(({ state }) => state)).toEqual(["unknown", "unknown", "unknown", "unknown"]);
    expect(sender!.verdict).toBe("name servers did not answer");
  });

  test("that has no records by definition is looked up only at a name server that is named", async () => {
    expect(await inspectSender(SMTP)).toBeNull();
    const { address, asked } = await openNameServer({});
    await inspectSender({ ...SMTP, nameServer: address });
    expect(asked).toContain("shop.example");
  });
});
