import type { Database } from "bun:sqlite";
import { commit } from "./commit.ts";
import { connect } from "./connection.ts";
import { close } from "./statements.ts";
import type { ToThread } from "./writer.ts";

declare const self: Worker;

let db: Database | undefined;

self.onmessage = ({ data: message }: MessageEvent<ToThread>) => {
  if ("open" in message) {
    db = connect(message.open, { create: false });
    self.postMessage("opened");
  } else if ("batch" in message) self.postMessage(JSON.stringify(commit(db!, message.batch)));
  else {
    if (db) close(db);
    process.exit(0);
  }
};
