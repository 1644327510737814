import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "bun:test";
import { eventually } from "../eventually.ts";

/** The end of a block, with what failed in it and the folder that the shell is in. */
const END = /\u0001END\u0001([^\u0001]*)\u0001([^\u0001]*)\u0001\.\n/;

/** What is typed into a command, once this is on the screen. */
export type Answer = { to: string; typed: string };

export type Terminal = {
  /** Types a block, and an answer once something asks for it. Returns what it prints, and which commands fail. */
  types: (block: string, answer?: Answer) => Promise<{ printed: string; failed: string[] }>;
  /** Types a block that goes on, such as that of a server, and returns what it prints up to a text. */
  starts: (block: string, until: string) => Promise<string>;
  /** Saves a file where the reader is. */
  saves: (name: string, text: string) => void;
  /** Presses Ctrl-C. */
  interrupts: () => Promise<void>;
};

/** Opens a shell at a terminal of its own. `under` comes before the shell, `root` is where its files are. */
export async function openTerminal({
  under = [],
  env,
  cwd,
  root = "/",
}: {
  under?: string[];
  env: Record<string, string>;
  cwd: string;
  root?: string;
}): Promise<Terminal> {
  let screen = "";
  let folder = cwd;
  const decoder = new TextDecoder();
  const child = Bun.spawn([...under, "bash", "--norc", "--noprofile", "--noediting", "-i"], {
    ...(under.length === 0 && { cwd }),
    env: { TERM: "xterm", PS1: "", PS2: "", ...env },
    terminal: {
      cols: 140,
      rows: 40,
      data: (_, bytes) => void (screen += decoder.decode(bytes, { stream: true })),
    },
  });
  afterAll(() => child.kill("SIGKILL"));
  const write = (line: string) => {
    screen = "";
    child.terminal!.write(`${line}\n`);
  };
  const plain = () =>
    // What a line began with is gone once it is written again, as by a progress bar.
    Bun.stripANSI(screen.replaceAll("\r\n", "\n").replaceAll(/.*(?:\r|\u001b\[2?K)/g, ""));
  // The block is one line of input: what its commands read is what is typed after it.
  const line = (block: string) => {
    const text = Buffer.from(block).toString("base64");
    return `FAILED=; eval "$(base64 -d <<< ${text})"; printf '\\001END\\001%s\\001%s\\001' "$FAILED" "$PWD"; echo .`;
  };
  const shows = (text: string) =>
    eventually(`${text} is printed`, () => plain().includes(text), 60_000).catch((error: Error) => {
      throw new Error(`${error.message}\n${plain()}`);
    });
  const ended = async (block: string) => {
    await shows("\u0001.\n");
    const [end, failed = "", now = cwd] = END.exec(plain()) ?? [block];
    folder = now;
    const commands = failed.split("\n").filter((each) => each !== "" && !each.startsWith('eval "$(base64'));
    return { printed: plain().replace(end, ""), failed: commands };
  };
  const types = async (block: string, answer?: Answer) => {
    write(line(block));
    if (answer) {
      await shows(answer.to);
      child.terminal!.write(answer.typed);
    }
    return ended(block);
  };
  write(`stty -echo; bind 'set enable-bracketed-paste off' 2> /dev/null; PS1= PS2=; cd '${cwd}'`);
  await types(`trap 'FAILED+="$BASH_COMMAND"$'"'\\n'" ERR`);
  return {
    types,
    async starts(block, until) {
      write(line(block));
      await shows(until);
      return plain();
    },
    saves(name, text) {
      const [there, file] = [join(root, folder), join(root, folder, name)];
      writeFileSync(file, text);
      const { uid, gid } = statSync(there);
      chownSync(file, uid, gid);
    },
    async interrupts() {
      child.terminal!.write("\u0003");
      await ended("what was interrupted");
    },
  };
}
