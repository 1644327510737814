import { type Card, EXPIRES_AT } from "../base/kinds/kinds.ts";
import { SCOPES } from "./scope.ts";

/** The fields of a new token. */
export const TOKEN = {
  name: {
    kind: { is: "named", what: "a token" },
    required: true,
    option: ["[name]", "name of the new token"],
    label: "Name",
    hint: "Of the program or person, such as pipeline",
  },
  scopes: {
    kind: { is: "names", of: "scopes", most: 100, longest: 100, among: SCOPES },
    option: ["scope <scope...>", `scopes of the token: ${SCOPES.join(", ")} (default: admin)`],
  },
  /** Restricts the token to a project, or to one environment of it. */
  project: {
    kind: { is: "named", what: "a project" },
    option: ["project <project>", "limit it to this project"],
  },
  environment: {
    kind: { is: "named", what: "an environment" },
    option: ["environment <environment>", "limit it to this environment of the project"],
  },
  expiresAt: { ...EXPIRES_AT, suggested: "90d" },
  /** The origins of pages that may use a token of the scope flags:browser; without them, any. */
  allowedOrigins: {
    kind: { is: "origins" },
    option: [
      "allow-origin <url...>",
      "with the scope flags:browser: a website whose pages may use it (default: any)",
    ],
    label: "Websites",
    hint: "Of a browser key, such as https://shop.example.com, one a line; empty for any",
    control: "origins",
  },
} as const satisfies Card;
