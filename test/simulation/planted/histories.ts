import type { PlantedFault } from "./fault.ts";

/** Faults that readers of several servers notice, and only while a change is on its way. */
export const HISTORY_FAULTS: PlantedFault[] = [
  {
    name: "servers trust a version for two seconds",
    file: "src/base/watch-shared.ts",
    from: "  const { staleness } = store;\n",
    to: "  const staleness = 2000;\n",
    test: "histories",
  },
  {
    name: "a change is answered before other servers have stopped trusting",
    file: "src/store/postgres/store.ts",
    from: "    await clock.sleep(staleness + 1);\n",
    to: "",
    test: "histories",
  },
];
