import { archiveContract } from "./archive.ts";
import type { Driver } from "../driver.ts";
import { dumpContract } from "./dump.ts";
import { moveContract } from "./move.ts";

/** What leads from one store to another: dumps, moves and backups. */
export function movingContract(from: Driver, to: Driver): void {
  dumpContract(from, to);
  moveContract(from, to);
  archiveContract(from, to);
}
