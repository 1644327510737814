import { join } from "node:path";
import { freePort, startServer, type Server } from "./process.ts";

const ROOT = join(import.meta.dir, "../..");

export const EXECUTABLE = join(ROOT, "dist/formflag");

/** formflag on a data directory of its own. */
export type Formflag = Server & { data: string };

export async function startFormflag(data: string, prefix: string[] = []): Promise<Formflag> {
  const port = freePort();
  const command = [...prefix, EXECUTABLE, "serve", "--data", data, "--listen", `127.0.0.1:${port}`];
  return { ...(await startServer(command, port)), data };
}

/** A server of `limits/`, run from its source. */
export async function startLimit(name: string, ...args: string[]): Promise<Server> {
  const port = freePort();
  return startServer(
    [process.execPath, join(import.meta.dir, "limits", `${name}.ts`), String(port), ...args],
    port,
  );
}

/** Runs a command on a data directory; returns what `--json` prints. */
async function command<T>(data: string, ...args: string[]): Promise<T> {
  const child = Bun.spawn([EXECUTABLE, ...args, "--data", data, "--json"], { stdout: "pipe" });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`formflag ${args.join(" ")} failed`);
  return JSON.parse(text) as T;
}

/** Makes a project; returns the headers that select its first environment. */
export async function makeProject(
  data: string,
  slug: string,
  environments = "bench",
): Promise<Record<string, string>> {
  type Project = { key: string; environments: { key: string }[] };
  const project = await command<Project>(data, "projects", "create", slug, "--environments", environments);
  return { "x-project-key": project.key, "x-environment-key": project.environments[0]!.key };
}

/** Makes a form; returns the path that it is posted to. */
export async function makeForm(data: string, slug: string, ...settings: string[]): Promise<string> {
  const { key } = await command<{ key: string }>(data, "forms", "create", slug, ...settings);
  return `/v1/s/${key}?mode=rest`;
}

/** Writes flags straight through the store: a process for each would take minutes. */
export async function makeFlags(
  data: string,
  project: string,
  environment: string,
  count: number,
): Promise<void> {
  const { openSqliteStore } = await import("../../src/store/sqlite/store.ts");
  const store = openSqliteStore(join(data, "formflag.db"), "thread");
  const patch = {
    enabled: true,
    payload: { color: "green", limit: 10 },
    description: "A flag of the benchmark",
  };
  await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const flag = `flag-${String(index).padStart(5, "0")}`;
      return store.flags.set({ project, environment, flag }, patch, Date.now() + index);
    }),
  );
  await store.close();
}

export async function compileLimit(name: string, directory: string): Promise<string> {
  const outfile = join(directory, name);
  const build = Bun.spawnSync(
    [
      process.execPath,
      "build",
      "--compile",
      "--minify",
      "--bytecode",
      "--format=esm",
      join(import.meta.dir, "limits", `${name}.ts`),
      "--outfile",
      outfile,
    ],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  if (build.exitCode !== 0) throw new Error(`limits/${name}.ts does not build`);
  return outfile;
}
