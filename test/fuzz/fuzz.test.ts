import { describe, expect, test } from "bun:test";
import { openChecks } from "./checks.ts";
import { corpus } from "./inputs.ts";
import { run } from "./run.ts";

const check = await openChecks();

describe("every request is answered once, and is stored or refused, never both:", () => {
  test.each([...corpus.keys()])("%s, however its body is cut", async (name) => {
    for (const sizes of [[1], [2, 5], [64]]) {
      const outcome = await check(corpus.get(name)!, sizes);
      if (name.startsWith("regression-")) continue;
      const isRefused = outcome!.status >= 400 || (outcome!.status === 303 && outcome!.stored === null);
      expect(isRefused).toBe(name.startsWith("refused-"));
    }
  });

  // The same inputs each time.
  test("changes to these", () => run(check, { seed: 20_260_102, numRuns: 250 }), 60_000);
});
