import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Server, freePort, startServer } from "./process.ts";
import type { NewDelivery } from "../../src/delivery/delivery.ts";
import { type FlagPatch, applyPatch } from "../../src/flags/flag.ts";
import { putFlag } from "../../src/flags/plan.ts";

const ROOT = join(import.meta.dir, "../..");

/** A copy of the built executable, so that a build meanwhile changes nothing. */
export const EXECUTABLE = copyOf(join(ROOT, "dist/formflag"));

export function copyOf(file: string): string {
  const directory = mkdtempSync(join(tmpdir(), "formflag-bench-"));
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  const copy = join(directory, "formflag");
  copyFileSync(file, copy);
  return copy;
}

/** formflag on a data directory of its own. */
export type Formflag = Server & { data: string };

/** `prefix` stands before the executable on the command line, `path` is what has to answer; `/` would load the dashboard. */
type Starting = { executable?: string; prefix?: string[]; path?: string; env?: Record<string, string> };

export async function startFormflag(
  data: string,
  { executable = EXECUTABLE, prefix = [], path = "/healthz", env = {} }: Starting = {},
): Promise<Formflag> {
  const port = freePort();
  const command = [...prefix, executable, "serve", "--data", data, "--listen", `127.0.0.1:${port}`];
  return { ...(await startServer(command, port, path, { env })), data };
}

/** A server of `limits/`, run from its source. */
export async function startLimit(
  name: string,
  args: string[] = [],
  prefix: string[] = [],
  core: 0 | 1 = 0,
): Promise<Server> {
  const port = freePort();
  const file = join(import.meta.dir, "limits", `${name}.ts`);
  return startServer([...prefix, process.execPath, file, String(port), ...args], port, "/", { core });
}

/** Runs a command on a data directory; returns what `--json` prints. */
export function onCommandLine<T>(data: string, ...args: string[]): Promise<T> {
  return commandLine<T>(EXECUTABLE, data, args);
}

/** The same with another executable. */
export async function commandLine<T>(executable: string, data: string, args: string[]): Promise<T> {
  const env = { ...process.env, FORMFLAG_TARGET_NETWORK: "127.0.0.0/8" };
  const child = Bun.spawn([executable, ...args, "--data", data, "--json"], { stdout: "pipe", env });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`formflag ${args.join(" ")} failed`);
  return JSON.parse(text) as T;
}

/** Creates a project; returns the headers that select each of its environments. */
export async function createProject(
  data: string,
  slug: string,
  environments = "bench",
): Promise<Record<string, string>[]> {
  type Project = { key: string; environments: { key: string }[] };
  const project = await onCommandLine<Project>(
    data,
    "projects",
    "create",
    slug,
    "--environments",
    environments,
  );
  return project.environments.map(({ key }) => ({ "x-project-key": project.key, "x-environment-key": key }));
}

/** The header of a token that may do everything. */
export async function adminHeaders(data: string): Promise<Record<string, string>> {
  const { token } = await onCommandLine<{ token: string }>(data, "tokens", "create", "bench");
  return { authorization: `Bearer ${token}` };
}

/** Lets a form of that name fill a segment by its field `email` with `count` values, `user-0@example.com` and so on. */
export async function fillSegment(
  data: string,
  place: { project: string; environment: string; segment: string },
  count: number,
): Promise<void> {
  const { project, environment, segment } = place;
  await createForm(data, segment, "-p", project);
  await fillForm(data, segment, count, (index) => JSON.stringify({ email: `user-${index}@example.com` }));
  const where = ["-p", project, "-e", environment];
  await onCommandLine(data, "segments", "set", segment, ...where, "--from-form", segment, "--field", "email");
}

/** Creates a form; returns the path that it is posted to. */
export async function createForm(data: string, slug: string, ...settings: string[]): Promise<string> {
  const { key } = await onCommandLine<{ key: string }>(data, "forms", "create", slug, ...settings);
  return `/v1/s/${key}?mode=rest`;
}

/** Adds a webhook to a form; returns its id. */
export async function addTarget(data: string, form: string, url: string): Promise<string> {
  return (await onCommandLine<{ id: string }>(data, "targets", "add", form, url)).id;
}

/** Adds a webhook that gets the notices of a project. */
export async function addProjectTarget(data: string, project: string, url: string): Promise<void> {
  await onCommandLine(data, "targets", "add", url, "-p", project);
}

/** Stores submissions straight through the store, each with a delivery to a webhook that is queued. */
export async function queueDeliveries(
  data: string,
  form: string,
  target: string,
  count: number,
): Promise<void> {
  const deliveryTo = () => [{ id: Bun.randomUUIDv7(), kind: "webhook" as const, target }];
  await fillForm(data, form, count, undefined, deliveryTo);
}

/** Writes flags straight through the store: a process for each would take minutes. */
export async function createFlags(
  data: string,
  project: string,
  environment: string,
  count: number,
  patchOf: (index: number) => FlagPatch = () => ({}),
): Promise<void> {
  const { openSqliteStore } = await import("../../src/store/sqlite/store.ts");
  const store = openSqliteStore(join(data, "formflag.db"), "thread");
  const patch = {
    enabled: true,
    payload: { color: "green", limit: 10 },
    description: "A flag of the benchmark",
  };
  const now = Date.now();
  const changes = Array.from({ length: count }, (_, index) => {
    const flag = flagName(index);
    const { record } = applyPatch(flag, undefined, { ...patch, ...patchOf(index) }, now + index);
    return putFlag({ project, environment, flag }, undefined, record);
  });
  await store.apply(changes, (await store.readVersion()).version, { who: "bench", at: now });
  await store.close();
}

/** The slug of a flag that `createFlags` writes. */
export function flagName(index: number): string {
  return `flag-${String(index).padStart(5, "0")}`;
}

/** Stores submissions straight through the store; returns the id of the one in the middle. */
export async function fillForm(
  data: string,
  form: string,
  count: number,
  text: string | ((index: number) => string) = JSON.stringify({
    name: "Ann Example",
    message: "Hello there. ".repeat(20),
  }),
  deliveries: () => NewDelivery[] = () => [],
): Promise<string> {
  const { openSqliteStore } = await import("../../src/store/sqlite/store.ts");
  const store = openSqliteStore(join(data, "formflag.db"), "thread");
  const { key: formKey } = (await store.forms.named(form))[0]!;
  const middle = Math.floor(count / 2);
  let middleId = "";
  const atOnce = 2000;
  for (let done = 0; done < count; done += atOnce) {
    const batch = Array.from({ length: Math.min(atOnce, count - done) }, () => Bun.randomUUIDv7());
    const createdAt = Date.now();
    await Promise.all(
      batch.map((id, index) => {
        const sent = typeof text === "string" ? text : text(done + index);
        return store.submissions.insert({
          id,
          formKey,
          data: sent,
          files: [],
          createdAt,
          deliveries: deliveries(),
        });
      }),
    );
    middleId = batch[middle - done] ?? middleId;
  }
  await store.close();
  return middleId;
}

/** Milliseconds from the start of a server to its first answer. */
export async function timeToAnswer(data: string): Promise<number> {
  const start = performance.now();
  const server = await startFormflag(data, { path: "/healthz" });
  const took = performance.now() - start;
  await server.stop();
  return took;
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
