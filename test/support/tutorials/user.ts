import { chmodSync, writeFileSync } from "node:fs";
import type { Machine } from "../systemd/machine.ts";
import { type Terminal, openTerminal } from "./terminal.ts";

/** As sudo does: of the variables, only authorities and name servers are passed on, which are the system's elsewhere. */
const SUDO = `#!/bin/sh
user=root
[ "$1" != -u ] || { user=$2; shift 2; }
home=$(getent passwd "$user" | cut -d : -f 6)
exec /usr/local/lib/as-any --reuid "$user" --regid "$user" --init-groups env -i TERM="$TERM" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME="$home" USER="$user" SUDO_USER="$USER" NODE_EXTRA_CA_CERTS="$NODE_EXTRA_CA_CERTS" FORMFLAG_DNS="$FORMFLAG_DNS" "$@"
`;

/** Creates a user of a machine who may use sudo. */
export async function createUser({ must, path }: Machine, user: string): Promise<void> {
  await must("useradd", "--create-home", user);
  // Runs as root whoever starts it.
  await must("cp", "/usr/bin/setpriv", "/usr/local/lib/as-any");
  await must("chmod", "4755", "/usr/local/lib/as-any");
  writeFileSync(path("/usr/local/bin/sudo"), SUDO);
  chmodSync(path("/usr/local/bin/sudo"), 0o755);
}

/** Opens a terminal of a user of a machine. */
export async function openUserTerminal(
  { inside, path }: Machine,
  user: string,
  env: Record<string, string> = {},
): Promise<Terminal> {
  const home = `/home/${user}`;
  const variables = {
    TERM: "xterm",
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    USER: user,
    LANG: "C.UTF-8",
    ...env,
  };
  const words = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const login = ["setpriv", "--reuid", user, "--regid", user, "--init-groups"];
  return openTerminal({ under: [...inside, ...words, ...login], env: {}, cwd: home, root: path("/") });
}
