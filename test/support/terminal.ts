import { afterAll } from "bun:test";
import { eventually } from "./eventually.ts";
import { EXECUTABLE } from "./executable.ts";
import { tempDirectory } from "./temp.ts";

/** The executable at a terminal of its own, as a person uses it. */
export function atTerminal(args: string[], env: Record<string, string> = {}, cols = 100) {
  let shown = "";
  const child = Bun.spawn([EXECUTABLE, ...args], {
    cwd: tempDirectory(),
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", TERM: "xterm", ...env },
    terminal: { cols, rows: 40, data: (_, bytes) => void (shown += Buffer.from(bytes).toString()) },
  });
  afterAll(() => child.kill("SIGKILL"));
  return {
    /** Types at once, whether or not anything asks. */
    type: (text: string) => void child.terminal!.write(text),
    /** Fulfils once the text is on the screen. */
    shows: (text: string) => eventually(`${text} is shown`, () => Bun.stripANSI(shown).includes(text)),
    /** The exit code, with everything that was on the screen, and the same as the terminal got it. */
    async ends(): Promise<{ code: number; screen: string; raw: string }> {
      return { code: await child.exited, screen: Bun.stripANSI(shown), raw: shown };
    },
  };
}
