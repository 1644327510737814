import { describe, expect, test } from "bun:test";
import { parseMailUrl } from "../../../src/send/mail/mail-url.ts";

describe("a mail URL", () => {
  test.each([
    ["resend://", "resend", "", "https://api.resend.com"],
    ["POSTMARK://", "postmark", "", "https://api.postmarkapp.com"],
    ["brevo://", "brevo", "", "https://api.brevo.com"],
    ["sendgrid://?region=eu", "sendgrid", "", "https://api.eu.sendgrid.com"],
    ["mailgun://mg.example.com", "mailgun", "mg.example.com", "https://api.mailgun.net"],
    ["mailgun://MG.example.com/?region=eu", "mailgun", "mg.example.com", "https://api.eu.mailgun.net"],
    ["ses://eu-central-1", "ses", "eu-central-1", "https://email.eu-central-1.amazonaws.com"],
    ["resend://?endpoint=http://127.0.0.1:8080/base/", "resend", "", "http://127.0.0.1:8080/base"],
  ] as const)("%s names %s", (text, service, place, endpoint) => {
    expect(parseMailUrl(text)).toEqual({ service: { service, place, endpoint } });
  });

  test("may name a mail server", () => {
    expect(parseMailUrl("smtps://me@mail.example.com")).toMatchObject({
      smtp: { host: "mail.example.com", port: 465, user: "me" },
    });
  });

  test.each([
    ["postmark", "a mail URL is smtp[s]://"],
    ["https://api.postmarkapp.com", "a mail URL is smtp[s]://"],
    ["postmark://secret-key@", "the mail URL holds a key"],
    ["postmark://secret:key@host", "the mail URL holds a key"],
    ["postmark://secret-key", "postmark:// has nothing behind it but parameters"],
    ["postmark://?key=secret-key", "the parameters of postmark:// are endpoint, each once"],
    ["postmark://?region=eu", "the parameters of postmark:// are endpoint, each once"],
    ["mailgun://", "mailgun:// names a domain, as in mailgun://mg.example.com"],
    ["mailgun://mg.example.com?region=moon", "the region of mailgun:// is eu or us"],
    ["ses://", "ses:// names a region, as in ses://eu-central-1"],
    ["ses://nowhere", "ses:// names a region"],
    ["resend://?endpoint=http://api.example.com", "the endpoint of a mail URL is an https:// address"],
    ["resend://?endpoint=https://me:secret-key@api.example.com", "the endpoint of a mail URL is"],
  ])("%s is refused without being repeated", (text, message) => {
    expect(() => parseMailUrl(text)).toThrow(message);
    expect(() => parseMailUrl(text)).not.toThrow(/secret/);
  });
});
