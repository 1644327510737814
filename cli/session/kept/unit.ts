import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { configFolder, home } from "./folders.ts";

/** The installed service: the file of its unit, and the executable and the data directory that it names. */
export type Unit = { file: string; executable: string; data: string };

/** The file with variables of the service of the system, for secrets that no option may hold. Root alone reads it. */
export const VARIABLES = "/etc/formflag/environment";

/** The service of the system, or else of this user; null without one that `service install` wrote. */
export function readUnit(): Unit | null {
  const units = [
    ["/etc/systemd/system/formflag.service", "/var/lib"],
    [join(dirname(configFolder()), "systemd/user/formflag.service"), join(home(), ".local/share")],
  ] as const;
  for (const [file, folder] of units) {
    const [, executable, data] = START.exec(textOf(file)) ?? [];
    if (executable === undefined || data === undefined) continue;
    const path = unquoted(data.replaceAll("$$", "$"));
    const isUsual = path === "%S/formflag" || path === "%h/.local/share/formflag";
    return {
      file,
      executable: unquoted(executable).replaceAll("%%", "%"),
      data: isUsual ? join(folder, "formflag") : path.replaceAll("%%", "%"),
    };
  }
  return null;
}

/** The variables of a service, as far as this user may read them. */
export function readVariables({ file }: Unit): Record<string, string> {
  const lines = (file.startsWith("/etc/") ? textOf(VARIABLES) : "").matchAll(/^\s*(\w+)=(.*?)\s*$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name!, unquoted(value!)]));
}

/** The first words of the command line of a unit, each as it is or in quotes. */
const START = /^ExecStart=("(?:[^"\\]|\\.)*"|\S+) serve --data ("(?:[^"\\]|\\.)*"|\S+)/m;

function unquoted(word: string): string {
  return word.replaceAll(/^"|"$/g, "").replaceAll(/\\(.)/g, "$1");
}

/** Empty for a file that cannot be read, or is none. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
