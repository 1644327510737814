import { expect, test } from "bun:test";
import { AppError } from "../../src/base/errors.ts";
import { failureOf, resultOf } from "../../src/store/outcome.ts";

/** The error of a call in another thread, as the caller gets it. */
async function received(error: Error): Promise<Error> {
  return resultOf(structuredClone(failureOf(error))) as Promise<Error>;
}

test("an error keeps its cause for the log on its way from another thread", async () => {
  const cause = new Error("disk I/O error");
  const unavailable = new AppError("unavailable", "the database failed", { cause });
  expect(await received(unavailable).catch((error: unknown) => error)).toMatchObject({
    message: "the database failed",
    cause: "Error: disk I/O error",
  });
  const bug = await received(new TypeError("of a writer", { cause })).catch((error: unknown) => error);
  expect((bug as Error).message).toMatch(/^TypeError: of a writer\n[^]*\ncaused by Error: disk I\/O error\n/);
});
