import { sqliteDriver } from "./drivers.ts";
import { storeContract } from "./store.ts";

const sqlite = sqliteDriver("inline");
storeContract(sqlite);
