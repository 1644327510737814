import { describe, expect, test } from "bun:test";
import { openChecks } from "./checks.ts";
import { run } from "./run.ts";

/** `npm run fuzz` sets more. */
const seconds = Number(process.env["FORMFLAG_FUZZ_SECONDS"] || 20);

/** Inputs between two looks at the clock. */
const ROUND = 200;

const check = await openChecks();

describe("every request is answered once, and is stored or refused, never both:", () => {
  test(
    `changes to these, for ${seconds} seconds`,
    async () => {
      const end = performance.now() + seconds * 1000;
      let count = 0;
      for (; performance.now() < end; count += ROUND)
        await run(check, { seed: Math.floor(Math.random() * 2 ** 31), numRuns: ROUND });
      const megabytes = Math.round(process.memoryUsage.rss() / 2 ** 20);
      await Bun.write(Bun.stderr, `${count} inputs, ${Math.round(count / seconds)}/s, ${megabytes} MB\n`);
      expect(count).toBeGreaterThan(0);
    },
    (seconds + 60) * 1000,
  );
});
