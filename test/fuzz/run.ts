import * as fc from "fast-check";
import { anyInput, keep } from "./inputs.ts";

/** Runs a check on so many inputs; the smallest that fails is kept. */
export async function run(
  check: (input: Buffer, sizes: number[]) => Promise<unknown>,
  parameters: { seed: number; numRuns: number },
): Promise<void> {
  const property = fc.asyncProperty(anyInput, async ({ input, sizes }) => void (await check(input, sizes)));
  const { counterexample, errorInstance } = await fc.check(property, parameters);
  if (!counterexample) return;
  const [{ input, sizes }] = counterexample;
  const text = JSON.stringify(input.toString("latin1"));
  throw new Error(
    `seed ${parameters.seed}, in pieces of ${sizes.join(", ")} bytes: ${text}\nkept as ${keep(input)}`,
    { cause: errorInstance },
  );
}
