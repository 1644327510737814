import type { Token } from "../access/token.ts";
import type { App } from "../app.ts";
import { AppError } from "../base/errors.ts";
import { othersFirst } from "../base/turns.ts";
import { findGaps, missingSegments } from "../flags/flagd/gaps.ts";
import { parseRules } from "../flags/rules.ts";
import { requireChangeable } from "../projects/locks.ts";
import { type Difference, type Document, pathOf } from "./document.ts";
import { planOf } from "./plan-document.ts";
import { type Plan, type RuleCheck, fault } from "./plan.ts";
import type { SetupChange } from "./setup.ts";

/** How much of the time of others is taken at once, in milliseconds. */
const TURN_MS = 5;

/** What a document asks for, and whether it can be; nothing is changed. Throws `invalid` with the path of a fault. */
export async function planDocument(
  app: App,
  document: Document,
  prune: boolean,
): Promise<Plan & { version: number }> {
  const projects = Object.keys(document.projects ?? {});
  const setup = await app.store.setup.read(projects, document.forms !== undefined);
  const plan = planOf(app, setup, document, prune);
  await checkRules(plan.checks);
  return { ...plan, version: setup.version };
}

/**
 * Makes everything what a document says, or nothing; returns what was different. Throws `invalid` as `planDocument`
 * does, `unconfirmed` where a locked environment or what people have sent is concerned, `conflict` where somebody
 * changed something at the same moment.
 */
export async function applyDocument(
  app: App,
  caller: Token,
  document: Document,
  { prune, confirmed }: { prune: boolean; confirmed: boolean },
): Promise<Difference[]> {
  const { differences, changes, version } = await planDocument(app, document, prune);
  if (changes.length === 0) return differences;
  const doubts = [...(await lossesOf(app, changes)), ...(await locksOf(app, caller, changes))];
  if (doubts.length > 0 && !confirmed)
    throw new AppError("unconfirmed", doubts.join("; "), { hint: "add --yes to apply it all the same" });
  const by = { who: caller.name, at: app.now() };
  await app.blobs.delete(await app.store.setup.apply(changes, version, by));
  return differences;
}

/**
 * The environment that a change concerns, or without one all of the project; none where no flag there has other values:
 * a description belongs to all environments, and a new flag is off.
 */
function placesOf(change: SetupChange): { project: string; environment?: string }[] {
  if (change.change === "deleteFlag") return [{ project: change.project }];
  if (change.change === "setFlag") {
    const { description: _, ...values } = change.patch;
    if (Object.values(values).every((value) => value === undefined)) return [];
  }
  const place = "place" in change ? change.place : change;
  if (!("environment" in place) || typeof place.environment !== "string") return [];
  return [{ project: place.project, environment: place.environment }];
}

/** What a caller has to confirm because an environment is locked. Throws `forbidden` to one who may not. */
async function locksOf(app: App, caller: Token, changes: SetupChange[]): Promise<string[]> {
  const places = new Map(changes.flatMap(placesOf).map((place) => [JSON.stringify(place), place]));
  const locks = new Set<string>();
  for (const place of places.values()) {
    try {
      await requireChangeable(app, caller, place, false);
    } catch (error) {
      if (!(error instanceof AppError && error.code === "unconfirmed")) throw error;
      locks.add(error.message);
    }
  }
  return [...locks];
}

/** The environments, and the forms to which something was sent, that would be removed. */
async function lossesOf(app: App, changes: SetupChange[]): Promise<string[]> {
  const losses: string[] = [];
  for (const change of changes) {
    if (change.change === "deleteEnvironment") {
      const path = pathOf("projects", change.project, "environments", change.environment);
      losses.push(`this deletes ${path} with its flag values`);
    }
    if (change.change === "deleteForm") {
      const count = await app.store.submissions.count(change.key);
      const what = `${count} submission${count === 1 ? "" : "s"}`;
      if (count > 0) losses.push(`this deletes ${pathOf("forms", change.form)} with ${what}`);
    }
  }
  return losses;
}

/** Throws `invalid` with the path of the first rule that is none. */
async function checkRules(checks: RuleCheck[]): Promise<void> {
  if (checks.length === 0) return;
  // Only here: the library takes as long to load as all the rest of a command.
  const { checkSegment, findFault } = await import("../flags/flagd/check.ts");
  let start = performance.now();
  for (const check of checks) {
    if ("segment" in check) {
      try {
        checkSegment(check.segment);
        const [missing] = missingSegments(check.segment, check.segments);
        if (missing !== undefined) throw new AppError("invalid", `the segment "${missing}" does not exist`);
      } catch (error) {
        if (error instanceof AppError) throw fault(check.path, error.message, error.hint ?? undefined);
        throw error;
      }
    } else {
      const rules = parseRules(check.rules);
      const gaps = () => (check.isNew ? findGaps(rules, check.segments) : []);
      const found = findFault(rules, check.segments) ?? gaps()[0];
      if (found) throw fault(check.path + pointerPath(found.path), found.message);
    }
    if (performance.now() - start < TURN_MS) continue;
    await othersFirst();
    start = performance.now();
  }
}

/** A JSON pointer (RFC 6901) as the rest of a path. */
function pointerPath(pointer: string): string {
  if (pointer === "") return "";
  const steps = pointer.slice(1).split("/");
  return `.${pathOf(...steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~")))}`;
}
