/** A platform with a release. */
export type Target = {
  /** In the names of its files, and after `bun-` Bun's own. */
  name: `${"linux" | "darwin" | "windows"}-${string}`;
  /** The package with the Bun that goes into it. */
  runtime: string;
  /** The expected result of `formatOf`. */
  format: string;
  /** Where npm installs its package; null if it has none, because another one has the same bytes. */
  npm: { os: string; cpu: string; libc?: "glibc" | "musl" } | null;
};

export const TARGETS: readonly Target[] = [
  {
    name: "linux-x64",
    runtime: "@oven/bun-linux-x64",
    format: "ELF x64 /lib64/ld-linux-x86-64.so.2",
    npm: { os: "linux", cpu: "x64", libc: "glibc" },
  },
  {
    // The same bytes as linux-x64: Bun is built for the oldest processors, and uses what newer ones have.
    name: "linux-x64-baseline",
    runtime: "@oven/bun-linux-x64",
    format: "ELF x64 /lib64/ld-linux-x86-64.so.2",
    npm: null,
  },
  {
    name: "linux-arm64",
    runtime: "@oven/bun-linux-aarch64",
    format: "ELF arm64 /lib/ld-linux-aarch64.so.1",
    npm: { os: "linux", cpu: "arm64", libc: "glibc" },
  },
  {
    name: "linux-x64-musl",
    runtime: "@oven/bun-linux-x64-musl",
    format: "ELF x64 /lib/ld-musl-x86_64.so.1",
    npm: { os: "linux", cpu: "x64", libc: "musl" },
  },
  {
    name: "linux-arm64-musl",
    runtime: "@oven/bun-linux-aarch64-musl",
    format: "ELF arm64 /lib/ld-musl-aarch64.so.1",
    npm: { os: "linux", cpu: "arm64", libc: "musl" },
  },
  {
    name: "darwin-arm64",
    runtime: "@oven/bun-darwin-aarch64",
    format: "Mach-O arm64",
    npm: { os: "darwin", cpu: "arm64" },
  },
  {
    name: "windows-x64",
    runtime: "@oven/bun-windows-x64",
    format: "PE x64",
    npm: { os: "win32", cpu: "x64" },
  },
];

/** The name of the executable in the archive of a platform. */
export function executableOf({ name }: Pick<Target, "name">): "formflag" | "formflag.exe" {
  return name.startsWith("windows") ? "formflag.exe" : "formflag";
}
