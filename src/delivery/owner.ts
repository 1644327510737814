import { type FormPlace, shortName } from "../access/place.ts";

/** The form whose submissions a target or a delivery is for, or the project whose notices. */
export type DeliveryOwner = { form: FormPlace } | { project: string };

/** An owner as logs and mails name it. */
export function ownerName(owner: DeliveryOwner): string {
  return "form" in owner ? `form ${shortName(owner.form)}` : `project ${owner.project}`;
}
