import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import type { Scheduler } from "../world/scheduler.ts";

export type Disk = {
  /** Once in so many writes to the spool there is no room; 0 for never. */
  full: number;
  /** What was not synced may be gone, at any byte, and what was removed may be there again. */
  losePower: () => void;
  close: () => void;
};

/** Replaces the asynchronous calls of files in a directory until it is closed: each is a step of the scheduler. */
export function replaceDisk(directory: string, scheduler: Scheduler): Disk {
  const { chance } = scheduler;
  const calls = process.getBuiltinModule("node:fs/promises");
  const { open, readFile, rm, rename } = calls;
  /** Bytes of the open files that survive. */
  const synced = new Map<string, number>();
  const removed = new Map<string, Buffer>();

  const step = async <T>(what: string, file: string, act: () => T): Promise<T> => {
    await scheduler.sleep(chance.int(4), `${what} ${basename(file)}`);
    const result = act();
    await scheduler.sleep(chance.int(3), `${what} done`);
    return result;
  };
  const append = (file: string, text: string) => {
    const isFull = disk.full > 0 && file.endsWith(".jsonl") && chance.once(disk.full);
    appendFileSync(file, isFull ? text.slice(0, chance.int(text.length + 1)) : text);
    if (isFull) throw Object.assign(new Error("no space is left"), { code: "ENOSPC" });
  };
  const sync = (file: string) => void synced.set(file, statSync(file).size);
  const forgetRemoved = (of: string) => {
    for (const file of removed.keys()) if (dirname(file) === of) removed.delete(file);
  };
  const openFile = (file: string, flags: string, mode: number) => {
    closeSync(openSync(file, flags, mode));
    if (!statSync(file).isDirectory()) sync(file);
    return {
      appendFile: (text: string) => step("append", file, () => append(file, text)),
      datasync: () => step("sync", file, () => sync(file)),
      // Of a directory, which keeps what is removed from coming back.
      sync: () => step("sync", file, () => forgetRemoved(file)),
      truncate: (size: number) => step("truncate", file, () => truncateSync(file, size)),
      close: () => step("close", file, () => {}),
    };
  };
  const remove = (file: string, { force = false } = {}) => {
    if (force && !existsSync(file)) return;
    removed.set(file, readFileSync(file));
    rmSync(file);
  };
  const replaced = {
    open: (file: string, flags: string, mode: number) =>
      step("open", file, () => openFile(file, flags, mode)),
    readFile: (file: string) => step("read", file, () => readFileSync(file, "utf8")),
    rm: (file: string, options?: { force?: boolean }) => step("remove", file, () => remove(file, options)),
    rename: (file: string, to: string) => step("rename", file, () => renameSync(file, to)),
  };
  for (const [name, own] of Object.entries({ open, readFile, rm, rename })) {
    const simulated = replaced[name as "open"] as unknown as typeof own;
    const call = (...args: unknown[]) =>
      Reflect.apply(String(args[0]).startsWith(directory) ? simulated : own, calls, args);
    Reflect.set(calls, name, call);
  }
  const disk: Disk = {
    full: 0,
    losePower() {
      for (const [file, size] of synced) {
        const lost = existsSync(file) ? statSync(file).size - size : 0;
        if (lost > 0) truncateSync(file, size + chance.int(lost + 1));
      }
      for (const [file, content] of removed)
        if (!existsSync(file) && chance.once(2)) writeFileSync(file, content);
      synced.clear();
      removed.clear();
    },
    close: () => void Object.assign(calls, { open, readFile, rm, rename }),
  };
  return disk;
}
