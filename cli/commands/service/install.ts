import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { access, chmod, constants, copyFile, mkdir, rename, writeFile } from "node:fs/promises";
import { AppError } from "../../../src/base/errors.ts";
import { shellWord } from "../../../src/base/shell.ts";
import { join } from "node:path";
import { awaitCertificate, needsCertificate } from "./first-certificate.ts";
import { type Machine, type Scope, must } from "./machine.ts";
import { NAME, SHARED, type Service, UNIT_NAME, unitText, writtenFolders } from "./systemd.ts";

/** How often a server that starts is looked at: a migration takes longer, and is no failure. */
const LOOKS = 100;

/** A unit of ours begins with this line behind its first section. */
const OURS = /^Description=formflag: /m;

/**
 * Installs a service, or changes an installed one, and starts it: the user of a system service, its folders, its executable,
 * the unit. If it does not start, the former unit runs again. `step` receives each step that was done, in words. Returns the
 * path of the unit. Throws `unsupported` without systemd, `forbidden` without rights or for a folder that its user may not
 * write to, `conflict` for a unit of that name that is not ours, `unavailable` if it does not start.
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
  if (scope === "system") await createUser(machine, step);
  for (const path of writtenFolders(service)) await prepareFolder(path, service, machine, step);
  if (scope === "system") await shareExecutable(service, machine, step);
  await mkdir(folder, { recursive: true });
  const isFirst = needsCertificate(service);
  const former = existsSync(file) ? readFileSync(file, "utf8") : null;
  await replaceUnit(file, unit);
  step(`wrote ${file}`);
  try {
    await start(machine, scope);
  } catch (error) {
    if (former !== null) await putBack(file, former, machine, scope, error);
    throw error;
  }
  step(`enabled and started ${NAME}`);
  if (isFirst) await awaitCertificate(machine, await logOf(machine, scope), step);
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
    throw new AppError("not_found", `no service is installed at ${file}`, { hint });
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
  if (!existsSync(file) || (statSync(file).isFile() && OURS.test(readFileSync(file, "utf8")))) return;
  throw new AppError("conflict", `${file} is not a unit that formflag wrote`, {
    hint: "move it aside, and run this again",
  });
}

/** The path from which a service of the system runs its executable: its user may not reach that of another one. */
function sharedPath({ executable, scope }: Service, { sharedExecutable }: Machine): string {
  return scope === "user" || SHARED.test(executable) ? executable : sharedExecutable;
}

async function replaceUnit(file: string, unit: string): Promise<void> {
  await writeFile(`${file}.new`, unit, { mode: 0o644 });
  await chmod(`${file}.new`, 0o644);
  await rename(`${file}.new`, file);
}

async function start(machine: Machine, scope: Scope): Promise<void> {
  const systemctl = controlOf(machine, scope);
  await systemctl("daemon-reload");
  await systemctl("enable", NAME);
  // Starts one that does not run.
  await systemctl("restart", NAME);
  await requireActive(machine, scope);
}

/** Starts the former unit again after another did not start. Throws `unavailable`, with what has become of it. */
async function putBack(
  file: string,
  former: string,
  machine: Machine,
  scope: Scope,
  cause: unknown,
): Promise<never> {
  await replaceUnit(file, former);
  const isRunning = await start(machine, scope).then(
    () => true,
    () => false,
  );
  const outcome = isRunning ? "it runs as before" : "its former unit was put back, and does not start either";
  throw new AppError("unavailable", `the service does not start with these options: ${outcome}`, {
    hint: cause instanceof AppError ? (cause.hint ?? undefined) : undefined,
    cause,
  });
}

/** Copies the executable to where the user of a service of the system may run it. */
async function shareExecutable(
  service: Service,
  machine: Machine,
  step: (text: string) => void,
): Promise<void> {
  const shared = sharedPath(service, machine);
  if (shared === service.executable) return;
  // Renamed, because the file of a program that runs cannot be written.
  await copyFile(service.executable, `${shared}.new`);
  await chmod(`${shared}.new`, 0o755);
  await rename(`${shared}.new`, shared);
  step(`copied ${service.executable} to ${shared}`);
}

/** Creates a folder that the service writes to. Throws `forbidden` if there is one that it may not write to. */
async function prepareFolder(
  path: string,
  { scope }: Service,
  machine: Machine,
  step: (text: string) => void,
): Promise<void> {
  const isSystem = scope === "system";
  if (!existsSync(path)) {
    if (isSystem) await must(machine, "install", "-d", "-o", NAME, "-g", NAME, "-m", "700", path);
    else await mkdir(path, { recursive: true, mode: 0o700 });
    return step(`created ${path}`);
  }
  const isWritable = isSystem
    ? // The service finds it below folders that are closed to its user, too.
      (await machine.run("env", `--chdir=${path}`, "runuser", "-u", NAME, "--", "test", "-w", ".")).code === 0
    : await access(path, constants.W_OK).then(
        () => true,
        () => false,
      );
  if (isWritable) return;
  throw new AppError("forbidden", `the service could not write to ${path}`, {
    hint: isSystem
      ? `name a folder that does not exist, which is created, or let it own this one: chown ${NAME}: ${shellWord(path)}`
      : "name a folder of yours",
  });
}

async function createUser(machine: Machine, step: (text: string) => void): Promise<void> {
  if ((await machine.run("id", NAME)).code === 0) return;
  const home = ["--home-dir", `/var/lib/${NAME}`, "--shell", "/usr/sbin/nologin"];
  await must(machine, "useradd", "--system", "--user-group", ...home, NAME);
  step(`created the user ${NAME}`);
}

/** Runs systemctl for the system, or for the user. */
function controlOf(machine: Machine, scope: Scope) {
  return (...args: string[]) => must(machine, "systemctl", ...(scope === "user" ? ["--user"] : []), ...args);
}

/** The log of the present run of the service. */
async function logOf(machine: Machine, scope: Scope): Promise<() => Promise<string>> {
  const user = scope === "user" ? ["--user"] : [];
  const show = ["systemctl", ...user, "show", "--property", "InvocationID", "--value", NAME];
  const started = `_SYSTEMD_INVOCATION_ID=${(await machine.run(...show)).text}`;
  return async () => (await machine.run("journalctl", ...user, "--output", "cat", started)).text;
}

/** `systemctl restart` succeeds for a server that ends right after its start, so its log has to say that it listens. */
async function requireActive(machine: Machine, scope: Scope): Promise<void> {
  const user = scope === "user" ? ["--user"] : [];
  const log = await logOf(machine, scope);
  for (let looks = 1; ; looks += 1) {
    const { code } = await machine.run("systemctl", ...user, "is-active", "--quiet", NAME);
    if (code !== 0) break;
    if (/^listening on /m.test(await log()) || looks === LOOKS) return;
    await machine.wait();
  }
  throw new AppError("unavailable", "the service was installed, and does not run", {
    hint: `the reason is in its log: journalctl ${scope === "user" ? "--user " : ""}-u ${NAME} -n 20`,
  });
}
