import { test } from "bun:test";
import { IS_POSTGRES_HERE } from "../support/postgres/postgres.ts";
import { postgresDriver } from "./drivers.ts";
import { movingContract } from "./copies/moving.ts";

if (IS_POSTGRES_HERE) {
  const postgres = postgresDriver();
  movingContract(postgres, postgres);
} else test.skip("between two databases of PostgreSQL", () => {});
