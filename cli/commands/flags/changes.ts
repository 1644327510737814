import { history as operations } from "../../../src/operations/history.ts";
import type { Client } from "../../session/client.ts";
import { listAll } from "../../session/pages.ts";
import type { Place } from "./place.ts";

/** The newest changes of a flag in an environment, 20 at most, newest first. */
export async function changesOf(client: Client, { project, environment, flag }: Place) {
  const changes = await listAll(client, operations.ofFlag, {
    names: { project, flag },
    query: { environment },
    cursor: "before",
    limit: 20,
  });
  // Failures of scheduled changes, and ramps, which changed nothing, are listed too.
  return changes.filter(({ kind }) => kind === "flag");
}
