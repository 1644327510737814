import { test } from "bun:test";
import { IS_POSTGRES_HERE } from "../support/postgres/postgres.ts";
import { remoteDriver } from "./drivers.ts";
import { storeContract } from "./store.ts";

if (IS_POSTGRES_HERE) storeContract(remoteDriver());
else test.skip("a store on PostgreSQL, from another thread", () => {});
