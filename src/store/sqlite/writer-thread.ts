import type { Database } from "bun:sqlite";
import { commit } from "./commit.ts";
import { connect } from "./connection.ts";
import { packOutcomes, unpackBatch } from "./pack.ts";
import { close } from "./statements.ts";
import type { ToThread } from "./writer.ts";

declare const self: Worker;

let db: Database | undefined;

self.onmessage = ({ data: message }: MessageEvent<ToThread>) => {
  if (typeof message === "string" || Array.isArray(message))
    self.postMessage(packOutcomes(commit(db!, unpackBatch(message))));
  else if ("open" in message) {
    db = connect(message.open);
    self.postMessage("opened");
  } else {
    if (db) close(db);
    process.exit(0);
  }
};
