import { expect, test } from "bun:test";
import { AppError } from "../../src/base/errors.ts";
import { clock } from "../../src/base/clock.ts";
import { codeOf } from "../support/refusals.ts";
import { streamOf } from "../../src/http/exports.ts";

test("an export ends with the right of its caller, which is no bug", async () => {
  let isAllowed = true;
  let isClosed = false;
  const reported: unknown[] = [];
  const chunks = async function* () {
    try {
      for (;;) {
        await clock.sleep(20);
        yield "row\n";
      }
    } finally {
      isClosed = true;
    }
  };
  const verify = async () => {
    if (!isAllowed) throw new AppError("forbidden", "your rights were changed");
  };
  const reader = streamOf(chunks(), (error) => void reported.push(error), { verify }).getReader();
  expect((await reader.read()).done).toBe(false);
  isAllowed = false;
  const rest = async () => {
    while (!(await reader.read()).done);
  };
  expect(await codeOf(rest())).toBe("forbidden");
  expect([isClosed, reported]).toEqual([true, []]);
});
