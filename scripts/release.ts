import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { unpackTar } from "modern-tar";
import { run } from "../cli/main.ts";
import { processIo } from "../cli/output/terminal.ts";
import manifest from "../package.json";
import { AppError } from "../src/base/errors.ts";
import { type Entry, tarGz, zip } from "./archive.ts";
import { type Published, buildExecutable } from "./executable.ts";
import { formatOf } from "./format.ts";
import { manPage } from "./man.ts";
import { installationFiles } from "./publishing/files.ts";
import { openFeaturePackage } from "./publishing/openfeature.ts";
import { type About, PACKAGED, launcherPackage, platformPackage } from "./publishing/npm.ts";
import { type Signer, readSigner } from "./publishing/sign.ts";
import { TARGETS, type Target, executableOf } from "./publishing/targets.ts";
import { type Lock, sbom } from "./sbom.ts";
import { launcherOf, tryOut } from "./trial.ts";

/**
 * npm run release [-- --platform P… --out DIR --sign-key FILE --download URL]: makes `dist/release/`, or `DIR`: archives and
 * npm packages for every platform, the package of the providers, files that install them, the bill of materials, checksums,
 * and with a key their signature. With `--package openfeature`, makes only the package of the providers.
 */

const ROOT = join(import.meta.dir, "..");
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
  const pages = readdirSync(join(ROOT, "docs"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
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
async function buildTarget(
  target: Target,
  {
    folder,
    lock,
    commit,
    published,
  }: { folder: string; lock: Lock; commit: string; published: Omit<Published, "platform"> },
) {
  const runtime = join(folder, `${target.name}-bun`);
  await Bun.write(runtime, await fetchRuntime(target.runtime, lock), { mode: 0o755 });
  const file = join(folder, target.name, executableOf(target));
  const name = `bun-${target.name}` as Bun.Build.CompileTarget;
  await buildExecutable(file, {
    target: { name, runtime },
    published: { ...published, platform: target.name },
  });
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

type Options = {
  targets: readonly Target[];
  out: string;
  signer: Signer | null;
  download: string;
  isOnlyProviders: boolean;
};

/** Throws `invalid` for options that are wrong. */
async function optionsOf(args: string[]): Promise<Options> {
  const { values } = parseArgs({
    args,
    options: {
      platform: { type: "string", multiple: true, default: [] },
      out: { type: "string", default: join("dist", "release") },
      "sign-key": { type: "string" },
      download: { type: "string", default: "" },
      package: { type: "string" },
    },
  });
  const names = values.platform.flatMap((text) => text.split(","));
  const unknown = names.find((name) => !TARGETS.some((target) => target.name === name));
  if (unknown !== undefined) {
    const hint = `there are ${TARGETS.map(({ name }) => name).join(", ")}`;
    throw new AppError("invalid", `--platform ${unknown} is unknown`, { hint });
  }
  if (values.package !== undefined && values.package !== "openfeature")
    throw new AppError("invalid", `--package ${values.package} is unknown`, { hint: "there is openfeature" });
  const download = values.download.replace(/\/+$/, "");
  if (download !== "" && !/^https?:$/.test(URL.parse(download)?.protocol ?? ""))
    throw new AppError("invalid", `--download ${download} is not the address of a folder`);
  return {
    targets: names.length === 0 ? TARGETS : TARGETS.filter(({ name }) => names.includes(name)),
    out: resolve(values.out),
    signer: values["sign-key"] === undefined ? null : await readSigner(values["sign-key"]),
    download,
    isOnlyProviders: values.package !== undefined,
  };
}

/** The facts of all packages, of the last commit. */
function aboutRelease(): About {
  const { version, description, license } = manifest;
  return { version, description, license, date: new Date(output("git", "log", "-1", "--format=%cI")) };
}

/** Empties the folder of a release, which has files of a release alone. Throws `conflict` for any other folder. */
function emptyFolder(out: string): void {
  mkdirSync(out, { recursive: true });
  const names = readdirSync(out);
  if (names.length > 0 && !names.includes("SHA256SUMS")) {
    throw new AppError("conflict", `${out} is not empty, and holds no release`, {
      hint: "name a new folder with --out",
    });
  }
  for (const name of names) rmSync(join(out, name), { recursive: true });
}

/** The files of a release as they are written, with their checksums. */
function releaseIn(out: string) {
  const sums = new Map<string, string>();
  return {
    sums,
    save: async (name: string, content: Uint8Array | string) => {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      await Bun.write(join(out, name), bytes);
      sums.set(name, new Bun.CryptoHasher("sha256").update(bytes).digest("hex"));
    },
  };
}

async function release({ targets, out, signer, download }: Options): Promise<void> {
  if (output("git", "status", "--porcelain") !== "") {
    throw new AppError("conflict", "there are uncommitted changes", {
      hint: "commit them, or put them aside with git stash",
    });
  }
  const commit = output("git", "rev-parse", "--short", "HEAD");
  const lock = (await Bun.file(join(ROOT, "package-lock.json")).json()) as Lock;
  const about = aboutRelease();
  const { version, description, license, date } = about;
  const beside = await companions(date);
  const key = signer?.publicKey ?? null;
  emptyFolder(out);
  const { sums, save } = releaseIn(out);
  const folder = mkdtempSync(join(tmpdir(), "formflag-release-"));
  try {
    for (const target of targets) {
      const published = { key: key ?? "", download };
      const { bytes, tried } = await buildTarget(target, { folder, lock, commit, published });
      const name = `formflag-${version}-${target.name}`;
      const executable = { name: executableOf(target), bytes, executable: true };
      const entries = [executable, ...beside].map((entry) => ({ ...entry, name: `${name}/${entry.name}` }));
      if (target.name.startsWith("windows")) await save(`${name}.zip`, zip(entries, date));
      else await save(`${name}.tar.gz`, await tarGz(entries, date));
      const packed = await platformPackage(target, bytes, about);
      if (packed) await save(`npm/${packed.name}`, packed.bytes);
      console.log(`${name}  ${tried}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const readme = await Bun.file(join(ROOT, "README.md")).bytes();
  const launcher = await launcherPackage(PACKAGED, readme, about);
  const providers = await openFeaturePackage(about);
  for (const { name, bytes } of [launcher, providers]) await save(`npm/${name}`, bytes);
  const files = await installationFiles({ version, description, license, download, key, targets, sums });
  for (const [name, text] of files) await save(name, text);
  const runtimes = [...new Set(targets.map(({ runtime }) => runtime))];
  const bill = JSON.stringify(sbom(lock, { manifest, date, runtimes }), null, 2);
  await save(`formflag-${version}.cdx.json`, `${bill}\n`);
  const lines = [...sums].map(([name, sum]) => `${sum}  ${name}\n`);
  const list = new TextEncoder().encode(
    lines.toSorted((a, b) => (a.slice(64) < b.slice(64) ? -1 : 1)).join(""),
  );
  await Bun.write(join(out, "SHA256SUMS"), list);
  if (!signer) return;
  await Bun.write(join(out, "SHA256SUMS.sig"), signer.sign(list));
  await Bun.write(join(out, "formflag.pub"), signer.publicKey);
}

// A zip holds the time of day without its zone.
process.env["TZ"] = "UTC";
try {
  const options = await optionsOf(Bun.argv.slice(2));
  if (options.isOnlyProviders) {
    const { name, bytes } = await openFeaturePackage(aboutRelease());
    await Bun.write(join(options.out, name), bytes);
  } else await release(options);
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  console.error(`error: ${error.message}${error.hint === null ? "" : `\nhint: ${error.hint}`}`);
  process.exitCode = 1;
}
