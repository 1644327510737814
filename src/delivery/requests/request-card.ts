import type { Card } from "../../base/kinds/kinds.ts";
import { MAX_TEMPLATE } from "../limits.ts";

/** The methods of a request to a webhook. */
export const METHODS = ["POST", "PUT"] as const;

/** The request that a webhook gets in place of a POST of the event as JSON. */
export const REQUEST = {
  method: {
    kind: {
      is: "choice",
      among: METHODS,
      error: `one of ${METHODS.join(", ")}`,
      labels: {},
    },
    default: "POST",
    option: ["method <method>", "method of the request"],
    label: "Method",
    suggested: "POST",
  },
  /** Lines such as `Authorization: Bearer …`, of which only the names are shown. */
  headers: {
    kind: { is: "lines" },
    default: [],
    option: [
      "header <header...>",
      "send this header too: 'Name: value', 'Name: @FILE', 'Name: -' or 'Name:'",
    ],
    meaning: "`Name: value`; a name alone keeps its value.",
    label: "Headers",
    hint: "One a line, such as Authorization: Bearer …; values are not shown again, and a name alone keeps its value",
  },
  /** A mustache template that yields JSON; null for the event. */
  body: {
    kind: { is: "area", most: MAX_TEMPLATE },
    default: null,
    isSource: true,
    option: [
      "body <template>",
      "send JSON made from this template in place of the event; @FILE reads a file",
    ],
    label: "Body",
    hint: 'A template of JSON, such as {"text": "{{data.email}}"}; empty for the event as it is',
  },
} as const satisfies Card;
