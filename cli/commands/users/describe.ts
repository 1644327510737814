import { SCOPES_OF } from "../../../src/access/role.ts";
import type { User } from "../../../src/access/user.ts";
import { details } from "../../output/text.ts";

/** A user for a person. */
export function describeUser({ name, role, hasPassword, createdAt }: User): string {
  return details([
    ["name", name],
    ["role", role],
    // A newer server may have a role that is unknown here.
    ["scopes", (SCOPES_OF[role] ?? []).join(", ")],
    ["password", hasPassword ? "set" : "not set"],
    ["created", createdAt],
  ]);
}
