import { existsSync, readFileSync, statSync, utimesSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { MiB } from "../../base/bytes.ts";
import { fs, replaceDurably, syncDirectory } from "../../base/directory.ts";
import type { Line } from "../lines.ts";
import { Draft, EMPTY, type State, linesOf } from "./state.ts";

/** Bytes of changes behind a state from which on the file is rewritten, beyond the size of that state. */
const SLACK = 4 * MiB;

/** The last state on the disk: a first line with the source, then lines as they came, as far as a moment ends them. */
export type Journal = {
  /** The last state of the source, and when the source was last heard, in milliseconds since 1970; null for none. */
  read: () => { state: State; heardAt: number } | null;
  /** Adds the lines of a change that leads to a state, or writes all of it. Durable when it fulfils. */
  add: (lines: readonly string[], state: State, isWhole: boolean) => Promise<void>;
  /** Notes that the source was heard. */
  heard: (at: number) => void;
  /** Removes the state. */
  clear: () => Promise<void>;
  close: () => Promise<void>;
};

/** Opens the journal of a source in a file that only its owner reads. */
export function openJournal(file: string, source: string): Journal {
  const first = `${JSON.stringify({ source })}\n`;
  let handle: FileHandle | null = null;
  /** Bytes of the state as a whole, and of the file; null where it is to be written as a whole. */
  let sizes: { whole: number; all: number } | null = null;

  const end = async () => {
    const open = handle;
    handle = null;
    await open?.close();
  };
  const write = async (state: State) => {
    await end();
    const text = first + [...linesOf(state)].join("");
    replaceDurably(file, text);
    const whole = Buffer.byteLength(text);
    sizes = { whole, all: whole };
    handle = await fs().open(file, "a");
  };
  return {
    read() {
      if (!existsSync(file)) return null;
      const [head, ...lines] = readFileSync(file, "utf8").split("\n");
      if (`${head}\n` !== first) return null;
      const state = stateOf(lines);
      return state && { state, heardAt: statSync(file).mtimeMs };
    },
    async add(lines, state, isWhole) {
      const text = lines.join("");
      try {
        if (isWhole || handle === null || sizes === null) return await write(state);
        sizes.all += Buffer.byteLength(text);
        if (sizes.all > 2 * sizes.whole + SLACK) return await write(state);
        await handle.appendFile(text);
        await handle.datasync();
      } catch (error) {
        // A line that was cut off would spoil those behind it.
        sizes = null;
        throw error;
      }
    },
    heard(at) {
      try {
        if (handle !== null) utimesSync(file, at / 1000, at / 1000);
      } catch {
        // The file was removed: the next change writes all of it.
        sizes = null;
      }
    },
    async clear() {
      await end();
      sizes = null;
      await fs().rm(file, { force: true });
      // A power cut must not bring it back.
      await syncDirectory(dirname(file));
    },
    close: end,
  };
}

/**
 * The state that lines lead to; null for none. What no moment ends, a crash has cut off; what another release wrote, or a disk
 * has spoiled, is left to the source.
 */
function stateOf(lines: readonly string[]): State | null {
  let state: State | null = null;
  let draft = new Draft(EMPTY);
  try {
    for (const text of lines) {
      const line = JSON.parse(text) as Line;
      if ("at" in line) {
        state = draft.at(line.at);
        draft = new Draft(state);
      } else if (!("ended" in line)) draft.take(line);
    }
  } catch {
    return state;
  }
  return state;
}
