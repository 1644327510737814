import { own } from "../../../base/shapes/own.ts";
import type { AuditAction, AuditedNoun } from "../../../access/audit/entry.ts";
import { formatExact } from "../parts/time.tsx";

/** The subjects of entries, by their nouns. */
export const NOUN_WORDS: Record<AuditedNoun, string> = {
  session: "Sign-ins",
  user: "Users",
  member: "Members",
  invitation: "Invitations",
  token: "Tokens",
  grant: "Assistants",
  "second-factor": "Second factors",
  project: "Projects",
  environment: "Environments",
  form: "Forms",
  target: "Targets",
  feed: "Feeds",
  submissions: "Submissions",
  change: "Proposed changes",
  backup: "Backups",
};

const ACTION_WORDS: Record<AuditAction, string> = {
  "session.start": "Signed in",
  "session.fail": "Sign-in refused",
  "session.end": "Signed out",
  "user.create": "Created a user",
  "user.set": "Changed a user",
  "user.delete": "Deleted a user",
  "user.link": "Made a sign-in link",
  "member.create": "Added a member",
  "member.set": "Changed a member",
  "member.remove": "Removed a member",
  "invitation.create": "Invited someone",
  "invitation.delete": "Deleted an invitation",
  "invitation.spend": "Accepted an invitation",
  "token.create": "Created a token",
  "token.revoke": "Revoked a token",
  "grant.create": "Signed an assistant in",
  "grant.revoke": "Ended an assistant",
  "second-factor.create": "Added a second factor",
  "second-factor.set": "Changed a second factor",
  "second-factor.delete": "Deleted a second factor",
  "second-factor.reset": "Reset second factors",
  "second-factor.fail": "Second factor refused",
  "project.create": "Created a project",
  "project.set": "Changed a project",
  "project.delete": "Deleted a project",
  "environment.create": "Created an environment",
  "environment.set": "Changed an environment",
  "environment.delete": "Deleted an environment",
  "form.create": "Created a form",
  "form.set": "Changed a form",
  "form.move": "Moved a form",
  "form.delete": "Deleted a form",
  "target.create": "Added a target",
  "target.set": "Changed a target",
  "target.delete": "Deleted a target",
  "feed.create": "Created a feed",
  "feed.revoke": "Revoked a feed",
  "submissions.export": "Exported submissions",
  "submissions.delete": "Deleted submissions",
  "submissions.purge": "Purged submissions",
  "change.propose": "Proposed a change",
  "change.approve": "Approved a change",
  "change.reject": "Rejected a change",
  "change.withdraw": "Withdrew a change",
  "change.refresh": "Refreshed a change",
  "change.apply": "Applied a change",
  "change.bypass": "Bypassed approval",
  "change.expire": "A change expired",
  "backup.create": "Made a backup",
};

/** An action in words; one that is not known here, of another version, as it is. */
export function actionInWords(action: string): string {
  return Object.hasOwn(ACTION_WORDS, action) ? ACTION_WORDS[action as AuditAction] : action;
}

/** Nouns whose things have an id rather than a name, with what each is called. */
const UNNAMED: Readonly<Record<string, string>> = {
  session: "a browser",
  invitation: "an invitation",
  grant: "an assistant",
  target: "a target",
  feed: "a feed",
  change: "a change",
};

/** The thing of an action, by its summary or its kind, if it has an id rather than a name. */
export function thingInWords(action: string, details: Readonly<Record<string, unknown>>): string | undefined {
  const thing = own(UNNAMED, action.slice(0, action.indexOf(".")));
  const { summary, kind } = details;
  if (thing === undefined) return undefined;
  return typeof summary === "string" ? summary : typeof kind === "string" ? `a target, ${kind}` : thing;
}

/** The details that {@link thingInWords} leaves. */
export function restOf(
  action: string,
  details: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (thingInWords(action, details) === undefined) return details;
  return Object.fromEntries(
    Object.entries(details).filter(([name]) => name !== "summary" && name !== "kind"),
  );
}

/** Details other than zero, as `role editor; mail from none; expires 2 Dec 2026, 21:47:56 UTC`. */
export function detailsInWords(details: Readonly<Record<string, unknown>>, timeZone: string): string {
  return Object.entries(details)
    .filter(([, value]) => value !== 0)
    .map(([name, value]) => {
      const words = name.replace(/At$/, "").replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
      return `${words} ${value === null ? (own(NULL_WORDS, name) ?? "none") : valueInWords(value, timeZone)}`;
    })
    .join("; ");
}

/** Meanings of null other than nothing. */
const NULL_WORDS: Readonly<Record<string, string>> = { environments: "all", expiresAt: "never" };

function valueInWords(value: unknown, timeZone: string): string {
  if (Array.isArray(value)) return value.map(String).join(", ") || "none";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value !== "string") return JSON.stringify(value);
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? formatExact(Date.parse(value), timeZone) : value;
}
