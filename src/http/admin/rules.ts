import type { App } from "../../app.ts";
import type { FlagPatch } from "../../flags.ts";
import { applyRules, changesRules, parseRules } from "../../rules.ts";
import type { FlagPlace } from "../../store.ts";

/**
 * Looks at the rules that a change would leave a flag with, where it changes them. Throws `invalid` for what flagd's
 * schema does not know or cannot be evaluated here, `not_found` for the environment.
 */
export async function checkFlagRules(app: App, place: FlagPlace, patch: FlagPatch): Promise<void> {
  if (!changesRules(patch)) return;
  const current = await app.store.flags.find(place);
  const rules = applyRules(current?.rules ?? null, patch);
  if (rules === null) return;
  // Only here: the library takes as long to load as all the rest of a command.
  const { checkRules } = await import("../../flagd/check.ts");
  const segments = await app.store.segments.list(place.project, place.environment);
  checkRules(parseRules(rules), new Map(segments.map(({ name, rule }) => [name, JSON.parse(rule)])));
}

/** Throws `invalid` for a rule that could be no segment. */
export async function checkSegmentRule(rule: unknown): Promise<void> {
  const { checkSegment } = await import("../../flagd/check.ts");
  checkSegment(rule);
}
