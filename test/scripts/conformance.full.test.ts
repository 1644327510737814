import { join } from "node:path";
import { expect, test } from "bun:test";

const ROOT = join(import.meta.dir, "../..");

test("the providers of OpenFeature pass the scenarios of this repository", async () => {
  const child = Bun.spawn([process.execPath, "scripts/conformance/main.ts"], {
    cwd: ROOT,
    stdout: "pipe",
    stderr: "ignore",
  });
  const lines = (await new Response(child.stdout).text()).trim().split("\n");
  expect(lines.filter((line) => line.startsWith("✗"))).toEqual([]);
  expect(lines.filter((line) => line.startsWith("✓")).length).toBeGreaterThan(70);
  expect(await child.exited).toBe(0);
}, 300_000);
