import { homedir } from "node:os";
import { join } from "node:path";
import { env } from "../env.ts";

/** The folder of a user's own settings. */
export function configFolder(): string {
  const config = env["XDG_CONFIG_HOME"];
  // The specification of base directories has paths that are not absolute ignored.
  const base = config?.startsWith("/") ? config : join(home(), ".config");
  return join(base, "formflag");
}

/** The home of the user who runs this command. */
export const home = () => env["HOME"] ?? homedir();
