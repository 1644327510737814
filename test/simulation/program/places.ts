import * as fc from "fast-check";
import { type Code, type Model, environmentIn } from "./model.ts";

export const project = fc.constantFrom("shop", "shop", "shop", "blog");
export const environment = fc.constantFrom("develop", "develop", "live", "live", "extra");
export const flag = fc.constantFrom("sale", "search");
export const segment = fc.constantFrom("staff", "beta");
export const confirmed = fc.boolean();

export const inPlace = (at: { project: string; environment: string }) =>
  `/projects/${at.project}/environments/${at.environment}`;
export const optionsOf = (at: { project: string; environment?: string }) => [
  "-p",
  at.project,
  ...(at.environment === undefined ? [] : ["-e", at.environment]),
];

/** What stands before every change of a place: it exists, and its lock is confirmed. */
export function barrier(
  model: Model,
  at: { project: string; environment: string },
  isConfirmed: boolean,
): Code | undefined {
  const found = environmentIn(model, at.project, at.environment);
  if (!found) return "not_found";
  return found.place.locked && !isConfirmed ? "unconfirmed" : undefined;
}
