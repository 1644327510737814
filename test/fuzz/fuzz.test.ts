import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { check } from "./checks.ts";
import { anyInput, corpus, keep } from "./inputs.ts";

/** `npm run fuzz` sets it; without it a short run takes the same inputs each time. */
const seconds = Number(process.env["FORMFLAG_FUZZ_SECONDS"] ?? 0);
const SHORT = { seed: 20_260_102, numRuns: 600 };

const property = fc.asyncProperty(anyInput, async ({ input, sizes }) => void (await check(input, sizes)));

/** Runs so many inputs; the smallest that fails is kept. */
async function run(parameters: { seed: number; numRuns: number }): Promise<void> {
  const { counterexample, errorInstance } = await fc.check(property, parameters);
  if (!counterexample) return;
  const [{ input, sizes }] = counterexample;
  const text = JSON.stringify(input.toString("latin1"));
  throw new Error(
    `seed ${parameters.seed}, in pieces of ${sizes.join(", ")} bytes: ${text}\nkept as ${keep(input)}`,
    { cause: errorInstance },
  );
}

describe("every request is answered once, and is stored or refused, never both:", () => {
  test.each([...corpus.keys()])("%s, however its body is cut", async (name) => {
    for (const sizes of [[1], [2, 5], [64]]) {
      const outcome = await check(corpus.get(name)!, sizes);
      if (name.startsWith("regression-")) continue;
      const isRefused = outcome!.status >= 400 || (outcome!.status === 303 && outcome!.stored === null);
      expect(isRefused).toBe(name.startsWith("refused-"));
    }
  });

  test.if(seconds === 0)("changes to these", () => run(SHORT), 60_000);

  test.if(seconds > 0)(
    `changes to these, for ${seconds} seconds`,
    async () => {
      const end = performance.now() + seconds * 1000;
      let count = 0;
      for (; performance.now() < end; count += SHORT.numRuns) {
        await run({ seed: Math.floor(Math.random() * 2 ** 31), numRuns: SHORT.numRuns });
      }
      const megabytes = Math.round(process.memoryUsage.rss() / 2 ** 20);
      await Bun.write(Bun.stderr, `${count} inputs, ${Math.round(count / seconds)}/s, ${megabytes} MB\n`);
      expect(count).toBeGreaterThan(0);
    },
    (seconds + 60) * 1000,
  );
});
