import { expect, test } from "bun:test";
import { join } from "node:path";
import { PLANTED_FAULTS } from "../planted-faults.ts";
import { outdatedIn } from "./fault.ts";

const ROOT = join(import.meta.dir, "../../..");

test("each planted fault changes text that is in the product exactly once", () => {
  expect(PLANTED_FAULTS.flatMap((fault) => outdatedIn(ROOT, fault))).toEqual([]);
});

test("a planted fault whose text or file is no longer in the product is outdated", () => {
  const fault = { name: "gone", test: "world", to: "", from: "no such text" } as const;
  for (const file of ["src/app.ts", "src/no-such-file.ts"])
    expect(outdatedIn(ROOT, { ...fault, file })).toEqual([`"gone" replaces what is 0 times in ${file}`]);
});
