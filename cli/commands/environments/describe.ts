import type { Environment } from "../../../src/projects/environment.ts";
import { details } from "../../output/text.ts";

/** An environment with its key, for a person. */
export function describeEnvironment({ slug, name, key, locked, color }: Environment): string {
  return details([
    ["environment", slug],
    ["name", name],
    ["x-environment-key", key],
    ...(locked ? [["locked", "yes"] as [string, string]] : []),
    // A server of an earlier version sends none.
    ...(color == null ? [] : [["color", color] as [string, string]]),
  ]);
}
