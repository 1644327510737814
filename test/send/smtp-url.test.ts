import { describe, expect, test } from "bun:test";
import { AppError } from "../../src/base/errors.ts";
import { parseSmtpUrl } from "../../src/send/smtp-url.ts";

function refusal(text: string): { reason: string | null; message: string } {
  try {
    parseSmtpUrl(text);
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    const { code, reason, message } = error as AppError;
    expect(code).toBe("invalid");
    return { reason, message };
  }
  throw new Error(`${text} is accepted`);
}

describe("an SMTP URL", () => {
  test("has 587 and STARTTLS by default", () => {
    expect(parseSmtpUrl("smtp://mail.example.com")).toEqual({
      host: "mail.example.com",
      port: 587,
      secure: false,
      starttls: "required",
      user: null,
    });
  });

  test("has 465 where TLS comes first", () => {
    expect(parseSmtpUrl("smtps://me@Mail.Example.com/")).toEqual({
      host: "mail.example.com",
      port: 465,
      secure: true,
      starttls: "off",
      user: "me",
    });
  });

  test.each(["required", "optional", "off"])("sets STARTTLS to %s, also on this machine", (mode) => {
    for (const host of ["mail.example.com", "localhost"]) {
      expect(parseSmtpUrl(`smtp://${host}:25?starttls=${mode}`)).toMatchObject({ port: 25, starttls: mode });
    }
  });

  test.each(["localhost", "smtp.localhost", "127.0.0.1", "127.8.9.10", "[::1]"])(
    "needs no TLS to %s, which is this machine",
    (host) => {
      expect(parseSmtpUrl(`smtp://${host}`)).toMatchObject({ starttls: "optional" });
    },
  );

  test.each(["localhost.example.com", "127.example.com", "128.0.0.1", "[::2]", "10.0.0.1"])(
    "requires TLS to %s",
    (host) => {
      expect(parseSmtpUrl(`smtp://${host}`)).toMatchObject({ starttls: "required" });
    },
  );

  test("may have a user that is an address, encoded or not", () => {
    for (const user of ["me%40example.com", "me@example.com"]) {
      expect(parseSmtpUrl(`smtp://${user}@mail.example.com`).user).toBe("me@example.com");
    }
  });

  test("may name an IPv6 address or a port that the Web uses", () => {
    expect(parseSmtpUrl("smtp://[2001:DB8::1]:80")).toMatchObject({ host: "2001:db8::1", port: 80 });
    expect(parseSmtpUrl("smtps://mail.example.com:443")).toMatchObject({ port: 443 });
  });

  test("with a password is refused without repeating it, and the message says where it goes", () => {
    for (const user of ["me", "", "me%40example.com"]) {
      const { reason, message } = refusal(`smtp://${user}:hunter2@mail.example.com`);
      expect(reason).toBe("smtp-url-password");
      expect(message).toContain("file");
      expect(message).toContain("environment");
      expect(message).not.toContain("hunter2");
    }
  });

  test.each([
    "",
    "mail.example.com",
    "mail.example.com:587",
    "smtp:mail.example.com",
    "smtp://",
    "smtp://me@",
    "http://mail.example.com",
    "smtpx://mail.example.com",
    "smtp://mail.example.com:0",
    "smtp://mail.example.com:99999",
    "smtp://mail.example.com/path",
    "smtp://mail.example.com#part",
    "smtp://mail example com",
    "smtp://mail.example.com?starttls=maybe",
    "smtp://mail.example.com?starttls=",
    "smtp://mail.example.com?starttls=off&starttls=required",
    "smtp://mail.example.com?tls.rejectUnauthorized=false",
    "smtp://mail.example.com?starttls=off&pool=true",
    "smtps://mail.example.com?starttls=required",
    "smtp://%zz@mail.example.com",
  ])("is not %j", (text) => {
    expect(refusal(text).reason).toBe("smtp-url-invalid");
  });

  test("that hides a password in the wrong place is not repeated in the error", () => {
    for (const text of ["smtp://me:hun/ter2@host", "smtp://me:1?hunter2@host", "smtp://me:1#hunter2@host"]) {
      expect(refusal(text).message).not.toMatch(/ter2/);
    }
  });
});
