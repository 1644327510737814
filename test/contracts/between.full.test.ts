import { test } from "bun:test";
import { IS_POSTGRES_HERE } from "../support/postgres/postgres.ts";
import { postgresDriver, sqliteDriver } from "./drivers.ts";
import { movesContract } from "./copies/move.ts";
import { movingContract } from "./copies/moving.ts";

const sqlite = sqliteDriver("inline");
movingContract(sqlite, sqlite);
movesContract(sqlite, sqlite);
if (IS_POSTGRES_HERE) {
  const postgres = postgresDriver();
  // Each of the two is the source and the target once.
  for (const [from, to] of [
    [sqlite, postgres],
    [postgres, sqlite],
  ] as const) {
    movingContract(from, to);
    movesContract(from, to);
  }
} else test.skip("between SQLite and PostgreSQL", () => {});
