import type { Database } from "bun:sqlite";
import { clock } from "../../base/clock.ts";
import { commit } from "./commit.ts";
import { connect } from "./connection.ts";
import { packOutcomes, unpackBatch } from "./pack.ts";
import { close } from "./statements.ts";
import type { ToThread } from "./writer.ts";
import { type Gathering, gather } from "./writer-gathering.ts";

declare const self: Worker;

/** How long the thread outlives its connection, in milliseconds: ending one takes longer than the rest of a stop. */
const LINGERING = 20;

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
    self.postMessage("closed");
    clock.after(LINGERING, () => process.exit(0));
  }
};
