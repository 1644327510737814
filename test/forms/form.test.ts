import { expect, test } from "bun:test";
import { formKey } from "../../src/forms/form.ts";
import { CEILING_FILES, DEFAULT_MAX_FILES, DEFAULT_MAX_FILE_SIZE } from "../../src/forms/limits.ts";
import { random } from "../support/records/records.ts";

test("a form key is 24 characters that an address takes as they are", () => {
  const keys = Array.from({ length: 500 }, () => formKey(random));
  for (const key of keys) expect(key).toMatch(/^[a-z0-9]{24}$/);
  expect(new Set(keys).size).toBe(keys.length);
});

test("a form takes 5 files of 1,048,576 bytes unless it says otherwise", () => {
  expect(DEFAULT_MAX_FILE_SIZE).toBe(1_048_576);
  expect(DEFAULT_MAX_FILES).toBe(5);
  expect(CEILING_FILES).toBeGreaterThanOrEqual(DEFAULT_MAX_FILES);
});
