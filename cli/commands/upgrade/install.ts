import { verify } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  linkSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { MiB } from "../../../src/base/bytes.ts";
import { syncDirectoryNow } from "../../../src/base/directory.ts";
import { AppError } from "../../../src/base/errors.ts";
import { unpackTar } from "../../../src/maintenance/tar.ts";
import { diskError } from "../../data/write.ts";
import { type Progress, progressBar } from "../../output/progress.ts";
import { RELEASE, VERSION } from "../../version.ts";
import { compareVersions, isPrerelease } from "./version-number.ts";
import { clock } from "../../../src/base/clock.ts";
import { chunksOf, failureOf, isLoopbackUrl, readAtMost } from "../../session/connection.ts";

/** A version of a release that can be installed here. */
type Found = {
  version: string;
  isNewer: boolean;
  isInstalled: boolean;
  /** The archive, and its SHA-256 in hexadecimal. */
  archive: string;
  sum: string;
};

/** Most bytes of SHA256SUMS, of an archive, and of what is in it; an archive has some 66 MB. */
const LIMITS = { sums: MiB, archive: 512 * MiB, executable: 1024 * MiB };

/**
 * The version to install: the newest of a release, or the named one. Throws `unsupported` for an executable that
 * cannot be replaced and for a release that is not signed by its key, `not_found` for a version that is not there,
 * `conflict` for an older one without `force`, and `unavailable`.
 */
export async function findUpgrade(wanted: {
  version: string | null;
  from: string;
  force: boolean;
}): Promise<Found> {
  requireReplaceable(realpathSync(process.execPath));
  const { from } = wanted;
  if (from === "") {
    throw new AppError("unsupported", "this executable does not know where releases are", {
      hint: "name the address that has SHA256SUMS: formflag upgrade --from <url>",
    });
  }
  const [sums, signature] = await Promise.all([
    download(`${from}/SHA256SUMS`, LIMITS.sums),
    download(`${from}/SHA256SUMS.sig`, LIMITS.sums),
  ]);
  if (!verify(null, sums, RELEASE.key, signature)) {
    throw new AppError("unsupported", `${from}/SHA256SUMS is not signed by the key of this executable`, {
      hint: "nothing was installed: is this the address of formflag's releases?",
    });
  }
  return select(archivesIn(new TextDecoder().decode(sums)), wanted);
}

function requireReplaceable(file: string): void {
  const refuse = (message: string, hint: string) => new AppError("unsupported", message, { hint });
  // That of no release is in node_modules too: the runtime of the source.
  if (RELEASE.platform !== "" && /[\\/]node_modules[\\/]/.test(file))
    throw refuse(`${file} was installed by npm, which replaces it`, "npm install --global formflag@latest");
  if (file.includes("/Cellar/"))
    throw refuse(`${file} was installed by Homebrew, which replaces it`, "brew upgrade formflag");
  const byHand = "unpack the archive of a release in its place: formflag docs install";
  if (RELEASE.key === "") throw refuse("this executable has no key that could verify a release", byHand);
  if (process.platform === "win32") throw refuse("an executable for Windows cannot replace itself", byHand);
}

/** The archives for this platform in a list of checksums, by version. */
function archivesIn(sums: string): Map<string, { archive: string; sum: string }> {
  const archives = new Map<string, { archive: string; sum: string }>();
  for (const line of sums.split("\n")) {
    const [, sum, archive, version] = /^([0-9a-f]{64}) {2}(formflag-(.+)\.tar\.gz)$/.exec(line) ?? [];
    const suffix = `-${RELEASE.platform}`;
    if (version?.endsWith(suffix))
      archives.set(version.slice(0, -suffix.length), { archive: archive!, sum: sum! });
  }
  return archives;
}

function select(
  archives: Map<string, { archive: string; sum: string }>,
  { version, from, force }: { version: string | null; from: string; force: boolean },
): Found {
  const versions = [...archives.keys()].toSorted(compareVersions);
  const newest = versions.findLast((each) => isPrerelease(VERSION) || !isPrerelease(each)) ?? versions.at(-1);
  const chosen = version ?? newest;
  const found = chosen === undefined ? undefined : archives.get(chosen);
  if (chosen === undefined || found === undefined) {
    const what = version === null ? "no formflag" : `no formflag ${version}`;
    throw new AppError("not_found", `${from} has ${what} for ${RELEASE.platform}`, {
      hint: versions.length > 0 ? `it has ${versions.join(", ")}` : "see its SHA256SUMS for what it has",
    });
  }
  const order = compareVersions(chosen, VERSION);
  // An old list that is signed must not bring back an old version.
  if (order < 0 && version !== null && !force) {
    throw new AppError("conflict", `formflag ${chosen} is older than ${VERSION}, which is installed`, {
      hint: "an older version may not open the data of a newer one; --force installs it anyway",
    });
  }
  return {
    version: chosen,
    isNewer: order > 0,
    isInstalled: order === 0 || (order < 0 && version === null),
    ...found,
  };
}

/**
 * Installs a version in the place of this executable. Throws `unsupported` for an archive without its checksum and for an
 * executable that does not run, `forbidden` where this user may not write, and `unavailable`, also for a full disk; this
 * executable is then as before.
 */
export async function install(
  { version, archive, sum }: Found,
  { from }: { from: string },
  progress: Progress,
): Promise<{ executable: string; old: string | null }> {
  const executable = realpathSync(process.execPath);
  const folder = dirname(executable);
  try {
    accessSync(folder, constants.W_OK);
    removeLeftovers(folder);
  } catch (error) {
    throw explained(error, executable);
  }
  const url = `${from}/${archive}`;
  const bytes = await download(url, LIMITS.archive, (done, total) =>
    progress.draw(progressBar(done, total, archive)),
  );
  progress.clear();
  if (new Bun.CryptoHasher("sha256").update(bytes).digest("hex") !== sum) {
    throw new AppError("unsupported", `${url} is not the file that SHA256SUMS names`, {
      hint: "nothing was installed: try again, and if that changes nothing, do not install it",
    });
  }
  const made = await executableIn(bytes, archive);
  const next = join(folder, `.formflag-${process.pid}.new`);
  const old = `${executable}.old`;
  try {
    writeFileSync(next, made, { mode: 0o755, flush: true });
    chmodSync(next, 0o755);
    tryOut(next, version);
    // The same version again would take the place of the earlier one.
    if (version !== VERSION) {
      rmSync(old, { force: true });
      keep(executable, old);
    }
    renameSync(next, executable);
  } catch (error) {
    throw explained(error, executable);
  } finally {
    rmSync(next, { force: true });
  }
  syncDirectoryNow(folder);
  return { executable, old: version === VERSION ? null : old };
}

async function executableIn(archive: Uint8Array<ArrayBuffer>, name: string): Promise<Uint8Array> {
  for await (const { path, size, bytes } of unpackTar(unpacked(archive, name))) {
    if (basename(path) !== "formflag" || size > LIMITS.executable) continue;
    return await new Response(bytes as ReadableStream<Uint8Array<ArrayBuffer>>).bytes();
  }
  throw new AppError("unsupported", `${name} holds no executable`);
}

function unpacked(archive: Uint8Array<ArrayBuffer>, name: string): ReadableStream<Uint8Array> {
  try {
    return new Blob([Bun.gunzipSync(archive)]).stream();
  } catch {
    throw new AppError("unsupported", `${name} is not a gzip file`);
  }
}

/** Throws `unsupported` unless the executable runs and says its version. */
function tryOut(file: string, version: string): void {
  const { stdout, stderr, exitCode } = Bun.spawnSync([file, "--version"], {
    stdin: "ignore",
    timeout: PATIENCE,
  });
  if (exitCode === 0 && stdout.toString().startsWith(`formflag ${version} `)) return;
  const said = (stderr.toString() || stdout.toString()).trim().split("\n", 1)[0];
  throw new AppError(
    "unsupported",
    `the new executable does not run here: ${said || `exit code ${exitCode}`}`,
    {
      hint: "nothing was installed",
    },
  );
}

/** Gives a file a second name, or copies it on a file system that has none. */
function keep(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch {
    copyFileSync(file, name);
  }
}

/** Removes the new executables of upgrades that were killed: each is as large as this one. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /^\.formflag-(\d+)\.new$/.exec(name)?.[1];
    if (pid !== undefined && !isProcess(Number(pid))) rmSync(join(folder, name), { force: true });
  }
}

function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** An AppError for an error of the disk; any other error unchanged. */
function explained(error: unknown, file: string): unknown {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code !== "EACCES" && code !== "EPERM") return diskError(error, `the file ${file}`);
  return new AppError("forbidden", `${file} cannot be replaced by this user`, {
    hint: "run it as its owner, for example with sudo",
  });
}

/** How long a server may take to send more, in milliseconds. */
const PATIENCE = 30_000;

/** The file at an address, of at most `limit` bytes. Throws `unavailable`. */
async function download(
  url: string,
  limit: number,
  onBytes: (done: number, total: number) => void = () => {},
): Promise<Uint8Array<ArrayBuffer>> {
  const stop = new AbortController();
  const wait = async <T>(work: Promise<T>): Promise<T> => {
    const timer = clock.after(PATIENCE, () => stop.abort());
    try {
      return await work;
    } catch (error) {
      const text = stop.signal.aborted ? "did not answer for 30 seconds" : failureOf(error).text;
      throw new AppError("unavailable", `${url} ${text}`, { cause: error });
    } finally {
      timer.close();
    }
  };
  const answer = await wait(
    fetch(url, { signal: stop.signal, ...(isLoopbackUrl(url) ? { proxy: false } : {}) }),
  );
  if (!answer.ok) {
    await answer.body?.cancel();
    throw new AppError("unavailable", `${url} answered ${answer.status}`, {
      hint: "is this the address of a signed release? name it with --from",
    });
  }
  const total = Number(answer.headers.get("content-length") ?? 0);
  let done = 0;
  const counted = async function* () {
    for await (const chunk of chunksOf(answer.body, wait)) {
      onBytes((done += chunk.byteLength), total);
      yield chunk;
    }
  };
  const bytes = await readAtMost(counted(), limit);
  if (bytes === null) throw new AppError("unavailable", `${url} is larger than a file of a release`);
  return bytes;
}
