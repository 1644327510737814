import { sqliteDriver } from "./drivers.ts";
import { storeContract } from "./store.ts";

storeContract(sqliteDriver("thread"));
