import { join } from "node:path";
import { type Entry, tarGz } from "../archive.ts";
import { TARGETS, type Target, executableOf } from "./targets.ts";

/** The packages for npm: `formflag`, a launcher, and a package a platform with its executable, which npm selects. */

export type About = {
  version: string;
  description: string;
  license: string;
  /** The time of every file. */
  date: Date;
};

const encode = (text: string) => new TextEncoder().encode(text);

/** A package, with the name of its file. */
export type Packed = { name: string; bytes: Uint8Array };

/** The name of the package of a platform. */
const packageOf = ({ name }: Pick<Target, "name">): string => `@formflag/${name}`;

/** The file of a package, as `npm pack` names it. */
export const fileOf = (name: string, version: string) =>
  `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;

/** The package of a platform, with its file name; null for a platform without one. */
export async function platformPackage(
  target: Target,
  executable: Uint8Array,
  { version, description, license, date }: About,
): Promise<Packed | null> {
  if (target.npm === null) return null;
  const { os, cpu, libc } = target.npm;
  const name = packageOf(target);
  const bin = `bin/${executableOf(target)}`;
  const manifest = {
    name,
    version,
    description: `${description}: the executable for ${target.name}`,
    license,
    os: [os],
    cpu: [cpu],
    ...(libc && { libc: [libc] }),
    files: [bin],
    preferUnplugged: true,
  };
  const files = [
    jsonFile(manifest),
    { name: bin, bytes: executable, executable: true },
    {
      name: "README.md",
      bytes: encode(`# ${name}\n\nInstall [formflag](../formflag) instead, which selects its platform.\n`),
    },
  ];
  return { name: fileOf(name, version), bytes: await pack(files, date) };
}

/** The package `formflag`, which starts the executable of one of `targets`. */
export async function launcherPackage(
  targets: readonly Target[],
  readme: Uint8Array,
  { version, description, license, date }: About,
): Promise<Packed> {
  const packages = targets.filter(({ npm }) => npm !== null).map((target) => [packageOf(target), version]);
  const manifest = {
    name: "formflag",
    version,
    description,
    license,
    keywords: ["forms", "form backend", "feature flags", "openfeature"],
    bin: { formflag: "bin/formflag.cjs" },
    files: ["bin/formflag.cjs"],
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(packages),
  };
  const launcher = await Bun.file(join(import.meta.dir, "launcher.cjs")).bytes();
  const files = [
    jsonFile(manifest),
    { name: "bin/formflag.cjs", bytes: launcher, executable: true },
    { name: "README.md", bytes: readme },
  ];
  return { name: fileOf("formflag", version), bytes: await pack(files, date) };
}

/** All platforms with a package. */
export const PACKAGED: readonly Target[] = TARGETS.filter(({ npm }) => npm !== null);

export function jsonFile(manifest: object): Entry {
  return { name: "package.json", bytes: encode(`${JSON.stringify(manifest, null, 2)}\n`) };
}

export function pack(files: Entry[], date: Date): Promise<Uint8Array> {
  return tarGz(
    files.map((file) => ({ ...file, name: `package/${file.name}` })),
    date,
  );
}
