import { parseUrl } from "../base/origins.ts";
import type * as z from "zod/mini";
import { AppError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { type Random, dashedKey } from "../base/ids.ts";
import { isoTime } from "../base/clock.ts";
import { isMailAddress } from "./address.ts";
import type { RecordOf } from "../base/kinds/kinds.ts";
import { MAX_TARGET } from "./limits.ts";
import type { NOTICES } from "./notices/notice-card.ts";
import type { DeliveryOwner } from "./owner.ts";
import type { METHODS } from "./requests/request-card.ts";
import type { targetViewSchema } from "./target-schema.ts";

/** The services that get a message for people instead of the data. */
export const CHAT_KINDS = ["slack", "discord", "teams", "telegram", "ntfy", "gotify"] as const;

export type ChatKind = (typeof CHAT_KINDS)[number];

export const TARGET_KINDS = ["webhook", ...CHAT_KINDS, "mail"] as const;

/**
 * Where submissions or notices are sent. `url` is http or https, without credentials, and usually contains a secret; of
 * the kind `mail` it is an address.
 */
export type Target = { kind: (typeof TARGET_KINDS)[number]; url: string };

/** A secret that signs, until a time in milliseconds since 1970, or null for without end. */
export type TargetSecret = { secret: string; until: number | null };

/** A header of a request; its value is secret. */
export type TargetHeader = { name: string; value: string };

/** The request of a webhook that differs from a POST of the event. `body` is a template; null for the event. */
export type TargetRequest = {
  method: (typeof METHODS)[number];
  headers: readonly TargetHeader[];
  body: string | null;
};

export const PLAIN_REQUEST: TargetRequest = { method: "POST", headers: [], body: null };

/**
 * A target as stored; `id` is a {@link dashedKey}. It belongs to a form, by its key, or to a project, by its slug.
 * Times are milliseconds since 1970.
 */
export type TargetRecord = Target &
  RecordOf<typeof NOTICES> & {
    id: string;
    formKey: string | null;
    project: string | null;
    enabled: boolean;
    /** Secrets of a webhook, newest first; empty for other kinds. */
    secrets: TargetSecret[];
    /** Null for a POST of the event, and for other kinds. */
    request: TargetRequest | null;
    createdAt: number;
    updatedAt: number;
  };

/** Owner of a new target: a form, by its key, or a project, by its slug; and its request. */
type TargetOwner = Pick<TargetRecord, "formKey" | "project" | "request" | keyof typeof NOTICES>;

/** A new target, enabled, and for a webhook with a secret of its own. `at` is in milliseconds since 1970. */
export function newTarget(target: Target, owner: TargetOwner, random: Random, at: number): TargetRecord {
  const secrets = target.kind === "webhook" ? [{ secret: createWebhookSecret(random), until: null }] : [];
  return { ...target, id: targetId(random), ...owner, enabled: true, secrets, createdAt: at, updatedAt: at };
}

/** A target as the product shows it, without its secrets. */
export type TargetView = z.infer<typeof targetViewSchema>;

const EXAMPLES: Record<ChatKind, string> = {
  slack: "slack:https://hooks.slack.com/services/T…/B…/…",
  discord: "discord:https://discord.com/api/webhooks/ID/TOKEN",
  teams: "teams:https://example.webhook.office.com/…",
  telegram: "telegram:https://api.telegram.org/botTOKEN/sendMessage?chat_id=ID",
  ntfy: "ntfy:https://ntfy.sh/TOPIC",
  gotify: "gotify:https://gotify.example.com/message?token=TOKEN",
};

/** Whether the URL of a chat service names the recipient within it. */
const NAMES_RECIPIENT: Record<ChatKind, (url: URL) => boolean> = {
  slack: ({ pathname }) => pathname !== "/",
  discord: ({ pathname }) => pathname !== "/",
  teams: ({ pathname }) => pathname !== "/",
  telegram: ({ pathname, searchParams }) =>
    /\/bot[^/]+\/sendMessage$/i.test(pathname) && Boolean(searchParams.get("chat_id")),
  ntfy: ({ pathname }) => !pathname.endsWith("/"),
  // The token is sent as a header, so it has to be printable ASCII.
  gotify: ({ pathname, searchParams }) =>
    pathname.endsWith("/message") && /^[!-~]+$/.test(searchParams.get("token") ?? ""),
};

/**
 * Parses a target as people write it: `https://…` for a webhook, a chat service, a colon and its URL, or `mail:` and an
 * address. Throws `invalid` with a message that shows the format but nothing of the text, which may be secret.
 */
export function parseTarget(text: string): Target {
  if (text.length > MAX_TARGET) throw tooLong();
  const mail = /^mail:([^]*)$/i.exec(text.trim())?.[1]?.trim();
  if (mail !== undefined) {
    if (!isMailAddress(mail))
      throw new AppError("invalid", "a target of mail looks like mail:ops@example.com");
    return { kind: "mail", url: mail };
  }
  const [, prefix, address] = /^(?:([a-z]+):)?(https?:\/\/.*)$/is.exec(text.trim()) ?? [];
  const kind = prefix === undefined ? "webhook" : CHAT_KINDS.find((name) => name === prefix.toLowerCase());
  if (kind === undefined || address === undefined) throw notATarget();
  const url = parseHttpUrl(address);
  if (kind !== "webhook" && !NAMES_RECIPIENT[kind](url)) {
    throw new AppError("invalid", `a target of ${kind} looks like ${EXAMPLES[kind]}`);
  }
  url.hash = "";
  // Escapes make a URL longer.
  if (url.href.length > MAX_TARGET) throw tooLong();
  return { kind, url: url.href };
}

/**
 * A URL that a request can be sent to. Throws `invalid` for any but http and https, for credentials, which would be
 * shown in logs, and for white space, which the URL parser drops silently.
 */
export function parseHttpUrl(text: string): URL {
  const url = /[\s\p{Cc}]/u.test(text) ? null : parseUrl(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new AppError("invalid", "a target needs a valid http or https URL");
  }
  if (url.username !== "" || url.password !== "") {
    throw new AppError("invalid", "the URL of a target must not contain a user name or a password");
  }
  return url;
}

/** Whether {@link parseHttpUrl} takes a text of at most `MAX_TARGET` characters. */
export function isHttpUrl(text: string): boolean {
  try {
    return text.length <= MAX_TARGET && parseHttpUrl(text) !== null;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/**
 * A target for display: its kind, scheme, host and port. Path and query, which usually hold a secret, become "…"; a mail
 * address stays.
 */
export function maskTarget({ kind, url }: Target): string {
  if (kind === "mail") return `mail:${url}`;
  const { origin, pathname, search } = new URL(url);
  const shown = pathname === "/" && search === "" ? `${origin}/` : `${origin}/…`;
  return kind === "webhook" ? shown : `${kind}:${shown}`;
}

const SERVICES = new Map(
  ["Slack", "Discord", "Teams", "Telegram", "Gotify"].map((name) => [name.toLowerCase(), name]),
);

/** A target in a word: its service, its mail address, or the host of its webhook. */
export function targetInWord({ kind, url }: { kind: string; url: string }): string {
  if (kind === "mail") return url.replace(/^mail:/, "");
  return SERVICES.get(kind) ?? (kind === "webhook" ? (URL.parse(url)?.host ?? kind) : kind);
}

/** A target as shown to anyone who may read its form or project: its URL is masked, and of its headers only the names. */
export function viewTarget(record: TargetRecord, owner: DeliveryOwner): TargetView {
  const { id, kind, enabled, request, environment, events, digest, createdAt, updatedAt } = record;
  const { method, headers, body } = request ?? PLAIN_REQUEST;
  const [project, form] = "form" in owner ? [owner.form.project, owner.form.slug] : [owner.project, null];
  const place = { project, form, environment, events: events && [...events], digest };
  const sent = { method, headers: headers.map(({ name }) => name), body };
  const times = { createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
  return { id, ...place, kind, target: maskTarget(record), ...sent, enabled, ...times };
}

/** The id of a new target. */
export function targetId(random: Random): string {
  return dashedKey(random);
}

/** A secret that signs webhooks: `whsec_` and 32 random bytes in base64, as Standard Webhooks writes it. */
export function createWebhookSecret(random: Random): string {
  return `whsec_${Buffer.from(random(32)).toString("base64")}`;
}

/** The secrets of a target that sign at the time `now`, in milliseconds since 1970, newest first. */
export function activeSecrets({ secrets }: Pick<TargetRecord, "secrets">, now: number): TargetSecret[] {
  return secrets.filter(({ until }) => until === null || until > now);
}

export function noSuchTarget(id: string): AppError {
  return new AppError("not_found", `target "${id}" does not exist`, { reason: "target-not-found" });
}

/** Whether a text is a URL or an address as {@link parseTarget} stores it. */
export function isTargetUrl(text: string): boolean {
  if (!/^https?:\/\//.test(text)) return isMailAddress(text);
  return text.length <= MAX_TARGET && URL.canParse(text);
}

/** Whether a value, as parsed JSON, is the list of the secrets of a target. */
export function areTargetSecrets(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (each) =>
        isObject(each) &&
        typeof each["secret"] === "string" &&
        /^whsec_[A-Za-z0-9+/]{43}=$/.test(each["secret"]) &&
        (each["until"] === null || Number.isInteger(each["until"])),
    )
  );
}

function tooLong(): AppError {
  return new AppError("invalid", `a target has at most ${MAX_TARGET} characters`);
}

function notATarget(): AppError {
  const services = CHAT_KINDS.map((kind) => EXAMPLES[kind]).join(", ");
  return new AppError(
    "invalid",
    `a target is the URL of a webhook, such as https://example.com/hook, or a chat service and its URL: ${services}, or mail:ops@example.com`,
  );
}
