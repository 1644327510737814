import { DAY_MS } from "../base/days.ts";
import { KiB, formatBytes } from "../base/bytes.ts";
import { lossesOfPeriods } from "../forms/keeping/keeping.ts";
import { formPathOf, pathOf } from "./document.ts";
import type { DocumentPlan, FormCheck } from "./plan.ts";
import type { Setup, SetupChange } from "./setup.ts";
import type { DocumentsApp } from "./store.ts";

/** Deletions that need no confirmation, where nothing of value is among them. */
const FEW = 3;

/** A flag that was read within this time is in use, in milliseconds. */
const IN_USE_MS = 7 * DAY_MS;

/** Names in one message. */
const NAMED = 5;

/** The noun under which each deletion is counted. */
const KINDS: Partial<Record<SetupChange["change"], string>> = {
  deleteFlag: "flag",
  deleteSegment: "segment",
  deleteEnvironment: "environment",
  deleteForm: "form",
};

/**
 * Deletions of a plan that need confirmation, as messages: flags in use, every flag of a project, environments, forms
 * with submissions, submissions beyond a shorter retention, and more than a few things at once.
 */
export async function lossesOf(
  app: DocumentsApp,
  { changes, forms }: DocumentPlan,
  setup: Setup,
): Promise<string[]> {
  return [
    ...countLosses(changes),
    ...(await lossesOfFlags(app, changes, setup)),
    ...lossesOfEnvironments(changes),
    ...(await lossesOfForms(app, changes)),
    ...(await lossesOfSettings(app, forms)),
  ];
}

function countLosses(changes: SetupChange[]): string[] {
  const kinds = changes.flatMap(({ change }) => KINDS[change] ?? []);
  if (kinds.length <= FEW) return [];
  const counts = [...new Set(kinds)].map((kind) =>
    counted(kinds.filter((each) => each === kind).length, kind),
  );
  return [`this deletes ${counts.join(", ")}`];
}

async function lossesOfFlags(app: DocumentsApp, changes: SetupChange[], setup: Setup): Promise<string[]> {
  const losses: string[] = [];
  const inUse: string[] = [];
  for (const { slug: project, environments } of setup.projects) {
    const deleted = changes.flatMap((each) =>
      each.change === "deleteFlag" && each.project === project ? [each.flag] : [],
    );
    if (deleted.length === 0) continue;
    if (deleted.length === environments[0]?.flags.length)
      losses.push(`this deletes every flag of ${pathOf("projects", project)}`);
    const read = new Set<string>();
    for (const environment of environments) {
      for (const [flag, at] of await app.store.flags.reads(project, environment.slug))
        if (at > app.now() - IN_USE_MS) read.add(flag);
    }
    const pathTo = (flag: string) => pathOf("projects", project, "flags", flag);
    inUse.push(...deleted.filter((flag) => read.has(flag)).map(pathTo));
  }
  if (inUse.length > 0) losses.push(`this deletes what was read within a week: ${listed(inUse)}`);
  return losses;
}

function lossesOfEnvironments(changes: SetupChange[]): string[] {
  return changes.flatMap((each) =>
    each.change === "deleteEnvironment"
      ? [
          `this deletes ${pathOf("projects", each.project, "environments", each.environment)} with its flag values`,
        ]
      : [],
  );
}

async function lossesOfForms(app: DocumentsApp, changes: SetupChange[]): Promise<string[]> {
  const losses: string[] = [];
  for (const each of changes) {
    if (each.change !== "deleteForm") continue;
    const count = await app.store.submissions.count(each.key);
    if (count > 0) losses.push(`this deletes ${formPathOf(each)} with ${counted(count, "submission")}`);
  }
  return losses;
}

async function lossesOfSettings(app: DocumentsApp, forms: FormCheck[]): Promise<string[]> {
  const losses: string[] = [];
  for (const { path, form, before } of forms) {
    const { maxFileSize } = form;
    if (maxFileSize !== null && maxFileSize < KiB && maxFileSize !== before?.maxFileSize)
      losses.push(`${path}.maxFileSize is ${formatBytes(maxFileSize)}`);
    losses.push(...(await lossesOfPeriods(app, before, form)));
  }
  return losses;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function listed(names: string[]): string {
  const more = names.length - NAMED;
  return names.slice(0, NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
