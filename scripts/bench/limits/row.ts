import { Database } from "bun:sqlite";

/** The least that a command on a database can do: opens it and commits one row. */
const db = new Database(process.argv[2], { create: true });
db.run("PRAGMA journal_mode = WAL");
db.run("PRAGMA synchronous = FULL");
db.run("CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, data TEXT)");
db.query("INSERT INTO rows (data) VALUES (?)").run("x");
db.close();
