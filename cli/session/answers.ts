import { isObject } from "../../src/base/json.ts";
/**
 * The expected shape of a value: a kind, or a list or an object of shapes. A member whose name ends in `?` may be
 * missing or null; members that are not named are not checked.
 */
export type Shape = Kind | readonly [Shape] | { readonly [name: string]: Shape };
type Kind = "string" | "number" | "boolean" | "object" | "any";

const ENVIRONMENT = { slug: "string", name: "string", key: "string", "color?": "string" } as const;
const PROJECT = { slug: "string", name: "string", key: "string", environments: [ENVIRONMENT] } as const;
const FLAG = {
  slug: "string",
  enabled: "boolean",
  payload: "any",
  "expiredAt?": "string",
  description: "string",
  createdAt: "string",
  updatedAt: "string",
  "variants?": "object",
  "defaultVariant?": "string",
  "targeting?": "object",
  "isPreview?": "boolean",
  "previewName?": "string",
  "previewContent?": "string",
} as const;
const FEEDBACK = {
  id: "string",
  environment: "string",
  mood: "string",
  rating: "number",
  "description?": "string",
  "metadata?": "object",
  createdAt: "string",
} as const;
const SEGMENT = { name: "string", rule: "any", createdAt: "string", updatedAt: "string" } as const;
const SCHEDULED = {
  id: "string",
  at: "string",
  environment: "string",
  flag: "string",
  patch: "object",
  who: "string",
  "why?": "string",
} as const;
const CHANGE = {
  revision: "number",
  "environment?": "string",
  kind: "string",
  name: "string",
  at: "string",
  who: "string",
  "why?": "string",
  "before?": "any",
  "after?": "any",
} as const;
const CODE_REFERENCES = {
  slug: "string",
  branch: "string",
  projectName: "string",
  references: [{ filePath: "string", lineNumber: "number", lineContent: "string", "url?": "string" }],
} as const;
const FORM = {
  slug: "string",
  name: "string",
  key: "string",
  "url?": "string",
  enabled: "boolean",
  uploads: "boolean",
  "successUrl?": "string",
  "errorUrl?": "string",
  allowedOrigins: ["string"],
  blockedSenders: ["string"],
  "rateLimit?": "object",
  maxFileSize: "number",
  maxFiles: "number",
  "allowedTypes?": ["string"],
  "opensAt?": "string",
  "closesAt?": "string",
  "maxSubmissions?": "number",
  "spam?": "string",
  "honeypots?": ["string"],
  "spamWords?": ["string"],
  "spamEmails?": ["string"],
  "spamLinks?": "number",
  "spamDisposable?": "boolean",
  "duplicates?": "number",
  "challenge?": "boolean",
  "schema?": "object",
  "notify?": ["string"],
  "notifySubject?": "string",
  "emailField?": "string",
  "attach?": "number",
  "autoreply?": "boolean",
  "autoreplySubject?": "string",
  "autoreplyText?": "string",
  "retention?": "number",
  "spamRetention?": "number",
  "metadata?": "string",
  "successMessage?": "string",
  "language?": "string",
  "page?": "boolean",
  createdAt: "string",
  updatedAt: "string",
} as const;
const TARGET = {
  id: "string",
  form: "string",
  kind: "string",
  target: "string",
  enabled: "boolean",
  createdAt: "string",
  updatedAt: "string",
} as const;
const FILE = { field: "string", name: "string", type: "string", size: "number", sha256: "string" } as const;
const SUBMISSION = {
  id: "string",
  form: "string",
  data: "object",
  files: [FILE],
  createdAt: "string",
  "meta?": "object",
} as const;
const SUBMISSIONS = {
  submissions: [SUBMISSION],
  "next?": "string",
  "total?": "number",
  "indexing?": "number",
} as const;
const BULK = { total: "number", ids: ["string"], "upTo?": "string" } as const;
const DELIVERY = {
  id: "string",
  submission: "string",
  form: "string",
  kind: "string",
  target: "string",
  status: "string",
  attempts: "number",
  "nextAt?": "string",
  "code?": "number",
  "error?": "string",
} as const;
const USER = { name: "string", role: "string", hasPassword: "boolean", createdAt: "string" } as const;
const SESSION = {
  id: "string",
  user: "string",
  method: "string",
  agent: "string",
  address: "string",
  createdAt: "string",
  seenAt: "string",
} as const;
const ATTEMPT = { at: "string", duration: "number", "code?": "number", "error?": "string" } as const;
const TOKEN = { name: "string", scopes: ["string"], createdAt: "string", "expiresAt?": "string" } as const;

const result = "string";
const IN = "/projects/*/environments/*";

/**
 * What commands rely on in the answers of the admin API, by method and path: less than the API promises, so that a
 * server of another version is understood.
 */
const ANSWERS: Record<string, Shape> = {
  "GET /projects": { projects: [PROJECT], "next?": "string" },
  "POST /projects": PROJECT,
  "GET /projects/*": PROJECT,
  "GET /projects/*/environments": { environments: [ENVIRONMENT] },
  "POST /projects/*/environments": ENVIRONMENT,
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
  "POST /forms": FORM,
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
  "POST /users": USER,
  "GET /users/*": USER,
  "PATCH /users/*": { ...USER, result },
  "POST /users/links": { name: "string", url: "string", expiresAt: "string" },
  "GET /sessions": { sessions: [SESSION] },
  "GET /export": { "projects?": "object", "forms?": "object" },
  "POST /apply": {
    changes: [{ action: "string", path: "string", "before?": "any", "after?": "any" }],
  },
};

/** The shape of an answer; `any` if no command relies on it, as for a delete. */
export function shapeOf(method: string, path: string): Shape {
  const plain = path.replace(/\?.*$/s, "");
  const parts = plain.split("/");
  // Every other part is a name: /projects/shop/environments/live.
  const route = parts.map((part, index) => (index > 0 && index % 2 === 0 ? "*" : part)).join("/");
  return ANSWERS[`${method} ${plain}`] ?? ANSWERS[`${method} ${route}`] ?? "any";
}

/**
 * The path of the first value that does not fit a shape, such as `projects.0.slug`: empty for the value itself, null if
 * all fit.
 */
export function misfit(value: unknown, shape: Shape): string | null {
  if (typeof shape === "string") {
    const fits =
      shape === "any" ? value !== undefined : shape === "object" ? isObject(value) : typeof value === shape;
    return fits ? null : "";
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) return "";
    return firstMisfit(value.map((each, index) => [String(index), each, shape[0]]));
  }
  if (!isObject(value)) return "";
  const members = Object.entries(shape).flatMap(([key, each]): Member[] => {
    const name = key.replace("?", "");
    return name !== key && (value[name] ?? null) === null ? [] : [[name, value[name], each]];
  });
  return firstMisfit(members);
}

type Member = [name: string, value: unknown, shape: Shape];

function firstMisfit(members: Member[]): string | null {
  for (const [name, value, shape] of members) {
    const inner = misfit(value, shape);
    if (inner !== null) return inner === "" ? name : `${name}.${inner}`;
  }
  return null;
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
