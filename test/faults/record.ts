import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { DISK, tempDirectory } from "../support/temp.ts";

/**
 * What a process did to the files under a directory, in order. `start` and `end` are positions in the recording: the
 * operation had not begun before the one, and was done by the other. Files and directories are inodes; 0 is the
 * directory itself.
 */
export type Operation = { start: number; end: number; inode: number } & (
  | { kind: "write"; offset: number; bytes: Uint8Array }
  | { kind: "truncate"; size: number }
  /** Names in the directory `inode` that were given to another inode, or to none, all or none of them. */
  | { kind: "names"; changes: [name: string, inode: number | null][] }
  | { kind: "sync" }
);

export type Recording = {
  root: string;
  inodes: { path: string; isDirectory: boolean }[];
  operations: Operation[];
  /** The positions at which answers with 2xx were sent, by their `X-Request-Id`. */
  answers: Map<string, number>;
  /** How many positions there are. */
  length: number;
  /** What each directory held when the recording stopped. */
  names: Map<number, Map<string, number>>;
};

/** Of a directory that is empty and on the disk. */
export function createRecording(root: string): Recording {
  return {
    root,
    inodes: [{ path: "", isDirectory: true }],
    operations: [],
    answers: new Map(),
    length: 0,
    names: new Map([[0, new Map()]]),
  };
}

const CALLS = [
  "open,openat,creat,close,dup,dup2,dup3,lseek",
  "write,pwrite64,writev,pwritev,pwritev2,truncate,ftruncate,fallocate,copy_file_range,sendfile,splice",
  "rename,renameat,renameat2,unlink,unlinkat,rmdir,link,linkat,symlink,symlinkat,mkdir,mkdirat",
  "fsync,fdatasync,sync_file_range,msync,mmap,sendto,sendmsg,io_uring_setup",
].join(",");

/**
 * What to put before a command line to record what it does to the files, and what to call once that process has
 * ended: it adds what was done to the recording, and returns the position at which the process ended.
 */
export function tracing(recording: Recording): { under: string[]; ended: () => Promise<number> } {
  const log = join(tempDirectory(DISK), "trace");
  const options = ["-D", "-f", "--seccomp-bpf", "-xx", "-s", "16777216", "-o", log, "-e", `trace=${CALLS}`];
  return {
    under: ["strace", ...options],
    async ended() {
      const text = await eventually("the trace is written", () => {
        const text = readFileSync(log, "latin1");
        // The first line is of the main thread, whose end is seen last.
        const [pid] = text.split(" ", 1);
        return new RegExp(`^${pid} +\\+\\+\\+ `, "m").test(text) ? text : undefined;
      });
      addTrace(recording, text.split("\n"));
      return recording.length;
    },
  };
}

/** The path that a call begins with, in hexadecimal digits. */
const pathIn = (args: string) => /"([^"]*)"/.exec(args)?.[1];

type File = { inode: number; offset: number };
/** `seen` is the position by which another thread had seen what the call did. */
type Call = { name: string; args: string; start: number; file: File | undefined; seen?: number };

function addTrace(recording: Recording, lines: string[]): void {
  const files = new Map<number, File>();
  const running = new Map<string, Call>();
  const begin = (name: string, args: string, start: number): Call => {
    const fd = Number(/^\d+/.exec(args)?.[0] ?? -1);
    const file = files.get(fd);
    // Another thread may be given its number before this one is seen to return.
    if (name === "close") files.delete(fd);
    if (!file && /^(sendto|sendmsg|write|writev)$/.test(name)) noteAnswer(recording, args, start);
    return { name, args, start, file };
  };
  for (const line of lines) {
    const position = (recording.length += 1);
    const [, pid = "", resumed, name = "", rest = ""] =
      /^(\d+) +(<\.\.\. )?(\w+)(?: resumed>|\()(.*)$/.exec(line) ?? [];
    if (name === "") continue;
    const open = running.get(pid);
    const call = resumed ? open! : begin(name, rest, position);
    if (resumed) call.args = call.args.replace(/ <unfinished \.\.\.>$/, "") + rest;
    running.set(pid, call);
    const [, args, result] = /^(.*)\) += (-?\w+)[^"]*$/.exec(call.args) ?? [];
    if (args === undefined) continue;
    running.delete(pid);
    if (!result!.startsWith("-") && result !== "?")
      addCall(recording, files, { ...call, args }, Number(result), call.seen ?? position);
    // The name is gone by a call of another thread, which may be seen to return only later.
    else if (name.startsWith("unlink") && / ENOENT /.test(call.args))
      for (const other of running.values())
        if (other.name === name && pathIn(other.args) === pathIn(args)) other.seen ??= position;
  }
}

function addCall(
  recording: Recording,
  files: Map<number, File>,
  { name, args, start, file }: Call,
  result: number,
  end: number,
): void {
  const add = (inode: number, operation: Rest) =>
    recording.operations.push({ start, end, inode, ...operation });
  const isWrite = /write|send/.test(name);
  const paths = [...(isWrite ? "" : args).matchAll(/(?:(AT_FDCWD|\d+), )?"([^"]*)"/g)].map(([, at, hex]) =>
    locate(
      recording,
      at === undefined || at === "AT_FDCWD" ? undefined : files.get(Number(at)),
      decode(hex!),
    ),
  );
  const [from, to] = paths;
  const last = Number(/(\d+)$/.exec(args)?.[1]);
  const nameIn = (place: Place, inode: number | null) => {
    const names = recording.names.get(place.directory)!;
    if (inode === null) names.delete(place.name);
    else names.set(place.name, inode);
    return [place.name, inode] as [string, number | null];
  };
  const make = (place: Place, isDirectory: boolean) => {
    const inode = recording.inodes.push({ path: place.path, isDirectory }) - 1;
    if (isDirectory) recording.names.set(inode, new Map());
    add(place.directory, { kind: "names", changes: [nameIn(place, inode)] });
    return inode;
  };
  const write = (offset: number) => {
    const bytes = bytesOf(args).subarray(0, result);
    if (bytes.byteLength !== result) throw new Error(`the trace cut off ${name} of ${result} bytes`);
    if (file) add(file.inode, { kind: "write", offset, bytes });
  };

  switch (name) {
    case "open":
    case "openat":
      if (!from) return;
      if (from.inode === undefined && !args.includes("O_CREAT"))
        throw new Error(`${from.path} was made unseen`);
      const inode = from.inode ?? make(from, false);
      if (args.includes("O_TRUNC") && from.inode !== undefined) add(inode, { kind: "truncate", size: 0 });
      files.set(result, { inode, offset: 0 });
      return;
    case "write":
    case "writev":
      if (!file) return;
      write(file.offset);
      file.offset += result;
      return;
    case "pwrite64":
    case "pwritev":
      return write(last);
    case "lseek":
      if (file) file.offset = result;
      return;
    case "ftruncate":
      if (file) add(file.inode, { kind: "truncate", size: last });
      return;
    case "mkdir":
    case "mkdirat":
      if (from) make(from, true);
      return;
    case "unlink":
    case "unlinkat":
    case "rmdir":
      if (from) add(from.directory, { kind: "names", changes: [nameIn(from, null)] });
      return;
    case "rename":
    case "renameat":
    case "renameat2": {
      if (!from || !to) return;
      const inode = from.inode!;
      const [gone, there] = [nameIn(from, null), nameIn(to, inode)];
      if (from.directory === to.directory) {
        add(from.directory, { kind: "names", changes: [gone, there] });
      } else {
        add(to.directory, { kind: "names", changes: [there] });
        add(from.directory, { kind: "names", changes: [gone] });
      }
      return;
    }
    case "fsync":
    case "fdatasync":
      if (file) add(file.inode, { kind: "sync" });
      return;
    case "mmap":
      // The -shm file is no part of what is kept: SQLite makes it anew.
      if (!/PROT_WRITE/.test(args) || !/MAP_SHARED/.test(args)) return;
      break;
    case "close":
    case "sendto":
    case "sendmsg":
      return;
    default:
      break;
  }
  const fds = [...args.matchAll(/(?:^|, )(\d+)(?=,|$)/g)].map(([, fd]) => files.get(Number(fd)));
  const known = fds.filter((each) => each && !isShared(recording, each.inode));
  if (paths.some(Boolean) || known.length > 0 || name === "io_uring_setup")
    throw new Error(`the recording does not know what ${name}(${args.slice(0, 200)}) does`);
}

type Rest = Operation extends infer Each
  ? Each extends Operation
    ? Omit<Each, "start" | "end" | "inode">
    : never
  : never;

type Place = { path: string; directory: number; name: string; inode: number | undefined };

/** Where a path leads under the root; undefined for one that is elsewhere. */
function locate(recording: Recording, at: File | undefined, path: string): Place | undefined {
  const base = at ? join(recording.root, recording.inodes[at.inode]!.path) : "";
  const absolute = join(base, path);
  if (absolute === recording.root) return { path: "", directory: 0, name: "", inode: 0 };
  if (!absolute.startsWith(`${recording.root}/`)) return undefined;
  const below = absolute.slice(recording.root.length + 1);
  const parts = below.split("/").filter((part) => part !== "");
  const name = parts.pop()!;
  let directory = 0;
  for (const part of parts) directory = recording.names.get(directory)!.get(part)!;
  return { path: below, directory, name, inode: recording.names.get(directory)!.get(name) };
}

function isShared(recording: Recording, inode: number): boolean {
  return recording.inodes[inode]!.path.endsWith("-shm");
}

function noteAnswer(recording: Recording, args: string, position: number): void {
  const text = bytesOf(args).toString("latin1");
  if (!text.startsWith("HTTP/1.1 2")) return;
  const id = /^x-request-id: (\S+)/im.exec(text)?.[1];
  if (id !== undefined) recording.answers.set(id, position);
}

function bytesOf(args: string): Buffer {
  return Buffer.concat(
    [...args.matchAll(/"([^"]*)"/g)].map(([, hex]) => Buffer.from(hex!.replaceAll("\\x", ""), "hex")),
  );
}

const decode = (hex: string) => Buffer.from(hex.replaceAll("\\x", ""), "hex").toString();
