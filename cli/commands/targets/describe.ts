import type { TargetView } from "../../../src/delivery/target.ts";
import { details } from "../../output/text.ts";

/** A target with its masked URL, for a person. */
export function describeTarget(target: TargetView): string {
  return details([
    ["target", target.id],
    ["form", target.form],
    ["sends to", target.target],
    ["state", stateOf(target)],
    ["created", target.createdAt],
    ["updated", target.updatedAt],
  ]);
}

export function stateOf({ enabled }: TargetView): string {
  return enabled ? "enabled" : "disabled";
}
