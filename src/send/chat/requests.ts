import type { ChatMessage } from "../../delivery/outgoing.ts";
import type { ChatKind } from "../../delivery/target.ts";
import type { OutgoingRequest } from "../request.ts";
import { bytesOf, messageText, type TextFormat, titleText, unitsOf } from "./message.ts";

/** Makes two characters that mean something together mean nothing, and is not visible. */
const ZERO_WIDTH_SPACE = "\u200B";

/** A URL that a person can follow, up to a character that could end it in Markdown. */
const URL_OR_MARKDOWN = /https?:\/\/[^\s<>[\]()*`|\\]+|[\\*_~`|[\]()<>#-]/g;

const asIs = (text: string) => text;

/** Slack splits a text of more than 4,000 characters into several messages; Mattermost's limit is not lower. */
const SLACK: TextFormat = { limit: 4000, sizeOf: unitsOf, escape: escapeSlack };
const DISCORD: TextFormat = { limit: 2000, sizeOf: unitsOf, escape: escapeMarkdown };
/** A card has at most 28 KB, of which each line takes some for its block. */
const TEAMS: TextFormat = { limit: 4000, sizeOf: bytesOf, escape: asIs };
const TELEGRAM: TextFormat = { limit: 4096, sizeOf: unitsOf, escape: asIs };
/** A longer text becomes a file. */
const NTFY: TextFormat = { limit: 4096, sizeOf: bytesOf, escape: asIs };
/** Gotify documents no limit; MySQL, one of its databases, stores 65,535 bytes in a text column. */
const GOTIFY: TextFormat = { limit: 65_535, sizeOf: bytesOf, escape: asIs };

/** Parameters of `sendMessage` that a target may set: the chat, its topic, and whether a phone makes a sound. */
const TELEGRAM_PARAMETERS = new Set(["chat_id", "message_thread_id", "disable_notification"]);

/** The request that shows a message in a chat service; `url` is that of a checked target. */
export function chatRequest(
  kind: ChatKind,
  url: string,
  message: ChatMessage,
  version: string,
): OutgoingRequest {
  const request = REQUESTS[kind](new URL(url), message);
  return { ...request, headers: { ...request.headers, "User-Agent": `formflag/${version}` } };
}

const REQUESTS: Record<ChatKind, (url: URL, message: ChatMessage) => OutgoingRequest> = {
  slack: (url, message) =>
    json(url, {
      text: messageText(message, SLACK),
      mrkdwn: false,
      unfurl_links: false,
      unfurl_media: false,
    }),

  discord: (url, message) =>
    json(url, {
      content: messageText(message, DISCORD),
      allowed_mentions: { parse: [] },
      // SUPPRESS_EMBEDS: no preview of links that the sender of a form chose.
      flags: 4,
    }),

  teams: (url, message) => json(url, { type: "message", attachments: [adaptiveCard(message)] }),

  telegram(url, message) {
    const parameters = [...url.searchParams].filter(([name]) => TELEGRAM_PARAMETERS.has(name));
    return json(withoutQuery(url), {
      ...Object.fromEntries(parameters),
      text: messageText(message, TELEGRAM),
      link_preview_options: { is_disabled: true },
    });
  },

  // The body is text, since ntfy's limit of a JSON body counts its escapes too; a header could not hold every title.
  ntfy(url, message) {
    url.searchParams.set("title", titleText(message.title));
    const body = messageText({ ...message, title: "" }, NTFY);
    return { url: url.href, body, headers: { "Content-Type": "text/plain; charset=utf-8" } };
  },

  // The token goes into a header, which proxies do not log.
  gotify(url, message) {
    const token = url.searchParams.get("token") ?? "";
    const text = messageText({ ...message, title: "" }, GOTIFY);
    const request = json(withoutQuery(url), { title: titleText(message.title), message: text });
    const headers = { ...request.headers, "X-Gotify-Key": token };
    return { ...request, headers, secretHeaders: ["X-Gotify-Key"] };
  },
};

/** A message as an Adaptive Card. Text runs have no markup, unlike text blocks. */
function adaptiveCard({ title, ...rest }: ChatMessage): object {
  const lines = messageText({ ...rest, title: "" }, TEAMS)
    .split("\n")
    .filter(Boolean);
  const block = (text: string, isTitle = false) => ({
    type: "RichTextBlock",
    inlines: [{ type: "TextRun", text, ...(isTitle && { weight: "bolder" }) }],
  });
  return {
    contentType: "application/vnd.microsoft.card.adaptive",
    contentUrl: null,
    content: {
      $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
      type: "AdaptiveCard",
      version: "1.4",
      body: [block(titleText(title), true), ...lines.map((line) => block(line))],
    },
  };
}

function json(url: URL, body: object): OutgoingRequest {
  return { url: url.href, body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
}

function withoutQuery(url: URL): URL {
  const bare = new URL(url);
  bare.search = "";
  return bare;
}

/**
 * Escapes the three characters with a meaning in Slack, which also stops `<!channel>`. Mattermost reads `@channel` and
 * Markdown as well, so the text of a form could notify everybody or hide where a link leads.
 */
function escapeSlack(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/(?<![\p{L}\p{N}_])@(?=\w)/gu, `@${ZERO_WIDTH_SPACE}`)
    .replaceAll(/\](?=[([:])/g, `]${ZERO_WIDTH_SPACE}`);
}

/** Escapes Markdown, which could hide where a link leads; a plain URL stays as it is, since escapes would break it. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(URL_OR_MARKDOWN, (match) => (match.length > 1 ? match : `\\${match}`));
}
