import { describe, expect, test } from "bun:test";
import type { AppError } from "../../src/base/errors.ts";
import { maskTarget, parseTarget, type Target } from "../../src/delivery/target.ts";

/** The error that a text is refused with. */
function refusal(text: string): AppError {
  try {
    parseTarget(text);
  } catch (error) {
    return error as AppError;
  }
  return expect.unreachable();
}

describe("a target", () => {
  test.each<[text: string, kind: Target["kind"], url: string]>([
    ["https://example.com/hook?a=1", "webhook", "https://example.com/hook?a=1"],
    ["http://hook.lan:8080", "webhook", "http://hook.lan:8080/"],
    [" HTTPS://Example.com/Hook\n", "webhook", "https://example.com/Hook"],
    ["https://example.com/hook#part", "webhook", "https://example.com/hook"],
    ["https://ex%41mple.com", "webhook", "https://example.com/"],
    ["http://0x7f.1/", "webhook", "http://127.0.0.1/"],
    ["slack:https://hooks.slack.com/services/T/B/x", "slack", "https://hooks.slack.com/services/T/B/x"],
    ["SLACK:https://chat.example.com/hooks/x", "slack", "https://chat.example.com/hooks/x"],
    ["discord:https://discord.com/api/webhooks/1/x", "discord", "https://discord.com/api/webhooks/1/x"],
    [
      "telegram:https://api.telegram.org/bot1:x/sendMessage?chat_id=-100",
      "telegram",
      "https://api.telegram.org/bot1:x/sendMessage?chat_id=-100",
    ],
    ["ntfy:https://ntfy.sh/topic", "ntfy", "https://ntfy.sh/topic"],
    ["ntfy:http://home.lan/topic?auth=x", "ntfy", "http://home.lan/topic?auth=x"],
    ["gotify:https://push.example.com/message?token=x", "gotify", "https://push.example.com/message?token=x"],
    [
      "gotify:https://example.com/gotify/message?token=x",
      "gotify",
      "https://example.com/gotify/message?token=x",
    ],
  ])("is read from %j", (text, kind, url) => {
    expect(parseTarget(text)).toEqual({ kind, url });
  });

  test.each([
    "",
    "example.com/secret",
    "ftp://example.com/secret",
    "file:///etc/secret",
    "javascript:secret",
    "slack:secret",
    "slack:ftp://example.com/secret",
    "slack:slack:https://example.com/secret",
    "signal:https://example.com/secret",
    "https:example.com/secret",
    "constructor:https://example.com/secret",
  ])("is not read from %j, and the error shows what one looks like but not the text", (text) => {
    const { code, message } = refusal(text);
    expect(code).toBe("invalid");
    expect(message).toContain("https://example.com/hook");
    for (const kind of ["slack:", "discord:", "telegram:", "ntfy:", "gotify:"])
      expect(message).toContain(kind);
    expect(message).not.toContain("secret");
  });

  test.each([
    "https://",
    "https://exa mple.com/secret",
    "https://example.com/a\tsecret",
    "https://example.com/a\nsecret",
    "https://example.com/\0secret",
    "https://[fe80::1%25eth0]/secret",
    "https://[fe80::1%eth0]/secret",
    "https://1.2.3.4.5/secret",
    "https://example.com:99999/secret",
  ])("needs a valid URL: %j", (text) => {
    const { code, message } = refusal(text);
    expect(code).toBe("invalid");
    expect(message).toContain("valid http or https URL");
    expect(message).not.toContain("secret");
  });

  test.each([
    "https://user:secret@example.com/",
    "https://secret@example.com/",
    "ntfy:https://:secret@ntfy.sh/a",
  ])("has no credentials: %j", (text) => {
    const { code, message } = refusal(text);
    expect(code).toBe("invalid");
    expect(message).toContain("user name or a password");
    expect(message).not.toContain("secret");
  });

  test.each([
    ["slack:https://hooks.slack.com/", "hooks.slack.com/services/"],
    ["discord:https://discord.com", "discord.com/api/webhooks/"],
    ["telegram:https://api.telegram.org/botsecret/sendMessage", "chat_id="],
    ["telegram:https://api.telegram.org/botsecret/sendMessage?chat_id=", "chat_id="],
    ["telegram:https://api.telegram.org/botsecret/getUpdates?chat_id=1", "/sendMessage"],
    ["ntfy:https://ntfy.sh", "ntfy.sh/TOPIC"],
    ["ntfy:https://ntfy.sh/secret/", "ntfy.sh/TOPIC"],
    ["gotify:https://push.example.com/message", "token="],
    ["gotify:https://push.example.com/message?token=secret%0D%0AX:%201", "token="],
    ["gotify:https://push.example.com/message?token=secret%C3%BC", "token="],
    ["gotify:https://push.example.com/?token=secret", "/message"],
  ])("of a chat service names its recipient: %j", (text, expected) => {
    const { code, message } = refusal(text);
    expect(code).toBe("invalid");
    expect(message).toContain(expected);
    expect(message).not.toContain("secret");
  });

  test.each([
    `slack:${"https://".repeat(131_072)}`,
    "a".repeat(1 << 20),
    `https://example.com/${"x".repeat(2029)}`,
    `https://example.com/${"ü".repeat(400)}`,
  ])("has at most 2048 characters, also with its escapes", (text) => {
    expect(refusal(text)).toMatchObject({ code: "invalid", message: "a target has at most 2048 characters" });
    parseTarget(`https://example.com/${"x".repeat(2028)}`);
  });
});

test.each([
  ["https://example.com/hooks/secret", "https://example.com/…"],
  ["https://example.com:8443/?token=secret", "https://example.com:8443/…"],
  ["https://example.com/", "https://example.com/"],
  ["slack:https://hooks.slack.com/services/T/B/secret", "slack:https://hooks.slack.com/…"],
  [
    "telegram:https://api.telegram.org/bot1:secret/sendMessage?chat_id=1",
    "telegram:https://api.telegram.org/…",
  ],
  ["gotify:http://push.lan:8080/message?token=secret", "gotify:http://push.lan:8080/…"],
])("%s is shown as %s", (text, shown) => {
  expect(maskTarget(parseTarget(text))).toBe(shown);
});
