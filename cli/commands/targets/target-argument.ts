import { usage } from "../../session/usage.ts";

/** Throws `invalid` for a target that is a bare mail address or lacks its scheme, with what to write. */
export function requireTarget(form: string, target: string): void {
  if (/^((mailto|email|smtp):?)?[^\s:/@]+@[^\s:/@]+$/.test(target))
    throw usage(
      `${target} is a mail address, not a target`,
      `formflag forms set ${form} --notify ${target.replace(/^[a-z]+:/, "")} sends mail for each submission`,
    );
  if (/^[\w-]+(\.[\w-]+)+(:\d+)?(\/|$)/.test(target))
    throw usage("the target has no scheme", "write https:// before it");
}

/** The argument of a command about one target. */
export const TARGET: [string, string] = ["[id]", "id of the target"];
