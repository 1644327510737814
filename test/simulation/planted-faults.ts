import { ARCHIVE_FAULTS } from "./planted/archives.ts";
import { EXPERIMENT_FAULTS } from "./planted/experiments.ts";
import { FLAG_FAULTS } from "./planted/flags.ts";
import { FORM_FAULTS } from "./planted/forms.ts";
import { HISTORY_FAULTS } from "./planted/histories.ts";
import { KILL_FAULTS } from "./planted/kills.ts";
import { RELAY_FAULTS } from "./planted/relays.ts";
import { ROLLOUT_FAULTS } from "./planted/rollouts.ts";
import { STATEMENT_FAULTS } from "./planted/statements.ts";

/** Faults that no single request notices: what is promised is broken once something else goes wrong. */
export const PLANTED_FAULTS = [
  ...FORM_FAULTS,
  ...FLAG_FAULTS,
  ...ROLLOUT_FAULTS,
  ...EXPERIMENT_FAULTS,
  ...STATEMENT_FAULTS,
  ...HISTORY_FAULTS,
  ...KILL_FAULTS,
  ...RELAY_FAULTS,
  ...ARCHIVE_FAULTS,
];
