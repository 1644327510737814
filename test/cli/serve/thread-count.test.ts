import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { threadCount, threadsValue, usableCores } from "../../../cli/serve/threads/count.ts";
import { tempDirectory } from "../../support/temp.ts";

const INVALID = expect.objectContaining({ name: "AppError", code: "invalid" });

/** Control groups with these files. */
function groups(files: Record<string, string>): string {
  const root = tempDirectory();
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(root, file, ".."), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}

describe("the number of threads", () => {
  test.each(["0", "65", "-1", "1.5", "many", "", "1e1"])("cannot be %p", (text) => {
    expect(() => threadsValue(text)).toThrow(INVALID);
  });

  test.each([
    [1, 1],
    [2, 1],
    [2.5, 2],
    [3, 2],
    [4, 3],
    [9, 8],
    [64, 8],
  ])("is with %p cores by itself %p", (cores, threads) => {
    expect(threadCount({ threads: "auto" }, cores)).toBe(threads);
  });
});

describe("the cores of a container", () => {
  test("are those of its quota, of either version and of every group above", () => {
    const v2 = groups({
      "cpu.max": "max 100000\n",
      "pod/cpu.max": "50000 100000\n",
      "pod/one/cpu.max": "max 100000\n",
    });
    expect(usableCores(v2, "0::/pod/one\n")).toBe(0.5);
    const v1 = groups({
      "cpu/cpu.cfs_quota_us": "-1\n",
      "cpu/pod/cpu.cfs_quota_us": "20000\n",
      "cpu/pod/cpu.cfs_period_us": "80000\n",
    });
    expect(usableCores(v1, "3:cpu,cpuacct:/pod\n0::/\n")).toBe(0.25);
  });

  test("are all of the machine without a quota", () => {
    expect(usableCores(groups({}), "")).toBe(usableCores(groups({}), "0::/\n"));
  });
});
