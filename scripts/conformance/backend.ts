import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandLine, EXECUTABLE } from "../bench/formflag.ts";
import { freePort } from "../bench/process.ts";

const PLACE = ["-p", "suite", "-e", "develop"];

/** A server with the flags of the suite, which can be stopped and started again at the same addresses. */
export class Backend {
  readonly port = freePort();
  readonly syncPort = freePort();
  readonly url = `http://127.0.0.1:${this.port}`;
  readonly #data = mkdtempSync(join(tmpdir(), "formflag-conformance-"));
  readonly #flags: string;
  readonly #tokens: Record<string, string> = {};
  #child: Bun.Subprocess | null = null;

  /** `flags` is a flagd file. */
  constructor(flags: string) {
    this.#flags = flags;
  }

  async open(): Promise<void> {
    await this.#run("projects", "create", "suite", "--environments", "develop");
    await this.seed();
    for (const scope of ["flags:evaluate", "flags:sync"]) {
      const token = await this.#run("tokens", "create", scope.slice(6), "--scope", scope, ...PLACE);
      this.#tokens[scope] = (token as { token: string }).token;
    }
    await this.start();
  }

  token(scope: "flags:evaluate" | "flags:sync"): string {
    return this.#tokens[scope]!;
  }

  /** Sets all flags to what the file says. */
  async seed(): Promise<void> {
    await this.#run("flags", "import", this.#flags, ...PLACE);
  }

  /** The default variant of a flag becomes another one of its two. */
  async modify(flag: string): Promise<void> {
    type Shown = { variants: Record<string, unknown>; defaultVariant: string };
    const { variants, defaultVariant } = (await this.#run("flags", "get", flag, ...PLACE)) as Shown;
    const other = Object.keys(variants).find((name) => name !== defaultVariant)!;
    await this.#run("flags", "set", flag, ...PLACE, "--default", other);
  }

  /** Starts the server, unless it runs, and waits until it answers. */
  async start(): Promise<void> {
    if (this.#child) return;
    const addresses = ["--listen", `127.0.0.1:${this.port}`, "--flagd-listen", `127.0.0.1:${this.syncPort}`];
    this.#child = Bun.spawn([EXECUTABLE, "serve", "--data", this.#data, ...addresses], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
    for (const deadline = Date.now() + 20_000; ;) {
      const isReady = await fetch(`${this.url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) return;
      if (Date.now() > deadline) throw new Error("formflag serve does not answer");
      await Bun.sleep(20);
    }
  }

  async stop(): Promise<void> {
    this.#child?.kill("SIGTERM");
    await this.#child?.exited;
    this.#child = null;
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.#data, { recursive: true, force: true });
  }

  #run(...args: string[]): Promise<unknown> {
    return commandLine(EXECUTABLE, this.#data, args);
  }
}
