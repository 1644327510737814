import {
  ENVIRONMENT,
  PROJECT,
  FLAG,
  FEEDBACK,
  SEGMENT,
  SCHEDULED,
  CHANGE,
  CODE_REFERENCES,
  FORM,
  TARGET,
  SUBMISSION,
  SUBMISSIONS,
  BULK,
  DELIVERY,
  USER,
  SESSION,
  ATTEMPT,
  TOKEN,
} from "./answer-shapes.ts";
import type { Shape } from "./shape.ts";

const result = "string";
const created = { "result?": "string" } as const;
const IN = "/projects/*/environments/*";

/**
 * What commands rely on in the answers of the admin API, by method and path: less than the API promises, so that a
 * server of another version is understood.
 */
const ANSWERS: Record<string, Shape> = {
  "GET /projects": { projects: [PROJECT], "next?": "string" },
  "POST /projects": { ...PROJECT, ...created },
  "GET /projects/*": PROJECT,
  "GET /projects/*/environments": { environments: [ENVIRONMENT] },
  "POST /projects/*/environments": { ...ENVIRONMENT, ...created },
  [`GET ${IN}`]: ENVIRONMENT,
  [`PATCH ${IN}`]: { ...ENVIRONMENT, result },
  [`GET ${IN}/flags`]: { flags: [FLAG], "next?": "string" },
  [`GET ${IN}/flags/*`]: FLAG,
  [`PATCH ${IN}/flags/*`]: { ...FLAG, result },
  [`POST ${IN}/flags/*/rollback`]: { ...FLAG, result },
  [`POST ${IN}/flags/*/scheduled`]: SCHEDULED,
  [`POST ${IN}/flags/*/evaluate`]: { key: "string" },
  [`POST ${IN}/flags/*/for`]: { ...FLAG, result, "scheduled?": SCHEDULED },
  [`GET ${IN}/segments`]: { segments: [SEGMENT], "next?": "string" },
  [`GET ${IN}/segments/*`]: SEGMENT,
  [`PUT ${IN}/segments/*`]: { ...SEGMENT, result },
  [`GET ${IN}/flagd`]: { flags: "object" },
  [`POST ${IN}/flagd`]: {
    flags: [{ key: "string", result }],
    segments: [{ name: "string", result }],
    metadata: "string",
    "warnings?": ["string"],
  },
  [`POST ${IN}/promote`]: {
    flags: [{ slug: "string", "before?": "object", "after?": "object" }],
    segments: [{ name: "string", copied: "boolean", "before?": "any", after: "any" }],
    unchanged: "number",
  },
  "GET /projects/*/flags/*/feedback": { feedback: [FEEDBACK], "next?": "string" },
  "GET /projects/*/flags/*/ratings": {
    count: "number",
    "mean?": "number",
    ratings: "object",
    moods: "object",
  },
  "DELETE /projects/*/flags/*/feedback": { deleted: "number" },
  "GET /projects/*/scheduled": { scheduled: [SCHEDULED], "next?": "string" },
  "GET /projects/*/stale": { stale: [{ slug: "string", since: "string", reasons: ["string"] }] },
  "GET /projects/*/code-refs": { references: [CODE_REFERENCES], "next?": "string" },
  "PUT /projects/*/code-refs": { references: "number", slugs: "number", unknown: ["string"] },
  "GET /projects/*/history": { changes: [CHANGE], "next?": "number" },
  "GET /projects/*/flags/*/history": { changes: [CHANGE], "next?": "number" },
  "GET /forms": { forms: [FORM], "next?": "string" },
  "POST /forms": { ...FORM, ...created },
  "GET /forms/*": FORM,
  "PATCH /forms/*": { ...FORM, result },
  "GET /forms/*/targets": { targets: [TARGET] },
  "POST /forms/*/targets": { id: "string", "secret?": "string" },
  "GET /targets/*": TARGET,
  "PATCH /targets/*": { ...TARGET, result },
  "POST /targets/*/rotate": { id: "string", secret: "string" },
  "POST /targets/*/test": { "code?": "number", "error?": "string", outcome: "string" },
  "POST /forms/*/test": SUBMISSION,
  "GET /forms/*/submissions": SUBMISSIONS,
  "GET /submissions": SUBMISSIONS,
  "POST /submissions/mark": { changed: "number" },
  "POST /submissions/mark-matching": BULK,
  "POST /submissions/delete": { ids: ["string"] },
  "POST /submissions/delete-matching": BULK,
  "POST /forms/*/submissions/*": { imported: "number", skipped: "number", elsewhere: "number" },
  "GET /submissions/*": SUBMISSION,
  "GET /submissions/*/timeline": { events: [{ event: "string", at: "string" }] },
  "GET /deliveries": { deliveries: [DELIVERY], "next?": "string" },
  "GET /deliveries/*": { ...DELIVERY, "history?": [ATTEMPT] },
  "POST /deliveries/*": { queued: "number" },
  "GET /stats": {
    forms: [{ form: "string", inbox: "number", unread: "number", spam: "number", archived: "number" }],
    submissions: [{ day: "string", form: "string", inbox: "number", spam: "number" }],
    reads: [{ hour: "string", project: "string", environment: "string", one: "number", all: "number" }],
    deliveries: { queued: "number", failed: "number" },
  },
  "POST /mail/*": {
    id: "string",
    from: "string",
    delivered: "boolean",
    "code?": "number",
    "error?": "string",
  },
  "POST /submissions/purge": {
    submissions: "number",
    files: "number",
    mentions: "number",
    forms: [{ form: "string", submissions: "number", files: "number" }],
  },
  "GET /tokens": { tokens: [TOKEN], "next?": "string" },
  "POST /tokens": { ...TOKEN, token: "string" },
  "GET /users": { users: [USER], "next?": "string" },
  "POST /users": { ...USER, ...created },
  "GET /users/*": USER,
  "PATCH /users/*": { ...USER, result },
  "POST /users/links": { name: "string", url: "string", expiresAt: "string" },
  "GET /sessions": { sessions: [SESSION] },
  "GET /export": { projects: "object", "forms?": "object" },
  "POST /apply": {
    changes: [{ action: "string", path: "string", "before?": "any", "after?": "any" }],
  },
};

/** The shape of an answer; null for a delete that is answered with no content, `any` if no command relies on it. */
export function shapeOf(method: string, path: string): Shape | null {
  const plain = path.replace(/\?.*$/s, "");
  const parts = plain.split("/");
  // Every other part is a name: /projects/shop/environments/live.
  const route = parts.map((part, index) => (index > 0 && index % 2 === 0 ? "*" : part)).join("/");
  return (
    ANSWERS[`${method} ${plain}`] ?? ANSWERS[`${method} ${route}`] ?? (method === "DELETE" ? null : "any")
  );
}
