import type { Kind } from "../../src/forms/settings/setting.ts";
import { NAMES, SETTINGS, isStored } from "../../src/forms/settings/settings.ts";
import type { Shape } from "./shape.ts";

/** What commands rely on in single resources of the admin API. */

export const ENVIRONMENT = {
  slug: "string",
  name: "string",
  key: "string",
  "locked?": "boolean",
  "color?": "string",
} as const;
export const PROJECT = {
  slug: "string",
  name: "string",
  key: "string",
  environments: [ENVIRONMENT],
} as const;
export const FLAG = {
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
export const FEEDBACK = {
  id: "string",
  environment: "string",
  mood: "string",
  rating: "number",
  "description?": "string",
  "metadata?": "object",
  createdAt: "string",
} as const;
export const SEGMENT = { name: "string", rule: "any", createdAt: "string", updatedAt: "string" } as const;
export const SCHEDULED = {
  id: "string",
  at: "string",
  environment: "string",
  flag: "string",
  patch: "object",
  who: "string",
  "why?": "string",
} as const;
export const CHANGE = {
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
export const CODE_REFERENCES = {
  slug: "string",
  branch: "string",
  projectName: "string",
  references: [{ filePath: "string", lineNumber: "number", lineContent: "string", "url?": "string" }],
} as const;

const SHAPES: Partial<Record<Kind["is"], Shape>> = {
  switch: "boolean",
  count: "number",
  bytes: "number",
  seconds: "number",
  rate: "object",
  json: "object",
  list: ["string"],
  origins: ["string"],
  senders: ["string"],
};
/** A server of an earlier version lacks some of the settings that are stored together. */
const SETTING_SHAPES = Object.fromEntries(
  NAMES.map((name) => {
    const { kind, default: unset } = SETTINGS[name];
    const isSent = unset !== null && !isStored(name);
    return [isSent ? name : `${name}?`, SHAPES[kind.is] ?? "string"];
  }),
);
export const FORM = {
  slug: "string",
  name: "string",
  key: "string",
  "url?": "string",
  ...SETTING_SHAPES,
  createdAt: "string",
  updatedAt: "string",
} as const;
export const TARGET = {
  id: "string",
  form: "string",
  kind: "string",
  target: "string",
  enabled: "boolean",
  createdAt: "string",
  updatedAt: "string",
} as const;
const FILE = { field: "string", name: "string", type: "string", size: "number", sha256: "string" } as const;
export const SUBMISSION = {
  id: "string",
  form: "string",
  data: "object",
  files: [FILE],
  createdAt: "string",
  "meta?": "object",
} as const;
export const SUBMISSIONS = {
  submissions: [SUBMISSION],
  "next?": "string",
  "total?": "number",
  "indexing?": "number",
} as const;
export const BULK = { total: "number", ids: ["string"], "upTo?": "string" } as const;
export const DELIVERY = {
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
export const USER = {
  name: "string",
  role: "string",
  hasPassword: "boolean",
  "settings?": "object",
  createdAt: "string",
} as const;
export const SESSION = {
  id: "string",
  user: "string",
  method: "string",
  agent: "string",
  address: "string",
  createdAt: "string",
  seenAt: "string",
} as const;
export const ATTEMPT = { at: "string", duration: "number", "code?": "number", "error?": "string" } as const;
export const TOKEN = {
  name: "string",
  scopes: ["string"],
  createdAt: "string",
  "expiresAt?": "string",
} as const;
