import { describe, expect, test } from "bun:test";
import { answer, HOW, openShop, sameIn, WHO } from "./releasing.ts";

const { run, at, stateOf, place } = await openShop();

describe("a release at a terminal does what it says, and so does the command that it prints", () => {
  const flagsOf = {
    plain: [],
    ruled: ["--on", "--if", "plan == pro", "--then", "off"],
    coloured: ["--on", "--variants", '{"red":"#f00","blue":"#00f","green":"#0f0"}', "--default", "red"],
  };

  for (const who of ["everyone", "share", "segment", "rule"] as const)
    for (const how of ["now", "at", "while", "steps", "test"] as const) {
      // An experiment compares everyone, or a share.
      if (how === "test" && (who === "segment" || who === "rule")) continue;
      test(`for ${who}, ${how}`, async () => {
        const tries = Object.entries(flagsOf).map(async ([kind, options]) => {
          const flag = `${kind}-${who}-${how}`;
          for (const each of [flag, `${flag}-2`]) await run("flags", "set", each, ...place, ...options);
          const before = await stateOf(flag);
          const { answers, ask } = HOW[how];
          const guarded = [
            ...(who === "segment" || who === "rule"
              ? [["Who gets the steps after the first?", "everyone\r"] as const]
              : []),
            ["Stop if?", "\r"] as const,
            ["When a guard fires?", "go back\r"] as const,
          ];
          const { code, screen } = await answer(at(flag), [
            ...(kind === "coloured" ? [["Which variant?", "blue\r"] as const] : []),
            ...WHO[who],
            ...answers,
            ...(how === "steps" ? guarded : []),
            [ask, "y\r"],
          ]);
          expect({ code, screen: code === 0 || screen }).toEqual({ code: 0, screen: true });
          const same = sameIn(screen).map((word) => (word.startsWith(flag) ? `${word}-2` : word));
          const { code: again, stderr } = await run(...same);
          expect({ again, stderr: again === 0 || stderr }).toEqual({ again: 0, stderr: true });
          const state = await stateOf(flag);
          expect(await stateOf(`${flag}-2`)).toEqual(state);
          expect(state).not.toEqual(before);
        });
        await Promise.all(tries);
      });
    }
});
