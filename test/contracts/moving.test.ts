import { IS_POSTGRES_HERE } from "../support/postgres.ts";
import { archiveContract } from "./archive.ts";
import type { Driver } from "./driver.ts";
import { postgresDriver, sqliteDriver } from "./drivers.ts";
import { dumpContract } from "./dump.ts";
import { moveContract, movesContract } from "./move.ts";

function betweenContracts(from: Driver, to: Driver): void {
  dumpContract(from, to);
  moveContract(from, to);
  archiveContract(from, to);
}

const sqlite = sqliteDriver("inline");
betweenContracts(sqlite, sqlite);
movesContract(sqlite, sqlite);
if (IS_POSTGRES_HERE) {
  const postgres = postgresDriver();
  betweenContracts(postgres, postgres);
  betweenContracts(sqlite, postgres);
  betweenContracts(postgres, sqlite);
  // Each of the two is the source and the target once.
  movesContract(sqlite, postgres);
  movesContract(postgres, sqlite);
}
