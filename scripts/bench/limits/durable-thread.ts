import { Database } from "bun:sqlite";

declare const self: Worker;

let db: Database;

self.onmessage = ({ data }: MessageEvent<string | [string, string][]>) => {
  if (typeof data === "string") {
    db = new Database(data, { create: true });
    db.run("PRAGMA journal_mode = WAL");
    db.run("PRAGMA synchronous = FULL");
    db.run("CREATE TABLE rows (id TEXT PRIMARY KEY, data TEXT)");
    return;
  }
  const insert = db.query("INSERT INTO rows VALUES (?, ?)");
  db.run("BEGIN IMMEDIATE");
  for (const row of data) insert.run(...row);
  db.run("COMMIT");
  self.postMessage(null);
};
