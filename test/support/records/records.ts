import { type Proposal, etagOf } from "../../../src/documents/changes/proposal.ts";
import { expect } from "bun:test";
import type { NewSession, Session } from "../../../src/access/session.ts";
import type { Passkey } from "../../../src/access/factors/factor.ts";
import type { BegunSignIn } from "../../../src/access/store.ts";
import type { Token } from "../../../src/access/token.ts";
import { DEFAULT_SETTINGS as USER_SETTINGS, type User } from "../../../src/access/user.ts";
import { isoTime } from "../../../src/base/clock.ts";
import { createIdSource, dashedKey } from "../../../src/base/ids.ts";
import { type TargetRecord, createWebhookSecret } from "../../../src/delivery/target.ts";
import type { FlagRecord } from "../../../src/flags/flag.ts";
import type { Ramp } from "../../../src/flags/ramps/ramp.ts";
import { NO_OPTIONAL } from "../../../src/flags/flag-fields.ts";
import { type FormRecord, formKey } from "../../../src/forms/form.ts";
import { DEFAULT_SETTINGS } from "../../../src/forms/settings/settings.ts";
import type { StoredSubmission } from "../../../src/forms/intake/insertion.ts";
import type { Environment } from "../../../src/projects/environment.ts";

export const NOW = Date.parse("2026-01-02T03:04:05.678Z");
export const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
/** Above every id. */
export const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
export const nextId = createIdSource(random, () => NOW);

export function environmentCalled(slug: string): Environment {
  return {
    slug,
    name: slug,
    key: dashedKey(random),
    locked: false,
    color: null,
    approvals: 0,
    approveWith: null,
    position: 1,
  };
}

/** An open change that somebody proposed. */
export function proposalOf(project: string, more: Partial<Proposal> = {}): Proposal {
  const id = dashedKey(random);
  const differences = [
    {
      action: "update",
      kind: "flag",
      path: "projects.a",
      before: { enabled: false },
      after: { enabled: true },
    },
  ] as const;
  const environments = ["live"];
  return {
    id,
    project,
    environments,
    summary: "change flag a in live",
    why: null,
    who: "ann",
    type: "user",
    account: null,
    via: null,
    status: "open",
    operation: { operation: "PATCH /a", names: { project }, query: undefined, body: { enabled: true } },
    differences: [...differences],
    version: 1,
    etag: etagOf(id, { environments, differences: [...differences] }),
    reviews: [],
    createdAt: NOW,
    expiresAt: NOW + 1000,
    appliedBy: null,
    appliedAt: null,
    bypass: false,
    ...more,
  };
}

/** A flag without any value, which is off. */
/** A running ramp of a flag whose next step is due in a second. */
export function rampOf(environment: string, flag: string, more: Partial<Ramp> = {}): Ramp {
  const rules = JSON.stringify({
    variants: { on: true, off: false },
    defaultVariant: "off",
    targeting: {
      fractional: [
        ["on", 1],
        ["off", 99],
      ],
    },
  });
  return {
    environment,
    flag,
    variant: "on",
    steps: [
      { share: 1, doneAt: NOW },
      { share: 12.5, doneAt: null },
    ],
    every: 1,
    startAt: null,
    status: "running",
    reason: null,
    nextAt: NOW + 1000,
    share: 1,
    left: { enabled: true, rules },
    before: { enabled: false, rules: null, share: 0 },
    isGuarded: false,
    guards: [],
    onGuard: "pause",
    who: "bob",
    why: "Ünder test",
    createdAt: NOW,
    ...more,
  };
}

export function flagRecord(slug: string, more: Partial<FlagRecord> = {}): FlagRecord {
  return {
    slug,
    description: "",
    enabled: false,
    payload: null,
    expiresAt: null,
    rules: null,
    imported: false,
    ...NO_OPTIONAL,
    createdAt: NOW,
    updatedAt: NOW,
    revision: 0,
    ...more,
  };
}

/** A form without any setting. */
export function formRecord(slug: string, more: Partial<FormRecord> = {}): FormRecord {
  return {
    project: "default",
    slug,
    name: slug,
    key: formKey(random),
    enabled: true,
    uploads: false,
    learn: false,
    successUrl: null,
    errorUrl: null,
    allowedOrigins: [],
    blockedSenders: [],
    rateLimit: null,
    maxFileSize: null,
    maxFiles: null,
    ...DEFAULT_SETTINGS,
    createdAt: NOW,
    updatedAt: NOW,
    ...more,
  };
}

/** A flag without any value as the admin API and commands show it; `at` is when it was created. */
export function shownFlag(slug: string, at: string) {
  const values = { slug, enabled: false, payload: {}, expiredAt: null, description: "" };
  return { ...values, createdAt: at, updatedAt: at, revision: expect.any(Number) as number };
}

/** A form without any setting as the admin API and commands show it; `at` is when it was created. */
export function shownForm(slug: string, key: string, at: string) {
  return {
    ...formRecord(slug, { key }),
    url: `/v1/s/${key}`,
    maxFileSize: 1_048_576,
    maxFiles: 5,
    createdAt: at,
    updatedAt: at,
  };
}

export function submissionTo(formKey: string, more: Partial<StoredSubmission> = {}): StoredSubmission {
  return { id: nextId(), formKey, data: '{"a":1}', files: [], createdAt: NOW, ...more };
}

/** An enabled webhook that gets the notices of a project. */
export function noticeTarget(project: string, more: Partial<TargetRecord> = {}): TargetRecord {
  return { ...targetRecord(""), formKey: null, project, ...more };
}

/** An enabled webhook of the form of that key. */
export function targetRecord(formKey: string, more: Partial<TargetRecord> = {}): TargetRecord {
  return {
    id: dashedKey(random),
    formKey,
    project: null,
    environment: null,
    events: null,
    digest: null,
    kind: "webhook",
    url: "https://example.com/hook",
    enabled: true,
    secrets: [{ secret: createWebhookSecret(random), until: null }],
    request: null,
    createdAt: NOW,
    updatedAt: NOW,
    ...more,
  };
}

/** A file of a submission that is kept under that key. */
export function fileKept(key: string, name = "a.txt"): StoredSubmission["files"][number] {
  return { key, field: "file", name, type: "text/plain", size: 3, sha256: "ab".repeat(32) };
}

export function tokenCalled(name: string, more: Partial<Token> = {}): Token {
  return { name, scopes: ["flags:read", "forms:write"], createdAt: isoTime(NOW), expiresAt: null, ...more };
}

/** A viewer without a password. */
export function userCalled(name: string, more: Partial<User> = {}): User {
  return {
    name,
    role: "viewer",
    hasPassword: false,
    secondFactors: [],
    settings: USER_SETTINGS,
    createdAt: isoTime(NOW),
    ...more,
  };
}

/** A passkey with a credential of its own. */
export function newPasskey(more: Partial<Passkey> = {}): Passkey {
  return {
    id: dashedKey(random),
    name: "Phone",
    credential: random(32),
    publicKey: random(77),
    counter: 0,
    createdAt: NOW,
    usedAt: null,
    ...more,
  };
}

/** A sign-in that is to wait for a code. */
export function newBegun(expiresAt = NOW + 1000): BegunSignIn {
  return { hash: newSession("").hash, expiresAt };
}

/** A session of a user under the hash of a secret of its own. */
export function newSession(user: string, more: Partial<Session> = {}): NewSession {
  const session = {
    id: dashedKey(random),
    user,
    method: "password" as const,
    agent: "Firefox",
    address: "192.0.2.1",
    createdAt: NOW,
    seenAt: NOW,
    expiresAt: null,
    ...more,
  };
  return { session, hash: Buffer.from(random(32)).toString("hex"), most: 100 };
}
