import { expect, test } from "bun:test";
import { tokenSecret } from "../../src/access/token.ts";
import { random } from "../support/records/records.ts";

test("a token is prefixed and carries 256 bits", () => {
  const secret = tokenSecret(random);
  expect(secret).toMatch(/^ff_[A-Za-z0-9_-]{43}$/);
  expect(Buffer.from(secret.slice(3), "base64url")).toHaveLength(32);
  expect(tokenSecret(random)).not.toBe(secret);
});
