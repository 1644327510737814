import type { PlantedFault } from "./fault.ts";

/** Faults of a server that follows another one. */
export const RELAY_FAULTS: PlantedFault[] = [
  {
    name: "a change shows before it is synced",
    test: "relay",
    file: "src/following/relay/journal.ts",
    from: "await handle.datasync();",
    to: "",
  },
  {
    name: "a change shows before it is in the journal",
    test: "relay",
    file: "src/following/relay/relay.ts",
    from: "await this.#journal.add(",
    to: "void this.#journal.add(",
  },
  {
    name: "a server that is behind takes a change back",
    test: "relay",
    file: "src/following/relay/relay.ts",
    from: "if (draft.isWhole) this.#refuseEarlier(state);",
    to: "",
  },
  {
    name: "a relay goes on answering once its token is revoked",
    test: "relay",
    file: "src/following/relay/link.ts",
    from: "if (hasCode(error, REFUSALS)) await relay.empty();",
    to: "",
  },
  {
    name: "a stream goes on once its token is revoked",
    test: "relay",
    file: "src/following/following.ts",
    from: "await verify();",
    to: "",
  },
  {
    name: "what is counted is not synced",
    test: "relay",
    file: "src/following/relay/spool.ts",
    from: "await handle.datasync();",
    to: "",
  },
  {
    name: "a line that a crash has cut off is sent",
    test: "relay",
    file: "src/following/relay/spool.ts",
    from: 'return text.slice(0, text.lastIndexOf("\\n") + 1);',
    to: "return text;",
  },
  {
    name: "the id of a batch is ignored",
    test: "relay",
    file: "src/following/batches.ts",
    from: "await app.store.tallies.add(tallies, key);",
    to: "await app.store.tallies.add(tallies);",
  },
];
