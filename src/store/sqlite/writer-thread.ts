import type { Database } from "bun:sqlite";
import { commit } from "./commit.ts";
import { connect } from "./connection.ts";
import { packOutcomes, unpackBatch } from "./pack.ts";
import { close } from "./statements.ts";
import type { ToThread } from "./writer.ts";
import { type Gathering, gather } from "./writer-gathering.ts";

declare const self: Worker;

let db: Database | undefined;
let gathering: Gathering | undefined;

self.onmessage = ({ data: message }: MessageEvent<ToThread>) => {
  if (typeof message === "string" || Array.isArray(message))
    self.postMessage(packOutcomes(commit(db!, unpackBatch(message))));
  else if ("open" in message) {
    db = connect(message.open);
    if (message.memory) gathering = gather(db, message.memory);
    self.postMessage("opened");
  } else if ("join" in message) gathering!.join(message.join, message.batch);
  else {
    if (db) close(db);
    process.exit(0);
  }
};
