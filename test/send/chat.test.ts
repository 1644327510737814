import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { CHAT_KINDS, type ChatKind, parseTarget } from "../../src/delivery/target.ts";
import type { ChatMessage } from "../../src/delivery/outgoing.ts";
import { sendRequest } from "../../src/send/request.ts";
import { createSendPolicy } from "../../src/send/route.ts";
import { chatRequest } from "../../src/send/chat/requests.ts";

const TARGETS: Record<ChatKind, string> = {
  slack: "slack:https://hooks.slack.com/services/T/B/x",
  discord: "discord:https://discord.com/api/webhooks/1/x?thread_id=7",
  telegram:
    "telegram:https://api.telegram.org/bot1:x/sendMessage?chat_id=-100&message_thread_id=5&parse_mode=HTML",
  teams: "teams:https://example.webhook.office.com/webhookb2/x",
  ntfy: "ntfy:https://ntfy.sh/topic?auth=abc",
  gotify: "gotify:https://push.example.com/message?token=x%2By",
};

const MESSAGE: ChatMessage = {
  title: "New submission to contact",
  fields: [
    ["name", "Ada"],
    ["message", "first\nsecond"],
  ],
  link: "https://forms.example.com/submissions/1?a=1&b=2",
};

const TEXT = [
  "New submission to contact",
  "",
  "name: Ada",
  "message:",
  "first",
  "second",
  "",
  "https://forms.example.com/submissions/1?a=1&b=2",
].join("\n");

/** The text without its title, for services that show this apart. */
const REST = TEXT.slice(TEXT.indexOf("\n\n") + 2);

/** The request of a service; for JSON with its body parsed. */
function send(kind: ChatKind, message: ChatMessage = MESSAGE, target = TARGETS[kind]) {
  const { url, headers, body } = chatRequest(kind, parseTarget(target).url, message, "1.2.3");
  expect(headers["User-Agent"]).toBe("formflag/1.2.3");
  const isJson = headers["Content-Type"] === "application/json";
  return { url, headers, body: isJson ? (JSON.parse(body) as Record<string, unknown>) : body };
}

/** The text that a service shows of one field. */
function shown(kind: ChatKind, text: string): string {
  const { body } = send(kind, { title: "T", fields: [["f", text]], link: "/l" });
  const whole = typeof body === "string" ? body : String(body["text"] ?? body["content"] ?? body["message"]);
  return whole.slice(whole.indexOf("f: ") + 3, -"\n\n/l".length);
}

describe("a message", () => {
  test("to Slack or Mattermost", () => {
    expect(send("slack")).toMatchObject({
      url: "https://hooks.slack.com/services/T/B/x",
      body: { text: TEXT.replace("&", "&amp;"), mrkdwn: false, unfurl_links: false, unfurl_media: false },
    });
  });

  test("to Discord notifies nobody and shows no previews", () => {
    expect(send("discord")).toMatchObject({
      url: "https://discord.com/api/webhooks/1/x?thread_id=7",
      body: { content: TEXT, allowed_mentions: { parse: [] }, flags: 4 },
    });
  });

  test("to Telegram is plain text to the chat of the target", () => {
    const { url, body } = send("telegram");
    expect(url).toBe("https://api.telegram.org/bot1:x/sendMessage");
    expect(body).toEqual({
      chat_id: "-100",
      message_thread_id: "5",
      text: TEXT,
      link_preview_options: { is_disabled: true },
    });
  });

  test("to ntfy is text with the title in the query", () => {
    const { url, headers, body } = send("ntfy", { ...MESSAGE, title: "Grüße 😀 & mehr" });
    expect(new URL(url).searchParams.get("title")).toBe("Grüße 😀 & mehr");
    expect(new URL(url).searchParams.get("auth")).toBe("abc");
    expect(url).toStartWith("https://ntfy.sh/topic?");
    expect(headers["Content-Type"]).toBe("text/plain; charset=utf-8");
    expect(body).toBe(REST);
  });

  test("to Gotify has the token in a header and not in the URL", () => {
    const { url, headers, body } = send("gotify");
    expect(url).toBe("https://push.example.com/message");
    expect(headers["X-Gotify-Key"]).toBe("x+y");
    expect(body).toEqual({ title: "New submission to contact", message: REST });
  });

  test("without fields has its title and link", () => {
    const message = { ...MESSAGE, fields: [] };
    expect(send("telegram", message).body).toMatchObject({ text: `${message.title}\n\n${message.link}` });
    expect(send("ntfy", message).body).toBe(message.link);
  });
});

describe("the text of a form", () => {
  test("cannot notify a channel of Slack or hide a link", () => {
    expect(shown("slack", "<!channel> & <https://evil.example|bank>")).toBe(
      "&lt;!channel&gt; &amp; &lt;https://evil.example|bank&gt;",
    );
    expect(shown("slack", "&lt;!channel&gt;")).toBe("&amp;lt;!channel&amp;gt;");
  });

  test("cannot notify people of Mattermost or hide a link there", () => {
    expect(shown("slack", "@channel (@all) a@b.example")).toBe("@\u200Bchannel (@\u200Ball) a@b.example");
    expect(shown("slack", "[bank](https://evil.example)")).toBe("[bank]\u200B(https://evil.example)");
    expect(shown("slack", "[bank][1] [1]: https://evil.example")).toBe(
      "[bank]\u200B[1] [1]\u200B: https://evil.example",
    );
  });

  test("cannot hide a link in Discord, and its URLs stay whole", () => {
    expect(shown("discord", "[bank](https://evil.example)")).toBe("\\[bank\\]\\(https://evil.example\\)");
    expect(shown("discord", "https://a.example/[bank](https://evil.example)")).toBe(
      "https://a.example/\\[bank\\]\\(https://evil.example\\)",
    );
    expect(shown("discord", "*a* _b_ `c` ||d|| # e")).toBe("\\*a\\* \\_b\\_ \\`c\\` \\|\\|d\\|\\| \\# e");
    expect(shown("discord", "see https://example.com/a_b_c-d?e=#f")).toBe(
      "see https://example.com/a_b_c-d?e=#f",
    );
    expect(shown("discord", "\\[")).toBe("\\\\\\[");
  });

  test.each(["telegram", "ntfy", "gotify"] as const)("is shown by %s as it is", (kind) => {
    expect(shown(kind, "<b>*a*</b> & [b](c) \\ @all")).toBe("<b>*a*</b> & [b](c) \\ @all");
  });

  test("is plain text in the blocks of a card of Teams", () => {
    const { body } = send("teams", { ...MESSAGE, fields: [["a", "*b*\n[c](d)\0"]] });
    expect(body).toMatchObject({ type: "message", attachments: [{ content: { type: "AdaptiveCard" } }] });
    const runs = JSON.stringify(body).match(/"text":"[^"]*"/g);
    expect(runs).toEqual([
      `"text":"${MESSAGE.title}"`,
      '"text":"a:"',
      '"text":"*b*"',
      '"text":"[c](d)"',
      `"text":"${MESSAGE.link}"`,
    ]);
  });

  test.each(CHAT_KINDS.filter((kind) => kind !== "teams"))("has no control characters in %s", (kind) => {
    expect(shown(kind, "a\0b\u001B[2Jc\u0085d\te".replaceAll("[", ""))).toBe("ab2Jcd\te");
    expect(shown(kind, "\uD800a")).toBe("\uFFFDa");
  });

  test("keeps its lines, and a name or a title has one", () => {
    const message = { title: "a\r\nb", fields: [["c\n\nd", "e\r\nf\rg"]] as const, link: "/l" };
    expect(send("telegram", message).body).toMatchObject({ text: "a b\n\nc d:\ne\nf\ng\n\n/l" });
  });
});

describe("a long message", () => {
  const LIMITS: Record<Exclude<ChatKind, "teams">, [limit: number, sizeOf: (text: string) => number]> = {
    slack: [4000, (text) => text.length],
    discord: [2000, (text) => text.length],
    telegram: [4096, (text) => text.length],
    ntfy: [4096, (text) => Buffer.byteLength(text)],
    gotify: [65_535, (text) => Buffer.byteLength(text)],
  };

  /** The part of a request that the limit is for. */
  function textOf(kind: ChatKind, message: ChatMessage): string {
    const { body } = send(kind, message);
    return typeof body === "string" ? body : String(body["text"] ?? body["content"] ?? body["message"]);
  }

  /** A card has a block for each line. */
  const TEXT_KINDS = CHAT_KINDS.filter((kind): kind is Exclude<ChatKind, "teams"> => kind !== "teams");

  const withText = (text: string): ChatMessage => ({ title: "T", fields: [["f", text]], link: "/l" });

  test.each(TEXT_KINDS)("fills the limit of %s to the last unit and ends with the link", (kind) => {
    const [limit, sizeOf] = LIMITS[kind];
    const text = textOf(kind, withText("x".repeat(1 << 20)));
    expect(sizeOf(text)).toBe(limit);
    expect(text).toEndWith("x…\n\n/l");
    const room = limit - sizeOf(textOf(kind, withText("")));
    expect(textOf(kind, withText("x".repeat(room)))).toEndWith("x\n\n/l");
    expect(textOf(kind, withText("x".repeat(room + 1)))).toEndWith("x…\n\n/l");
  });

  test.each(TEXT_KINDS)("is within the limit of %s and well-formed, whatever it holds", (kind) => {
    const [limit, sizeOf] = LIMITS[kind];
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("&", "<!channel>", "😀", "\\", "[a](b)", "\0", "\r\n", "…", "é"),
    );
    const long = fc.tuple(piece, fc.nat(5000)).map(([text, count]) => text.repeat(count).slice(0, 70_000));
    const message = fc.record({
      title: long,
      fields: fc.array(fc.tuple(long, long), { maxLength: 3 }),
      link: fc.webUrl(),
    });
    fc.assert(
      fc.property(message, (message) => {
        const text = textOf(kind, message);
        expect(sizeOf(text)).toBeLessThanOrEqual(limit);
        expect(text.isWellFormed()).toBe(true);
        if (kind === "slack") expect(text).toMatch(/^(?:[^&<>]|&(?:amp|lt|gt);)*$/);
      }),
      { numRuns: 30 },
    );
  });

  test("is not cut within a character, an entity or an escape", () => {
    const cut = (kind: ChatKind, text: string, count: number) =>
      textOf(kind, { title: "", fields: [["f", "x".repeat(count) + text.repeat(5000)]], link: "/l" });
    for (const count of [0, 1, 2, 3, 4, 5]) {
      expect(cut("slack", "&", count)).toMatch(/^f: x*(&amp;)+…\n\n\/l$/);
      expect(cut("discord", "*", count)).toMatch(/^f: x*(\\\*)+…\n\n\/l$/);
      expect(cut("telegram", "😀", count)).toMatch(/^f: x*(😀)+…\n\n\/l$/u);
      expect(cut("ntfy", "😀", count)).toMatch(/^f: x*(😀)+…\n\n\/l$/u);
    }
  });

  test("to the longest target can be sent", async () => {
    const url = `https://ntfy.invalid/${"x".repeat(2027)}`;
    const request = chatRequest(
      "ntfy",
      parseTarget(`ntfy:${url}`.slice(0, 2048)).url,
      { ...MESSAGE, title: "ü".repeat(200) },
      "1",
    );
    expect(request.url.length).toBeGreaterThan(3000);
    const policy = { ...createSendPolicy([], Date.now), resolve: () => Promise.resolve([]) };
    expect(await sendRequest(policy, request)).toMatchObject({ outcome: "retry" });
  });

  test("has a title of at most 200 characters", () => {
    const title = "😀".repeat(300);
    const { body } = send("gotify", { ...MESSAGE, title });
    expect((body as { title: string }).title).toBe(`${"😀".repeat(99)}…`);
  });
});
