import { isoTime } from "../../base/clock.ts";
import { sha256 } from "../../base/sum.ts";

/** Kinds of actors: a user who is signed in, a token, the operator of the machine, or formflag itself. */
export const ACTOR_TYPES = ["user", "token", "operator", "system"] as const;

/** The author of everything that formflag does by itself. */
export const SYSTEM = "formflag";

export type ActorType = (typeof ACTOR_TYPES)[number];

/** The verbs of each audited noun. */
export const AUDITED = {
  session: ["start", "fail", "end"],
  user: ["create", "set", "delete", "link"],
  member: ["create", "set", "remove"],
  invitation: ["create", "delete", "spend"],
  token: ["create", "revoke"],
  grant: ["create", "revoke"],
  "second-factor": ["create", "set", "delete", "reset", "fail"],
  project: ["create", "set", "delete"],
  environment: ["create", "set", "delete"],
  form: ["create", "set", "move", "delete"],
  target: ["create", "set", "delete"],
  feed: ["create", "revoke"],
  submissions: ["export", "delete", "purge"],
  change: ["propose", "approve", "reject", "withdraw", "refresh", "apply", "bypass", "expire"],
  backup: ["create"],
} as const;

export type AuditedNoun = keyof typeof AUDITED;

/** The nouns of actions. */
export const AUDITED_NOUNS = Object.keys(AUDITED) as AuditedNoun[];

/** A noun, a dot and a verb, such as `token.revoke`. */
export type AuditAction = { [N in AuditedNoun]: `${N}.${(typeof AUDITED)[N][number]}` }[AuditedNoun];

/** Something that was done, without its author. */
export type AuditEvent = {
  action: AuditAction;
  /** The slug of the project; null for what is in none. */
  project: string | null;
  /** The name or id of what it was done to. */
  object: string | null;
  /** Names, numbers and settings; never what a sender or a visitor typed, and no secret. */
  details: Readonly<Record<string, unknown>>;
};

/** An entry that the store has not chained yet. Times are milliseconds since 1970. */
export type NewAuditEntry = AuditEvent & {
  at: number;
  /** Null for a sign-in that failed and names no user. */
  who: string | null;
  type: ActorType;
  /** The network address of the caller; null for a command and for formflag itself. */
  address: string | null;
};

/** The author of an event, at a time in milliseconds since 1970; `via` is the assistant's client that acted for them. */
type AuditAuthor = {
  who: string;
  at: number;
  type?: ActorType | undefined;
  address?: string | null | undefined;
  via?: string | undefined;
};

/** An event with its author; the assistant that acted for the author is among its details. */
export function entryOf(event: AuditEvent, { who, at, type = "system", address = null, via }: AuditAuthor) {
  const details = via === undefined ? event.details : { ...event.details, via };
  return { ...event, details, who, at, type, address } satisfies NewAuditEntry;
}

/** An entry as the audit log keeps it; `id` grows by one with each. */
export type AuditEntry = Omit<NewAuditEntry, "action"> & { id: number; action: string; hash: string };

/** Selects entries. An `action` may be a noun alone, which selects every action of it. */
export type AuditFilter = {
  /** Null for every project and what is in none. */
  projects: readonly string[] | null;
  action?: string | undefined;
  who?: string | undefined;
  /** From this time on, and before that one. */
  since?: number | undefined;
  until?: number | undefined;
};

/** Characters of a name or an address in an entry. */
const MAX_TEXT = 300;

/** A text as every database returns it: well-formed, and of a bounded length. */
export function auditText(text: string): string {
  return text.slice(0, MAX_TEXT).toWellFormed();
}

/** An entry as the admin API shows it; the members have this order, on which its hash relies. */
export function viewAuditEntry({ hash, ...entry }: AuditEntry) {
  return { ...contentOf(entry), hash };
}

function contentOf({
  id,
  at,
  who,
  type,
  action,
  project,
  object,
  details,
  address,
}: Omit<AuditEntry, "hash">) {
  return { id, at: isoTime(at), who, type, action, project, object, details, address };
}

/** An entry with its hash: the SHA-256 of the hash before, which is empty for the first entry, and its own JSON. */
export function chained(previous: string, entry: Omit<AuditEntry, "hash">): AuditEntry {
  return { ...entry, hash: chainHash(previous, JSON.stringify(contentOf(entry))) };
}

/** The hash of an entry whose JSON, without its hash, is `line`. */
export function chainHash(previous: string, line: string): string {
  return sha256(previous + line);
}
