import { Option } from "commander";
import { ROLES, type Role } from "../../../src/access/role.ts";
import type { Input } from "../../session/input.ts";

/** The role of a user, which completion knows too. */
export function roleOption(): Option {
  return new Option("--role <role>", "what the user may do").choices(ROLES);
}

/** The role that was given, or chosen at a prompt. Throws `invalid` where it is missing and nobody can be prompted. */
export function readRole(input: Input): Promise<Role> {
  return input.choose("role", ROLES);
}
