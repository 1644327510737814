import { test } from "bun:test";
import { IS_POSTGRES_HERE } from "../support/postgres/postgres.ts";
import { postgresDriver } from "./drivers.ts";
import { storeContract } from "./store.ts";

if (IS_POSTGRES_HERE) storeContract(postgresDriver());
else test.skip("a store on PostgreSQL", () => {});
