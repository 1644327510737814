import { sqliteDriver } from "./drivers.ts";
import { movesContract } from "./copies/move.ts";
import { movingContract } from "./copies/moving.ts";
import { storeContract } from "./store.ts";

const sqlite = sqliteDriver("inline");
storeContract(sqlite);
movingContract(sqlite, sqlite);
movesContract(sqlite, sqlite);
