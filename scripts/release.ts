import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unpackTar } from "modern-tar";
import { run } from "../cli/main.ts";
import { processIo } from "../cli/output/terminal.ts";
import manifest from "../package.json";
import { AppError } from "../src/base/errors.ts";
import { type Entry, tarGz, zip } from "./archive.ts";
import { buildExecutable } from "./executable.ts";
import { formatOf } from "./format.ts";
import { manPage } from "./man.ts";
import { type Lock, sbom } from "./sbom.ts";
import { launcherOf, tryOut } from "./trial.ts";

/** Makes `dist/release/`: archives for every platform, their checksums and the bill of materials. */

type Target = {
  /** In the names of its files, and after `bun-` Bun's own. */
  name: `${"linux" | "darwin" | "windows"}-${string}`;
  /** The package with the Bun that goes into it. */
  runtime: string;
  /** The expected result of `formatOf`. */
  format: string;
};

const TARGETS: Target[] = [
  {
    name: "linux-x64",
    runtime: "@oven/bun-linux-x64",
    format: "ELF x64 /lib64/ld-linux-x86-64.so.2",
  },
  {
    // The same bytes as linux-x64: Bun is built for the oldest processors, and uses what newer ones have.
    name: "linux-x64-baseline",
    runtime: "@oven/bun-linux-x64",
    format: "ELF x64 /lib64/ld-linux-x86-64.so.2",
  },
  {
    name: "linux-arm64",
    runtime: "@oven/bun-linux-aarch64",
    format: "ELF arm64 /lib/ld-linux-aarch64.so.1",
  },
  {
    name: "linux-x64-musl",
    runtime: "@oven/bun-linux-x64-musl",
    format: "ELF x64 /lib/ld-musl-x86_64.so.1",
  },
  {
    name: "linux-arm64-musl",
    runtime: "@oven/bun-linux-aarch64-musl",
    format: "ELF arm64 /lib/ld-musl-aarch64.so.1",
  },
  { name: "darwin-arm64", runtime: "@oven/bun-darwin-aarch64", format: "Mach-O arm64" },
  { name: "windows-x64", runtime: "@oven/bun-windows-x64", format: "PE x64" },
];

const ROOT = join(import.meta.dir, "..");
const RELEASE = join(ROOT, "dist", "release");
/** Packages of Bun, kept for the next time. */
const RUNTIMES = join(ROOT, "dist", "runtimes");

/** The standard output of a command. Throws `unavailable` with its standard error if it fails. */
function output(...command: string[]): string {
  const { success, stdout, stderr } = Bun.spawnSync(command, { cwd: ROOT });
  if (!success)
    throw new AppError("unavailable", `${command.join(" ")} failed:\n${stderr.toString().trim()}`);
  return stdout.toString().trim();
}

/**
 * The Bun in the package `name`, from an earlier download or the configured npm registry. Throws `invalid` if the
 * package does not have the hash in package-lock.json, `unavailable` if the download fails.
 */
async function fetchRuntime(name: string, lock: Lock): Promise<Uint8Array> {
  const { version, integrity } = lock.packages[`node_modules/${name}`] ?? {};
  if (!version || !integrity) throw new Error(`package-lock.json does not name ${name} with its hash`);
  const file = join(RUNTIMES, `${name.slice(1).replace("/", "-")}-${version}.tgz`);
  if (!(await Bun.file(file).exists())) {
    mkdirSync(RUNTIMES, { recursive: true });
    output("npm", "pack", `${name}@${version}`, "--pack-destination", RUNTIMES, "--loglevel", "error");
  }
  const packed = await Bun.file(file).bytes();
  const actual = `sha512-${new Bun.CryptoHasher("sha512").update(packed).digest("base64")}`;
  if (actual !== integrity) {
    throw new AppError(
      "invalid",
      `${file} has the hash\n  ${actual}\nbut package-lock.json names\n  ${integrity}`,
      {
        hint: "delete it and try again; where that changes nothing, do not release",
      },
    );
  }
  const isRuntime = (path: string) => /^package\/bin\/bun(\.exe)?$/.test(path);
  const [entry] = await unpackTar(Bun.gunzipSync(packed), { filter: ({ name }) => isRuntime(name) });
  if (!entry?.data) throw new Error(`${file} holds no bin/bun`);
  return entry.data;
}

/** The files of every archive besides the executable. */
async function companions(date: Date): Promise<Entry[]> {
  const encode = (text: string) => new TextEncoder().encode(text);
  const pages = readdirSync(join(ROOT, "docs"))
    .toSorted()
    .map((name) => `docs/${name}`);
  const kept = ["README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md", ...pages];
  const names = { bash: "formflag.bash", zsh: "_formflag", fish: "formflag.fish" };
  const completions = Object.entries(names).map(async ([shell, name]) => {
    let script = "";
    const io = { ...processIo({}), out: async (text: string | Uint8Array) => void (script += String(text)) };
    if ((await run(["completion", shell], io)) !== 0) throw new Error(`no completion for ${shell}`);
    return { name: `completions/${name}`, bytes: encode(script) };
  });
  return [
    ...(await Promise.all(
      kept.map(async (name) => ({ name, bytes: await Bun.file(join(ROOT, name)).bytes() })),
    )),
    { name: "formflag.1", bytes: encode(await manPage(date)) },
    ...(await Promise.all(completions)),
  ];
}

/** Builds and tries one executable. Returns its bytes, and how it was tried. */
async function buildTarget(target: Target, folder: string, lock: Lock, commit: string) {
  const runtime = join(folder, `${target.name}-bun`);
  await Bun.write(runtime, await fetchRuntime(target.runtime, lock), { mode: 0o755 });
  const file = join(folder, target.name, isWindows(target) ? "formflag.exe" : "formflag");
  await buildExecutable(file, { name: `bun-${target.name}` as Bun.Build.CompileTarget, runtime });
  const bytes = await Bun.file(file).bytes();
  const format = formatOf(bytes);
  if (format !== target.format) throw new Error(`${target.name} is ${format}, not ${target.format}`);
  const launcher = launcherOf(format, target.name.endsWith("-baseline"));
  const { version } = lock.packages["node_modules/bun"]!;
  const expected = `formflag ${manifest.version} (commit ${commit}, Bun ${version})`;
  const isTried = launcher !== null && (await tryOut([...launcher, file], expected));
  if (!isTried) return { bytes, tried: `not run here: ${format}` };
  return { bytes, tried: launcher.length > 0 ? `ran with ${launcher.join(" ")}` : "ran here" };
}

function isWindows({ name }: Target): boolean {
  return name.startsWith("windows");
}

async function release(): Promise<void> {
  if (output("git", "status", "--porcelain") !== "") {
    throw new AppError("conflict", "there are uncommitted changes", {
      hint: "commit them, or put them aside with git stash",
    });
  }
  const commit = output("git", "rev-parse", "--short", "HEAD");
  const date = new Date(output("git", "log", "-1", "--format=%cI"));
  const lock = (await Bun.file(join(ROOT, "package-lock.json")).json()) as Lock;
  const beside = await companions(date);
  rmSync(RELEASE, { recursive: true, force: true });
  mkdirSync(RELEASE, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), "formflag-release-"));
  const sums: string[] = [];
  const save = async (name: string, bytes: Uint8Array) => {
    await Bun.write(join(RELEASE, name), bytes);
    sums.push(`${new Bun.CryptoHasher("sha256").update(bytes).digest("hex")}  ${name}\n`);
  };
  try {
    for (const target of TARGETS) {
      const { bytes, tried } = await buildTarget(target, folder, lock, commit);
      const name = `formflag-${manifest.version}-${target.name}`;
      const executable = { name: isWindows(target) ? "formflag.exe" : "formflag", bytes, executable: true };
      const entries = [executable, ...beside].map((entry) => ({ ...entry, name: `${name}/${entry.name}` }));
      if (isWindows(target)) await save(`${name}.zip`, zip(entries, date));
      else await save(`${name}.tar.gz`, await tarGz(entries, date));
      console.log(`${name}  ${tried}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const runtimes = [...new Set(TARGETS.map(({ runtime }) => runtime))];
  const bill = JSON.stringify(sbom(lock, { manifest, date, runtimes }), null, 2);
  await save(`formflag-${manifest.version}.cdx.json`, new TextEncoder().encode(`${bill}\n`));
  await Bun.write(
    join(RELEASE, "SHA256SUMS"),
    sums.toSorted((a, b) => (a.slice(64) < b.slice(64) ? -1 : 1)).join(""),
  );
}

// A zip holds the time of day without its zone.
process.env["TZ"] = "UTC";
try {
  await release();
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  console.error(`error: ${error.message}${error.hint === null ? "" : `\nhint: ${error.hint}`}`);
  process.exitCode = 1;
}
