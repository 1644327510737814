import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { tempDirectory } from "../support/temp.ts";

/**
 * The most modules that a command line loads, of dependencies too, and kilobytes of their source. A change that needs more
 * loads something else later: each costs time and memory of every start (`npm run bench -- start`).
 */
const MOST = {
  "--version": [12, 40],
  "flags get": [181, 786],
  "flags list": [193, 857],
  "flags set": [253, 1132],
  "serve until it listens": [258, 1076],
  "serve with its jobs": [301, 1270],
};

test("a command loads only what it needs, and a server what it needs to listen", () => {
  const directory = tempDirectory();
  const file = join(directory, "loaded");
  const wrapper = join(import.meta.dir, "../../scripts/loaded.ts");
  const sizeIn = (name: string) => {
    const [modules, bytes] = JSON.parse(readFileSync(name, "utf8")) as [number, number];
    return [modules, Math.ceil(bytes / 1000)];
  };
  const load = (...args: string[]) => {
    const command = [process.execPath, wrapper, file, ...args, "--data", join(directory, "data")];
    const { success, stderr } = Bun.spawnSync(command);
    if (!success) throw new Error(stderr.toString());
    return sizeIn(file);
  };
  const place = ["-p", "shop", "-e", "production"];
  load("projects", "create", "shop");
  load("flags", "create", "banner", "-p", "shop");
  const loads = {
    "--version": load("--version"),
    "flags get": load("flags", "get", "banner", ...place),
    "flags list": load("flags", "list", ...place),
    "flags set": load("flags", "set", "banner", "--on", ...place),
    "serve until it listens": load("serve", "--listen", "127.0.0.1:0"),
    "serve with its jobs": sizeIn(`${file}.jobs`),
  };
  process.stdout.write(`modules and kilobytes that are loaded: ${JSON.stringify(loads)}\n`);
  const over = Object.entries(MOST).filter(([name, most]) => {
    const [modules, kilobytes] = loads[name as keyof typeof loads];
    return modules! > most[0]! || kilobytes! > most[1]!;
  });
  expect(over).toEqual([]);
});
