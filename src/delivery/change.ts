import type { HistoryEntry } from "../access/history-entry.ts";
import type { DeliveryOwner } from "./owner.ts";
import { maskTarget, type TargetRecord } from "./target.ts";

/** A change of targets, as the store applies it. */
export type TargetChange =
  | { change: "insertTarget"; target: TargetRecord }
  | { change: "updateTarget"; target: TargetRecord }
  | { change: "deleteTarget"; id: string }
  /** Adds an entry to the history alone: a target belongs to its form, and changes beside it. */
  | { change: "recordForm"; project: string; history: HistoryEntry };

/**
 * The entry of a target of a form that is added, changed or deleted, without its secrets; undefined for none. The history
 * of a project has no entry of its targets, which the audit log has.
 */
export function recordTarget(
  owner: DeliveryOwner,
  before: TargetRecord | undefined,
  after: TargetRecord | undefined,
): TargetChange[] {
  if (!("form" in owner)) return [];
  const { project, slug } = owner.form;
  const isRotated = before && after && before.secrets[0]?.secret !== after.secrets[0]?.secret;
  const was = before && { [`target ${before.id}`]: stateOf(before) };
  const is = after && {
    [`target ${after.id}`]: stateOf(after),
    ...(before && before.url !== after.url && { [`url of ${after.id}`]: "changed" }),
    ...(before &&
      !Bun.deepEquals(before.request, after.request) && { [`request of ${after.id}`]: "changed" }),
    ...(isRotated && { [`secret of ${after.id}`]: "renewed" }),
  };
  const entry = { environment: null, kind: "form", name: slug, before: was ?? {}, after: is ?? {} } as const;
  return [{ change: "recordForm", project, history: entry }];
}

function stateOf(target: TargetRecord): string {
  return `${maskTarget(target)}${target.enabled ? "" : ", disabled"}`;
}
