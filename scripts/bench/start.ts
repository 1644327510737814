import { statSync } from "node:fs";
import { join } from "node:path";
import { type Rounds, type Show, inTurns, median, spreadOf } from "./figure.ts";
import { EXECUTABLE, addProjectTarget, compileLimit, createProject } from "./formflag.ts";
import { freePort, pinned, startServer } from "./process.ts";

/** Measures the time, memory and size of a process before it does anything, against minimal executables. */
export async function measureStart(directory: string, { rounds }: Rounds, show: Show): Promise<void> {
  const [hello, row, bare] = await Promise.all(
    ["hello", "row", "healthz"].map((name) => compileLimit(name, directory)),
  );
  const data = join(directory, "start");
  await createProject(data, "bench");
  const runs = rounds * 5;

  const against = async (name: string, goal: string, a: () => Promise<number>, b: () => Promise<number>) => {
    const result = await inTurns(runs, a, b);
    const detail = `${result.a.toFixed(1)} to ${result.b.toFixed(1)} ms`;
    show({
      part: "start",
      name,
      goal,
      value: median(result.ratios),
      spread: spreadOf(result.ratios),
      detail,
    });
  };
  const set = ["flags", "set", "new-checkout", "-p", "bench", "-e", "bench", "--data", data];
  let on = false;
  const setFlag = () => {
    on = !on;
    return timeOf(EXECUTABLE, ...set, on ? "--on" : "--off");
  };
  const sayHello = () => timeOf(hello!);
  await against("flags set, to hello world", "≤ 3.5", setFlag, sayHello);
  await createProject(data, "noticed");
  await addProjectTarget(data, "noticed", "http://127.0.0.1:9/");
  const noticed = set.with(set.indexOf("bench"), "noticed");
  await against(
    "flags set with a target of the project, to one without",
    "≤ 1.2",
    () => {
      on = !on;
      return timeOf(EXECUTABLE, ...noticed, on ? "--on" : "--off");
    },
    setFlag,
  );
  await against("flags set, to committing one row", "≤ 2.0", setFlag, () =>
    timeOf(row!, join(directory, "row.db")),
  );
  const get = ["flags", "get", "new-checkout", "-p", "bench", "-e", "bench", "--data", data];
  await against("flags get, to hello world", "≤ 3.0", () => timeOf(EXECUTABLE, ...get), sayHello);
  await against("--version, to hello world", "≤ 2", () => timeOf(EXECUTABLE, "--version"), sayHello);
  await against("--help, to hello world", "≤ 2.5", () => timeOf(EXECUTABLE, "--help"), sayHello);

  const serve = (port: number) => [EXECUTABLE, "serve", "--data", data, "--listen", `127.0.0.1:${port}`];
  const healthz = (port: number) => [bare!, String(port)];
  await against(
    "serve to its first answer, to a bare server",
    "≤ 2.5",
    () => timeToAnswer(serve),
    () => timeToAnswer(healthz),
  );
  const memory = await inTurns(
    3,
    () => idleMemory(serve),
    () => idleMemory(healthz),
  );
  show({
    part: "start",
    name: "idle memory after 3 s, to a bare server",
    goal: "≤ 1.40",
    value: median(memory.ratios),
    spread: spreadOf(memory.ratios),
    detail: `${(memory.a / 1e6).toFixed(1)} to ${(memory.b / 1e6).toFixed(1)} MB`,
  });
  const size = statSync(EXECUTABLE).size / statSync(hello!).size;
  show({
    part: "start",
    name: "executable, to hello world",
    goal: "≤ 1.20",
    value: size,
    spread: [size, size],
  });
}

/** Milliseconds from start to end of a process. */
export async function timeOf(...command: string[]): Promise<number> {
  const start = performance.now();
  const child = Bun.spawn(pinned(0, command), { stdin: "ignore", stdout: "ignore", stderr: "ignore" });
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed`);
  return performance.now() - start;
}

export async function timeToAnswer(command: (port: number) => string[]): Promise<number> {
  return (await startAndStop(command)).answer;
}

/** Milliseconds of a server: until its first answer, of CPU by then, and from SIGTERM to its end. */
export async function startAndStop(command: (port: number) => string[]) {
  const port = freePort();
  const start = performance.now();
  const server = await startServer(command(port), port, "/healthz");
  const answer = performance.now() - start;
  const cpu = server.cpuOfThreads();
  // Requests that came a moment ago would keep it.
  await Bun.sleep(300);
  const stopping = performance.now();
  await server.stop();
  return { answer, cpu, stop: performance.now() - stopping };
}

export async function idleMemory(command: (port: number) => string[]): Promise<number> {
  const port = freePort();
  // The path / would load the dashboard.
  const server = await startServer(command(port), port, "/healthz");
  await Bun.sleep(3000);
  const { now } = server.memory();
  await server.stop();
  return now;
}
