import { sqliteDriver } from "./drivers.ts";
import { movesContract } from "./move.ts";
import { movingContract } from "./moving.ts";
import { storeContract } from "./store.ts";

const sqlite = sqliteDriver("inline");
storeContract(sqlite);
movingContract(sqlite, sqlite);
movesContract(sqlite, sqlite);
