import { emailFieldOf } from "../../delivery/address.ts";
import type { Titled } from "./title.ts";
import { kindOfName } from "./title-names.ts";

/** The role of a field in the inbox: the title of a submission, its sender, or the first of the line below. */
export type FieldRole = "title" | "sender" | "second line";

/** Usual names of the field that is written freely. */
const FREE =
  /^(?:your[ _-]?)?(?:message|comments?|text|question|enquiry|inquiry|details|description|nachricht|mensaje|messaggio)$/i;

/** The roles of the fields of a form, as titles are made of them. */
export function rolesOf(
  { titleField, emailField, schema }: Titled,
  names: readonly string[],
): ReadonlyMap<string, FieldRole> {
  const roles = new Map<string, FieldRole>();
  const give = (role: FieldRole, name: string | null | undefined) => {
    if (name != null && names.includes(name) && !roles.has(name)) roles.set(name, role);
  };
  const named = (...kinds: readonly string[]) =>
    names.find((name) => kinds.includes(kindOfName(name) ?? "") && !roles.has(name));
  const free = () => names.find((name) => FREE.test(name) && !roles.has(name));
  give("title", titleField ?? named("name", "first") ?? named("topic") ?? free());
  give("sender", emailField ?? emailFieldOf(schema) ?? named("address"));
  give("second line", named("topic") ?? free());
  return roles;
}
