import type { PlantedFault } from "./fault.ts";

/** Faults that show where a process ends between two statements on PostgreSQL. */
export const KILL_FAULTS: PlantedFault[] = [
  {
    name: "what is stored and counted on PostgreSQL is no transaction",
    file: "src/store/postgres/run.ts",
    from: 'write: (work) => inTransaction("ISOLATION LEVEL READ COMMITTED", work),',
    to: 'write: (work) => repeated(() => runWork(inPool("reads"), work())),',
    test: "kills",
  },
  {
    name: "a change with its notices on PostgreSQL is no transaction",
    file: "src/store/postgres/run.ts",
    from: 'writeSetup: (work) => inTransaction("ISOLATION LEVEL READ COMMITTED", work, LOCK_SETUP),',
    to: 'writeSetup: (work) => repeated(() => runWork(inPool("reads"), work())),',
    test: "kills",
  },
];
