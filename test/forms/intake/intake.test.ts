import { expect, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import { viewForm } from "../../../src/forms/form.ts";
import { loadRules } from "../../../src/forms/intake/intake.ts";
import { openTestApp } from "../../support/app.ts";
import { formRecord } from "../../support/records/records.ts";

test("a schema that cannot be compiled any more is a bug, since the sender did not write it", async () => {
  const form = viewForm(formRecord("contact", { schema: { $ref: "#/nowhere" } }));
  const error = await loadRules(openTestApp(), form).then(
    () => null,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(AppError);
});
