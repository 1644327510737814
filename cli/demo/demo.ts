import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { operatorCaller } from "../../src/access/caller.ts";
import { createLink } from "../../src/access/users.ts";
import type { App } from "../../src/app.ts";
import { AppError } from "../../src/base/errors.ts";
import { dashboardLink } from "../../src/http/paths.ts";
import { EXIT } from "../exit.ts";
import type { Io } from "../output/terminal.ts";
import { printable, shown } from "../output/text.ts";
import { readServeConfig } from "../serve/config.ts";
import { serveOptions } from "../serve/options.ts";
import { serve } from "../serve/serve.ts";
import { userName } from "../session/user.ts";
import { openApp } from "../data/open.ts";
import { fillDemo } from "./fill.ts";
import { DEAD_NETWORK } from "./inbox.ts";

/** `keep` is the directory that stays; null for a temporary one. */
export type Demo = { listen: string; opens: boolean; keep: string | null };

/**
 * Serves a server with example data until SIGINT or SIGTERM, and prints the link that signs in on standard output. Throws
 * `conflict` for a directory to keep that holds something, and as `serve` does.
 */
export async function demonstrate({ listen, opens, keep }: Demo, io: Io): Promise<void> {
  const config = configOf(listen);
  if (keep !== null && existsSync(keep) && readdirSync(keep).length > 0)
    throw new AppError("conflict", `${keep} is not empty`, {
      hint: "name a new directory; formflag serve --data serves what a demo has kept",
    });
  const data = keep ?? mkdtempSync(join(tmpdir(), "formflag-demo-"));
  if (keep === null) process.once("exit", () => rmSync(data, { recursive: true, force: true }));
  const stops = [
    ["SIGINT", EXIT.interrupted],
    ["SIGTERM", EXIT.terminated],
  ] as const;
  const handlers = stops.map(([signal, code]) => [signal, () => process.exit(code)] as const);
  for (const [signal, stop] of handlers) process.on(signal, stop);
  const storage = { data, shared: null };
  {
    await using app = await openApp({ ...storage, writing: "inline" });
    await fillDemo(app);
  }
  const greet = async (app: App, dashboard: string) => {
    for (const [signal, stop] of handlers) process.off(signal, stop);
    const { secret } = await createLink(
      app,
      operatorCaller(userName, () => false),
    );
    const link = dashboardLink(dashboard, secret);
    const end = keep === null ? "Ctrl-C ends the demo and removes its data" : "Ctrl-C ends the demo";
    io.note(shown`demo data in ${resolve(data)}\nthis link signs you in, once, within 15 minutes; ${end}:\n`);
    await io.out(`${printable(link)}\n`);
    if (opens && io.outIsTerminal) openBrowser(link);
  };
  await serve(config, storage, io, { FORMFLAG_DATA: data }, greet);
}

/** The settings of a server without those of the environment, which are those of a real one. */
function configOf(listen: string) {
  const command = new Command();
  for (const option of serveOptions()) {
    delete option.envVar;
    command.addOption(option);
  }
  const given = {
    listen,
    threads: "1",
    "target-network": DEAD_NETWORK,
    "log-level": "warn",
    "log-format": "text",
  };
  command.parse(
    Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]),
    { from: "user" },
  );
  return readServeConfig(command.opts());
}

/** Opens a page with the browser of this machine; without one, nothing happens. */
function openBrowser(link: string): void {
  const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = { darwin: ["open"], win32: ["explorer"] };
  try {
    const opener = OPENERS[process.platform] ?? ["xdg-open"];
    Bun.spawn([...opener, link], { stdin: "ignore", stdout: "ignore", stderr: "ignore" }).unref();
  } catch {
    // The link is printed too.
  }
}
