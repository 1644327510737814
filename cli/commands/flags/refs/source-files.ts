import { closeSync, lstatSync, openSync, readSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { AppError } from "../../../../src/base/errors.ts";
import { startGit } from "./git.ts";

/** Larger files are hardly ever source code, in bytes. */
const MAX_SOURCE_FILE = 1_048_576;
/** Folders of installed, built or copied code. */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([".git", "node_modules", "dist", "build", "vendor"]);
/** A NUL among this many first bytes marks a file as binary, as in git. */
const SNIFFED = 8000;

type Choice = { exclude: string[]; skip: string };

/**
 * The files in a folder and its subfolders, as paths from there with `/`: in a git working tree, files that git tracks or
 * does not ignore, else all. Leaves out `SKIPPED_FOLDERS`, what a glob of `exclude` names, and the folder `skip`.
 */
export async function* sourceFiles(root: string, { exclude, skip }: Choice): AsyncGenerator<string> {
  const globs = exclude.map((glob) => new Bun.Glob(glob.replace(/\/+$/, "")));
  const skipped = resolve(skip);
  const isLeftOut = (path: string, name: string) =>
    SKIPPED_FOLDERS.has(name) || globs.some((glob) => glob.match(path)) || resolve(root, path) === skipped;
  let listed = 0;
  for await (const path of gitFiles(root)) {
    listed += 1;
    const parts = path.split("/");
    if (!parts.some((name, depth) => isLeftOut(parts.slice(0, depth + 1).join("/"), name))) yield path;
  }
  if (listed === 0) yield* walk(root, "", isLeftOut);
}

async function* walk(
  root: string,
  folder: string,
  isLeftOut: (path: string, name: string) => boolean,
): AsyncGenerator<string> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
    throw unreadable(folder === "" ? root : folder, error);
  });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (isLeftOut(path, entry.name)) continue;
    if (entry.isDirectory()) yield* walk(root, path, isLeftOut);
    else if (entry.isFile()) yield path;
  }
}

/** The files that git lists; none if git is not installed, or the folder is not in a work tree. */
async function* gitFiles(root: string): AsyncGenerator<string> {
  const child = startGit(root, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  if (child === null) return;
  let rest = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    const paths = (rest + text).split("\0");
    rest = paths.pop()!;
    yield* paths;
  }
  await child.exited;
}

/** One buffer for all files: each is decoded before the next is read. */
const buffer = Buffer.allocUnsafe(MAX_SOURCE_FILE + 1);

/**
 * The text of a file, one character a byte; undefined if it is binary, too large, missing or not a regular file. Throws
 * `forbidden` if it cannot be read.
 */
export function readSourceFile(root: string, path: string): string | undefined {
  const file = join(root, path);
  const status = lstatSync(file, { throwIfNoEntry: false });
  if (!status?.isFile() || status.size > MAX_SOURCE_FILE) return undefined;
  let size = 0;
  try {
    const handle = openSync(file, "r");
    try {
      let read: number;
      do size += read = readSync(handle, buffer, size, buffer.length - size, null);
      while (read > 0);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw unreadable(path, error);
  }
  if (size > MAX_SOURCE_FILE || buffer.subarray(0, Math.min(size, SNIFFED)).includes(0)) return undefined;
  return buffer.toString("latin1", 0, size);
}

function unreadable(path: string, cause: unknown): AppError {
  return new AppError("forbidden", `${path} cannot be read`, {
    hint: `leave it out with --exclude '${path}', or make it readable`,
    cause,
  });
}
