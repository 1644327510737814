import { mkdirSync, readdirSync, statSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { MiB } from "../../base/bytes.ts";
import { fs, syncDirectoryNow } from "../../base/directory.ts";
import { AppError } from "../../base/errors.ts";
import type { Counted } from "../batches.ts";

/** Bytes of a file from which on lines go to the next one. */
const FILE = MiB;
/** Bytes that may wait for the source. Beyond: nothing more is counted until it has taken some. */
const MOST = 256 * MiB;

const NAME = /^\d{12}\.jsonl$/;

type Waiting = { text: string; resolve: () => void; reject: (error: unknown) => void };

/** A file that is ready to be sent. `refuse` puts it aside. */
type Batch = {
  file: string;
  read: () => Promise<string>;
  remove: () => Promise<void>;
  refuse: () => Promise<void>;
};

/**
 * Lines that wait on the disk until the source has taken them, in files that are batches. A file that was written to before
 * a crash is never written to again.
 */
export class Spool {
  readonly #directory: string;
  /** Bytes by file, the oldest first. */
  readonly #sizes = new Map<string, number>();
  #current: { name: string; handle: FileHandle } | null = null;
  #waiting: Waiting[] = [];
  #isTurning = false;
  #writing: Promise<void> | null = null;

  /** Opens it in a directory that only its owner reads. */
  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const names = readdirSync(directory).filter((name) => NAME.test(name));
    for (const name of names.toSorted()) this.#sizes.set(name, statSync(join(directory, name)).size);
  }

  /** Bytes that wait. */
  get size(): number {
    return this.#sizes.values().reduce((sum, each) => sum + each, 0);
  }

  /** Adds a line, which is durable when it fulfils. Throws `unavailable` if too much waits, or the disk takes none. */
  add(counted: Counted): Promise<void> {
    if (this.size > MOST)
      return Promise.reject(
        new AppError("unavailable", "too much waits for the source of this server", { retryAfter: 60 }),
      );
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ text: `${JSON.stringify(counted)}\n`, resolve, reject });
    void this.#write();
    return promise;
  }

  /** Ends the file that is written to, so that it can be sent. */
  turn(): Promise<void> {
    this.#isTurning = true;
    return this.#write();
  }

  /** The batch that is sent next; null for none. */
  next(): Batch | null {
    const name = this.#sizes.keys().find((each) => each !== this.#current?.name);
    if (name === undefined) return null;
    const file = join(this.#directory, name);
    const forget = (act: Promise<void>) => act.then(() => void this.#sizes.delete(name));
    return {
      file,
      read: async () => wholeLines(await fs().readFile(file, "utf8")),
      remove: () => forget(fs().rm(file)),
      refuse: () => forget(fs().rename(file, `${file}.refused`)),
    };
  }

  #write(): Promise<void> {
    return (this.#writing ??= this.#writeAll());
  }

  /** Writes all that waits, with one sync for all that came meanwhile. */
  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0 || this.#isTurning) {
      const taken = this.#waiting;
      this.#waiting = [];
      if (taken.length === 0) {
        this.#isTurning = false;
        await this.#end();
        continue;
      }
      try {
        await this.#append(taken.map(({ text }) => text).join(""));
        for (const { resolve } of taken) resolve();
      } catch (cause) {
        const message = "what was counted cannot be written to the disk";
        for (const { reject } of taken)
          reject(new AppError("unavailable", message, { cause, retryAfter: 5 }));
      }
    }
    // At once, not behind a promise: a line in between would wait for the next one.
    this.#writing = null;
  }

  async #append(text: string): Promise<void> {
    const { name, handle } = (this.#current ??= await this.#begin());
    const before = this.#sizes.get(name)!;
    try {
      await handle.appendFile(text);
      await handle.datasync();
    } catch (error) {
      // Its sender counts it again under another id.
      await handle.truncate(before).catch(() => {});
      await this.#end().catch(() => {});
      throw error;
    }
    const size = before + Buffer.byteLength(text);
    this.#sizes.set(name, size);
    if (size >= FILE) await this.#end();
  }

  async #begin(): Promise<{ name: string; handle: FileHandle }> {
    const last = Number([...this.#sizes.keys()].at(-1)?.slice(0, 12) ?? 0);
    const name = `${String(last + 1).padStart(12, "0")}.jsonl`;
    const handle = await fs().open(join(this.#directory, name), "ax", 0o600);
    syncDirectoryNow(this.#directory);
    this.#sizes.set(name, 0);
    return { name, handle };
  }

  async #end(): Promise<void> {
    const open = this.#current;
    this.#current = null;
    await open?.handle.close();
  }
}

/** The lines of a file, without one that a crash or a full disk has cut off: that was never confirmed. */
function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf("\n") + 1);
}
