import { join } from "node:path";
import { compare } from "./compare.ts";
import type { Rounds, Show } from "./figure.ts";
import { createProject, startFormflag, startLimit } from "./formflag.ts";
import { applyPatch } from "../../src/flags/flag.ts";
import { putFlag } from "../../src/flags/plan.ts";

const FLAGS = 50;
const ALL = "/ofrep/v1/evaluate/flags";

/** Half are by a condition, half by shares; all fall back to a default. */
const definition = (index: number) => ({
  variants: { red: "#f00", blue: "#00f" },
  defaultVariant: "red",
  targeting:
    index % 2 === 0
      ? { if: [{ ends_with: [{ var: "email" }, "@example.com"] }, "blue", "red"] }
      : {
          fractional: [
            ["blue", 25],
            ["red", 75],
          ],
        },
});

/** Evaluations against a handler that calls flagd's own library on the same flags. */
export async function measureOfrep(directory: string, rounds: Rounds, show: Show): Promise<void> {
  const data = join(directory, "ofrep");
  const server = await startFormflag(data);
  const [keys = {}] = await createProject(data, "bench");
  const names = Array.from({ length: FLAGS }, (_, index) => `flag-${index}`);
  const { openSqliteStore } = await import("../../src/store/sqlite/store.ts");
  const store = openSqliteStore(join(data, "formflag.db"), "thread");
  const now = Date.now();
  const changes = names.map((flag, index) => {
    const { record } = applyPatch(flag, undefined, { enabled: true, ...definition(index) }, now);
    return putFlag({ project: "bench", environment: "bench", flag }, undefined, record);
  });
  await store.apply(changes, await store.version(), { who: "bench", at: now });
  await store.close();
  const flags = Object.fromEntries(
    names.map((name, index) => [name, { state: "ENABLED", ...definition(index) }]),
  );
  const file = join(directory, "flagd.json");
  await Bun.write(file, JSON.stringify({ flags }));
  const bare = await startLimit("ofrep", [file]);

  const body = JSON.stringify({ context: { targetingKey: "user-4711", email: "ann@example.com" } });
  const headers = { ...keys, "content-type": "application/json" };
  const common = { part: "ofrep", connections: 32, directory, goal: "≥ 0.80" };
  for (const [name, path] of [
    ["one flag evaluated, to a handler that calls flagd's library", `${ALL}/flag-0`],
    [`${FLAGS} flags evaluated, to the same`, ALL],
  ] as const) {
    const request = { path, method: "POST" as const, headers, body };
    show(await compare({ server, request }, { server: bare, request }, { ...common, name }, rounds));
  }
  await bare.stop();
  await server.stop();
}
