import { constants, setPriority } from "node:os";

/** Gives a process, by default this one, a lower priority than that of a server. */
export function lowerPriority(pid = 0): void {
  // Work under a sandbox that refuses this is done all the same, and so is that of a process that has ended already.
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {}
}
