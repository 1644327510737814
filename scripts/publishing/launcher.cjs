#!/usr/bin/env node
"use strict";
// Starts the executable of this platform, which is in a package of its own: npm installs the one that fits.

const { constants } = require("node:os");
const { env, report } = require("node:process");
const { spawn } = require("node:child_process");

/** Whether the C library of this machine is musl, as on Alpine. */
function isMusl() {
  if (process.platform !== "linux") return false;
  report.excludeNetwork = true;
  return report.getReport().header.glibcVersionRuntime === undefined;
}

const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}${isMusl() ? "-musl" : ""}`;
const name = `@formflag/${platform}`;
const { version, optionalDependencies } = require("../package.json");

let file;
try {
  file = require.resolve(`${name}/bin/formflag${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  const isKnown = Object.hasOwn(optionalDependencies, name);
  process.stderr.write(
    isKnown
      ? `error: the package ${name} is not installed, which holds formflag for this machine\nhint: install without --omit=optional, or add it: npm install ${name}@${version}\n`
      : `error: formflag has no executable for ${platform}\nhint: there are some for ${Object.keys(optionalDependencies).join(", ")}\n`,
  );
  process.exit(1);
}

const args = process.argv.slice(2);
// Node 22.15 and 23.11 become the executable, which then has the signals, the terminal and the exit code itself.
if (process.platform !== "win32" && typeof process.execve === "function") {
  process.removeAllListeners("warning");
  process.on("warning", () => {});
  process.execve(file, [file, ...args], env);
}

const child = spawn(file, args, { stdio: "inherit" });
// A terminal sends its own to both processes.
const fromTerminal = process.stdin.isTTY ? ["SIGINT", "SIGQUIT"] : [];
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"])
  process.on(signal, () => void (fromTerminal.includes(signal) || child.kill(signal)));
child.on("error", (error) => {
  process.stderr.write(`error: ${file} could not be started: ${error.message}\n`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
