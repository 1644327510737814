import { existsSync, readFileSync, rmSync } from "node:fs";
import { copyFile, mkdir, rename, writeFile, chmod } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { clock } from "../../../src/base/clock.ts";
import { AppError } from "../../../src/base/errors.ts";
import { env } from "../../session/env.ts";
import { EXECUTABLE, NAME, SHARED, type Service, UNIT_NAME, unitText } from "./systemd.ts";

type Scope = Service["scope"];

/** The machine that a service is installed on. */
export type Machine = {
  hasSystemd: boolean;
  isRoot: boolean;
  /** The folder of units. */
  unitsOf: (scope: Scope) => string;
  /** The path of the executable of a service of the system, if it cannot run where it is. */
  sharedExecutable: string;
  /** Waits until a server that cannot start has ended. */
  settle: () => Promise<void>;
  /** Runs a program to its end; its code is 127 if there is none of that name. */
  run: (program: string, ...args: string[]) => Promise<{ code: number; text: string }>;
};

/** How long a server may take to fail at its start, in milliseconds. */
const START_MS = 1000;

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
  settle: () => clock.sleep(START_MS),
  async run(...command) {
    if (Bun.which(command[0]) === null) return { code: 127, text: `${command[0]} is not installed` };
    const child = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    const texts = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
    return { text: (await Promise.all(texts)).join("").trim(), code: await child.exited };
  },
};

/** A unit of ours begins with this line behind its first section. */
const OURS = /^Description=formflag: /m;

/**
 * Installs a service, or changes an installed one, and starts it: the user of a system service, its executable, the unit.
 * `step` receives each step that was done, in words. Returns the path of the unit. Throws `unsupported` without systemd,
 * `forbidden` without rights, `conflict` for a unit of that name that is not ours, `unavailable` if it does not start.
 */
export async function installService(
  service: Service,
  machine: Machine,
  step: (text: string) => void,
): Promise<string> {
  const { scope } = service;
  requireMachine(machine, scope);
  const [folder, file] = [machine.unitsOf(scope), unitPath(machine, scope)];
  requireOurs(file);
  // Refused before anything is done.
  const unit = unitText({ ...service, executable: sharedPath(service, machine) });
  if (scope === "system") await prepareSystem(service, machine, step);
  await mkdir(folder, { recursive: true });
  await writeFile(`${file}.new`, unit, { mode: 0o644 });
  await chmod(`${file}.new`, 0o644);
  await rename(`${file}.new`, file);
  step(`wrote ${file}`);
  const systemctl = controlOf(machine, scope);
  await systemctl("daemon-reload");
  await systemctl("enable", NAME);
  // Starts one that does not run.
  await systemctl("restart", NAME);
  await requireActive(machine, scope);
  step(`enabled and started ${NAME}`);
  if (scope === "user") {
    const { code } = await machine.run("loginctl", "enable-linger");
    if (code !== 0) step("it stops when you log out: loginctl enable-linger needs an administrator here");
  }
  return file;
}

/** Stops a service and removes its unit; the data stays. Throws as {@link installService}, and `not_found` without one. */
export async function uninstallService(scope: Scope, machine: Machine): Promise<string> {
  requireMachine(machine, scope);
  const file = unitPath(machine, scope);
  if (!existsSync(file)) {
    const hint =
      scope === "system" ? "that of your own user needs --user" : "that of the system goes without --user";
    throw new AppError("not_found", `there is no service at ${file}`, { hint });
  }
  requireOurs(file);
  const systemctl = controlOf(machine, scope);
  await systemctl("disable", "--now", NAME);
  rmSync(file);
  await systemctl("daemon-reload");
  return file;
}

function unitPath(machine: Machine, scope: Scope): string {
  return join(machine.unitsOf(scope), UNIT_NAME);
}

function requireMachine({ hasSystemd, isRoot }: Machine, scope: Scope): void {
  if (!hasSystemd) {
    throw new AppError("unsupported", "systemd does not run on this machine", {
      hint: "--print prints the unit for another machine; here, let what starts other programs run formflag serve",
    });
  }
  if (scope === "system" && !isRoot) {
    throw new AppError("forbidden", "a service of the system is installed and removed by root", {
      hint: "put sudo before the command, or add --user for a service of your own user",
    });
  }
}

function requireOurs(file: string): void {
  if (!existsSync(file) || OURS.test(readFileSync(file, "utf8"))) return;
  throw new AppError("conflict", `${file} is not a unit that formflag wrote`, {
    hint: "move it aside, and run this again",
  });
}

/** The path from which a service of the system runs its executable: its user may not reach that of another one. */
function sharedPath({ executable, scope }: Service, { sharedExecutable }: Machine): string {
  return scope === "user" || SHARED.test(executable) ? executable : sharedExecutable;
}

async function prepareSystem(
  service: Service,
  machine: Machine,
  step: (text: string) => void,
): Promise<void> {
  const shared = sharedPath(service, machine);
  if (shared !== service.executable) {
    // Renamed, because the file of a program that runs cannot be written.
    await copyFile(service.executable, `${shared}.new`);
    await chmod(`${shared}.new`, 0o755);
    await rename(`${shared}.new`, shared);
    step(`copied ${service.executable} to ${shared}`);
  }
  if ((await machine.run("id", NAME)).code === 0) return;
  const home = ["--home-dir", `/var/lib/${NAME}`, "--shell", "/usr/sbin/nologin"];
  await must(machine, "useradd", "--system", "--user-group", ...home, NAME);
  step(`created the user ${NAME}`);
}

/** Runs systemctl for the system, or for the user. */
function controlOf(machine: Machine, scope: Scope) {
  return (...args: string[]) => must(machine, "systemctl", ...(scope === "user" ? ["--user"] : []), ...args);
}

async function must(machine: Machine, program: string, ...args: string[]): Promise<void> {
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

/** `systemctl restart` succeeds for a server that ends right after its start. */
async function requireActive(machine: Machine, scope: Scope): Promise<void> {
  await machine.settle();
  const user = scope === "user" ? ["--user"] : [];
  const { code } = await machine.run("systemctl", ...user, "is-active", "--quiet", NAME);
  if (code === 0) return;
  throw new AppError("unavailable", "the service was installed, and does not run", {
    hint: `the reason is in its log: journalctl ${scope === "user" ? "--user " : ""}-u ${NAME} -n 20`,
  });
}
