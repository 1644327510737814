import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { clock } from "../../../src/base/clock.ts";
import { AppError } from "../../../src/base/errors.ts";
import { env } from "../../session/env.ts";
import { EXECUTABLE, NAME, type Service } from "./systemd.ts";

export type Scope = Service["scope"];

/** The machine that a service is installed on. */
export type Machine = {
  hasSystemd: boolean;
  isRoot: boolean;
  /** The folder of units. */
  unitsOf: (scope: Scope) => string;
  /** The path of the executable of a service of the system, if it cannot run where it is. */
  sharedExecutable: string;
  /** Waits before the next look at a server that starts. */
  wait: () => Promise<void>;
  /** Runs a program to its end; its code is 127 for an unknown name. */
  run: (...command: string[]) => Promise<{ code: number; text: string }>;
};

/** Milliseconds between two looks at a server that starts. */
const WAIT_MS = 100;

/** The machine that this process runs on. */
export const THIS_MACHINE: Machine = {
  // As sd_booted(3) checks it.
  hasSystemd: existsSync("/run/systemd/system"),
  isRoot: process.getuid?.() === 0,
  unitsOf: (scope) =>
    scope === "system"
      ? "/etc/systemd/system"
      : join(env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config"), "systemd/user"),
  sharedExecutable: EXECUTABLE,
  wait: () => clock.sleep(WAIT_MS),
  async run(...command) {
    const [program = ""] = command;
    if (Bun.which(program) === null) return { code: 127, text: `${program} is not installed` };
    const child = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    const texts = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
    return { text: (await Promise.all(texts)).join("").trim(), code: await child.exited };
  },
};

/** Runs a program of a machine. Throws `unavailable` if it fails. */
export async function must(machine: Machine, program: string, ...args: string[]): Promise<void> {
  const { code, text } = await machine.run(program, ...args);
  if (code === 0) return;
  throw new AppError(
    "unavailable",
    `${[program, ...args].join(" ")} failed: ${text || `exit code ${code}`}`,
    {
      hint:
        program === "systemctl" ? `journalctl -u ${NAME} may say more` : "do it by hand, and run this again",
    },
  );
}
