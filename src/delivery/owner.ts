import { type FormPlace, shortName } from "../access/place.ts";

/** The owner of a target or delivery: a form, for its submissions, or a project, for its notices. */
export type DeliveryOwner = { form: FormPlace } | { project: string };

/** An owner as logs and mails name it. */
export function ownerName(owner: DeliveryOwner): string {
  return "form" in owner ? `form ${shortName(owner.form)}` : `project ${owner.project}`;
}
