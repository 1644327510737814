import type { Card } from "../../base/kinds/kinds.ts";
import { MAX_DIGEST } from "../limits.ts";
import { EVENT_FILTERS } from "./notice-types.ts";

/** The notices that a target of a project gets; each is null for a target of a form. */
export const NOTICES = {
  /** Only notices of this environment, and those of all; null for all. */
  environment: {
    kind: { is: "named", what: "an environment" },
    default: null,
    option: ["environment <environment>", "only notices of this environment (default: all)"],
  },
  /** Only these events, or families of them such as `flag.*`; null for all. */
  events: {
    kind: {
      is: "names",
      of: "events",
      most: EVENT_FILTERS.length,
      longest: 100,
      among: EVENT_FILTERS,
    },
    default: null,
    option: ["event <type...>", "only notices of these events, such as flag.* (default: all)"],
  },
  /** Seconds for which notices are gathered into one; null for each at once. */
  digest: {
    kind: { is: "seconds", least: 1, most: MAX_DIGEST },
    default: null,
    option: ["digest <time>", "collect notices for this time, 1s to 7d, and send them together"],
  },
} as const satisfies Card;
