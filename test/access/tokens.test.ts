import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { SCOPES, type Scope } from "../../src/access/scope.ts";
import { requireScope } from "../../src/access/rights.ts";
import { authenticate, createToken, revokeToken } from "../../src/access/tokens.ts";
import type { ErrorCode } from "../../src/base/errors.ts";
import { openTestApp } from "../support/app.ts";
import { OPERATOR, callerNamed } from "../support/records/caller.ts";

const app = openTestApp();
const HOUR = 3_600_000;
const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
const error = (code: ErrorCode, message = "") =>
  expect.objectContaining({ name: "AppError", code, message: expect.stringContaining(message) });

describe("a token", () => {
  test("is shown with its secret once, and an admin's unless it says otherwise", async () => {
    const created = await createToken(app, OPERATOR, { name: "plain" });
    expect(created).toEqual({
      name: "plain",
      scopes: ["admin"],
      createdAt: new Date(app.now()).toISOString(),
      expiresAt: null,
      token: expect.stringMatching(/^ff_[\w-]{43}$/),
    });
    const { token: _token, ...shown } = created;
    expect(await app.store.tokens.list()).toContainEqual(shown);
  });

  test("is found by its secret", async () => {
    const { token, ...shown } = await createToken(app, OPERATOR, { name: "found", scopes: ["read"] });
    expect(await authenticate(app, token)).toEqual({ ...shown, hash: expect.any(String) });
  });

  test("is not kept anywhere: only its SHA-256", async () => {
    const { token } = await createToken(app, OPERATOR, { name: "hashed" });
    const files = ["formflag.db", "formflag.db-wal"].map((file) =>
      readFileSync(join(app.directory, file), "latin1"),
    );
    expect(files.join()).not.toContain(token);
    expect(files.join()).toContain(new Bun.CryptoHasher("sha256").update(token).digest("hex"));
  });

  test("names each scope once", async () => {
    const { scopes } = await createToken(app, OPERATOR, {
      name: "twice",
      scopes: ["read", "flags:write", "read"],
    });
    expect(scopes).toEqual(["read", "flags:write"]);
  });

  test("is unknown with another secret, a shorter one, none, or its hash", async () => {
    const { token } = await createToken(app, OPERATOR, { name: "guessed" });
    const hash = new Bun.CryptoHasher("sha256").update(token).digest("hex");
    for (const secret of [`${token}x`, token.slice(0, -1), "", hash, token.toUpperCase()]) {
      expect(await rejection(authenticate(app, secret))).toEqual(error("unauthenticated", "not known"));
    }
  });

  test("is unknown once revoked", async () => {
    const { token } = await createToken(app, OPERATOR, { name: "revoked" });
    await revokeToken(app, OPERATOR, "revoked");
    expect(await rejection(authenticate(app, token))).toEqual(error("unauthenticated", "revoked"));
  });

  test("expires at its time, and the message says when", async () => {
    const expiresAt = new Date(app.now() + HOUR).toISOString();
    const { token } = await createToken(app, OPERATOR, { name: "brief", expiresAt });
    app.clock.now += HOUR - 1;
    expect(await authenticate(app, token)).toMatchObject({ name: "brief" });
    app.clock.now += 1;
    expect(await rejection(authenticate(app, token))).toEqual(error("unauthenticated", expiresAt));
  });

  test("must expire in the future", async () => {
    for (const time of [app.now(), app.now() - HOUR]) {
      const created = createToken(app, OPERATOR, { name: "late", expiresAt: new Date(time).toISOString() });
      expect(await rejection(created)).toEqual(error("invalid", "future"));
    }
    expect(await createToken(app, OPERATOR, { name: "late", expiresAt: null })).toMatchObject({
      expiresAt: null,
    });
  });

  test("has a name of its own", async () => {
    const { token } = await createToken(app, OPERATOR, { name: "taken" });
    expect(await rejection(createToken(app, OPERATOR, { name: "taken" }))).toEqual(
      error("conflict", "taken"),
    );
    expect(await authenticate(app, token)).toMatchObject({ name: "taken" });
  });
});

describe("scopes", () => {
  const includes: Record<Scope, Scope[]> = {
    admin: [
      "admin",
      "read",
      "flags:read",
      "flags:write",
      "flags:locked",
      "flags:evaluate",
      "flags:browser",
      "flags:sync",
      "flags:refs",
      "forms:read",
      "forms:write",
    ],
    read: ["read", "flags:read", "flags:sync", "forms:read"],
    "flags:read": ["flags:read", "flags:sync"],
    "flags:write": ["flags:read", "flags:write", "flags:sync", "flags:refs"],
    "flags:locked": ["flags:read", "flags:write", "flags:locked", "flags:sync", "flags:refs"],
    "flags:evaluate": ["flags:evaluate"],
    "flags:browser": ["flags:browser"],
    "flags:sync": ["flags:sync"],
    "flags:refs": ["flags:refs"],
    "forms:read": ["forms:read"],
    "forms:write": ["forms:read", "forms:write"],
  };
  const holding = (...scopes: Scope[]) => callerNamed("t", { scopes });

  for (const held of SCOPES) {
    test(`${held} is enough for ${includes[held].join(", ")} and nothing else`, () => {
      for (const needed of SCOPES) {
        const check = () => requireScope(holding(held), needed);
        if (includes[held].includes(needed)) check();
        else expect(check).toThrow(error("forbidden", needed));
      }
    });
  }

  test("add up", () => {
    const both = holding("flags:read", "forms:write");
    for (const needed of ["flags:read", "forms:read", "forms:write"] as const) requireScope(both, needed);
    expect(() => requireScope(both, "flags:write")).toThrow(error("forbidden"));
    expect(() => requireScope(holding(), "flags:read")).toThrow(error("forbidden"));
  });
});
