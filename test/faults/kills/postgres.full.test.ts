import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { formflag } from "../../support/commands.ts";
import { databaseOf, execute, freshDatabase, IS_POSTGRES_HERE } from "../../support/postgres/postgres.ts";
import { openTap } from "../../support/postgres/tap.ts";
import { DISK, tempDirectory } from "../../support/temp.ts";
import { seededRandom } from "../load.ts";
import type { Killer } from "./house.ts";
import { KILLS_MS, KILLS_SEED, NETWORK, tryKills } from "./trial.ts";

/** How often a server is killed at the same statement of the same transaction. */
const TIMES = 2;

/** Kills in each thing that is done. A long run also kills the server that begins it again. */
const AT_MOST = KILLS_MS > 1000 ? 3 : 1;

/** What no transaction undoes is worth a kill. */
const WRITES = /\b(?:INSERT|UPDATE|DELETE)\b/;

/**
 * Kills servers at statements that write, and at those of their transactions: before PostgreSQL gets one, or before the server
 * gets the answer. There are few in each thing that is done, at moments that the seed chooses.
 */
async function openKiller(port: number, count: number, seed: number) {
  const random = seededRandom(seed);
  const chosen = new Map<string, number>();
  const pids = new Map<number, number>();
  /** Kills that what is done may still have. */
  let left = 0;
  const taps = await Promise.all(
    Array.from({ length: count }, (_, server) =>
      openTap(port, ({ text, before, isAnswered }) => {
        const pid = pids.get(server);
        if (left === 0 || pid === undefined) return false;
        if (before === null ? !WRITES.test(text) : (before[0] ?? text).endsWith("READ ONLY")) return false;
        const key = `${before?.join(";") ?? ""}|${text}|${isAnswered}`;
        const times = chosen.get(key) ?? 0;
        if (times === TIMES || random.below(4) > 0) return false;
        chosen.set(key, times + 1);
        left -= 1;
        pids.delete(server);
        process.kill(pid, "SIGKILL");
        return true;
      }),
    ),
  );
  for (const tap of taps) afterAll(tap.close);
  const killer: Killer = {
    spawned: (server, pid) => void pids.set(server, pid),
    ended: (server) => void pids.delete(server),
    during: (what) => void (left = what === null ? 0 : AT_MOST),
  };
  return { killer, taps };
}

for (const count of [1, 2])
  test.skipIf(!IS_POSTGRES_HERE)(
    `${count === 1 ? "a server" : "one of two servers"} killed at any statement on PostgreSQL makes no second step, notice or count`,
    async () => {
      const url = await freshDatabase();
      const database = databaseOf(url);
      const { killer, taps } = await openKiller(Number(new URL(url).port), count, KILLS_SEED);
      const env = { FORMFLAG_DATABASE_URL: url, ...NETWORK };
      const data = tempDirectory(DISK);
      const run = (...args: string[]) => formflag([...args], { env, cwd: data });
      const kills = await tryKills({
        commands: {
          run,
          async json<T>(...args: string[]): Promise<T> {
            const { code, stdout, stderr } = await run(...args, "--json");
            if (code !== 0) throw new Error(`formflag ${args.join(" ")} exited ${code}: ${stderr}`);
            return JSON.parse(stdout) as T;
          },
        },
        data,
        count,
        killer,
        envOf: (server) => ({
          ...NETWORK,
          FORMFLAG_DATABASE_URL: `postgres://postgres@127.0.0.1:${taps[server]!.port}/${database}?sslmode=disable`,
        }),
        release: async () =>
          void (await execute(
            "UPDATE deliveries SET due_at = 0 WHERE id IN (SELECT id FROM deliveries WHERE status = 0 FOR UPDATE SKIP LOCKED)",
            { database },
          )),
        async copy() {
          const archive = join(tempDirectory(DISK), "copy.tar");
          const restored = join(tempDirectory(DISK), "data");
          for (const each of [
            await run("backup", "create", "-o", archive),
            await formflag(["backup", "restore", archive, "--data", restored]),
          ])
            expect(each).toMatchObject({ code: 0 });
          return restored;
        },
      });
      expect(kills).toBeGreaterThan(0);
    },
    KILLS_MS + 600_000,
  );
