import type { Card } from "../base/kinds/kinds.ts";
import { APPROVE_WITH, MAX_APPROVALS } from "./approval.ts";

/** Colours of environments. Pages show each with the name of its environment, never alone. */
export const COLORS = ["gray", "red", "orange", "yellow", "green", "blue", "purple", "pink"] as const;

export type Color = (typeof COLORS)[number];

/** The colour of a project's pages, as it is stored. */
export const ACCENT = /^#[0-9a-f]{6}$/;

/** The fields of a new environment. */
export const LOOKS = {
  name: {
    kind: { is: "name" },
    option: ["name <name>", "name for people"],
    label: "Name",
    hint: "What people read; the slug where it is empty.",
  },
  color: {
    kind: {
      is: "choice",
      among: COLORS,
      error: `one of ${COLORS.join(", ")}, or null`,
      labels: { "": "none" },
    },
    default: null,
    option: ["color <color>", "its colour on the dashboard"],
    label: "Color",
  },
} as const satisfies Card;

/** The fields of an environment that can be changed, but for its lock. */
export const ENVIRONMENT = {
  ...LOOKS,
  /** Approvals that a change of its flags needs; 0 for none. */
  approvals: {
    kind: { is: "count", least: 0, most: MAX_APPROVALS },
    option: ["approvals <n>", "number of people who must approve a change of its flags, from 0 to 5"],
    label: "Approvals of a change",
  },
  /** The second factor that each approval is given with, asked for at the approval itself; null for none. */
  approveWith: {
    kind: {
      is: "choice",
      among: APPROVE_WITH,
      error: "passkey, totp, any, or null",
      labels: {
        "": "nothing more",
        any: "a passkey or a code of an authenticator app",
        totp: "a code of an authenticator app",
        passkey: "a passkey",
      },
    },
    default: null,
    option: ["approve-with <factor>", "second factor that each approval is given with"],
    label: "To approve takes",
    hint: "Asked for at the approval itself.",
  },
  /** The place among the environments of a project, from 1 on; a number beyond them is the last. */
  position: {
    kind: { is: "count", least: 1, most: 10_000 },
    option: ["position <n>", "its position among the environments of the project, from 1"],
    label: "Position",
  },
} as const satisfies Card;
