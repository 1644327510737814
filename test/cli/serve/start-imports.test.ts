import { expect, spyOn, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { listenValue } from "../../../cli/serve/address.ts";

/** The modules of the runtime that a file loads before it does anything, by itself and by all that it imports. */
function builtinsOf(entry: string): string[] {
  const builtins = new Set<string>();
  const known = new Set<string>();
  const left = [join(import.meta.dir, "../../..", entry)];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (known.has(file) || !existsSync(file) || !/\.tsx?$/.test(file)) continue;
    known.add(file);
    const loader = file.endsWith("x") ? "tsx" : "ts";
    for (const { path, kind } of new Bun.Transpiler({ loader }).scanImports(readFileSync(file, "utf8"))) {
      if (kind !== "import-statement") continue;
      if (path.startsWith("node:")) builtins.add(path);
      else if (path.startsWith(".")) left.push(join(dirname(file), path));
    }
  }
  return [...builtins].toSorted();
}

// Sockets, addresses and streams of the runtime take tens of milliseconds to load.
test.each([
  ["cli/main.ts", ["node:fs"]],
  ["cli/serve/serve.ts", ["node:fs", "node:fs/promises", "node:os", "node:path"]],
])("%s loads no more of the runtime than it needs to start", (entry, needed) => {
  expect(builtinsOf(entry)).toEqual(needed);
});

test.each(["8787", "127.0.0.1:8787", "0.0.0.0:80", "localhost:0", "Forms.example.com:443"])(
  "reading the address %s loads nothing",
  (address) => {
    const load = spyOn(process, "getBuiltinModule");
    listenValue(address, "--listen");
    expect(load).toHaveBeenCalledTimes(0);
    load.mockRestore();
  },
);
