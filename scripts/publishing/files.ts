import { join } from "node:path";
import type { Target } from "./targets.ts";

/** A release, for the files that install it. */
export type Release = {
  version: string;
  description: string;
  license: string;
  /** The address of its files, without a slash at the end; empty if none is known. */
  download: string;
  /** The public key of its signature in PEM; null for a release without one. */
  key: string | null;
  targets: readonly Target[];
  /** The SHA-256 of its files in hexadecimal, by name. */
  sums: ReadonlyMap<string, string>;
};

/** The files for installation, by name; `install.sh` and `action.yml` belong into one folder. */
export async function installationFiles(release: Release): Promise<Map<string, string>> {
  const { version, download, key, targets } = release;
  const platforms = targets.filter(
    ({ name }) => /^(?:linux|darwin)/.test(name) && !name.endsWith("-baseline"),
  );
  const values = {
    version,
    download,
    "download-comment": download === "" ? "" : ` (default: ${download})`,
    key: key?.trimEnd() ?? "none",
    platforms: platforms.map(({ name }) => name).join(", "),
  };
  const files = new Map<string, string>();
  for (const name of ["install.sh", "docker-compose.yml", "kubernetes.yaml", "action.yml"])
    files.set(name, filled(await Bun.file(join(import.meta.dir, name)).text(), values));
  return files.set("formflag.rb", formula(release));
}

/** Replaces `{{name}}`, for each name of `values`; anything else in braces stays. */
function filled(text: string, values: Record<string, string>): string {
  return text.replaceAll(/(?<!\$)\{\{([a-z-]+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`a template names {{${name}}}, which has no value`);
    return value;
  });
}

/** A formula of Homebrew for the platforms of a release that it serves. https://docs.brew.sh/Formula-Cookbook */
function formula({ version, description, license, download, sums }: Release): string {
  const archiveOf = (name: string): string[] | null => {
    const file = `formflag-${version}-${name}.tar.gz`;
    const sum = sums.get(file);
    return sum === undefined ? null : [`url ${ruby(`${download}/${file}`)}`, `sha256 ${ruby(sum)}`];
  };
  const on = (system: string, intel: string | null, arm: string | null): string => {
    const [ofIntel, ofArm] = [intel, arm].map((name) => name && archiveOf(name));
    if (!ofIntel && !ofArm) return "";
    // Homebrew reads a formula for each processor, and takes none without an address for one.
    const lines =
      ofIntel && ofArm
        ? [...block("on_intel", ofIntel), ...block("on_arm", ofArm)]
        : [...(ofIntel || ofArm || []), `depends_on arch: ${ofArm ? ":arm64" : ":x86_64"}`];
    return `${block(`on_${system}`, lines)
      .map((line) => `  ${line}\n`)
      .join("")}\n`;
  };
  return `class Formflag < Formula
  desc ${ruby(description)}
  homepage ${ruby(download)}
  version ${ruby(version)}
  license ${ruby(license)}

${on("macos", null, "darwin-arm64")}${on("linux", "linux-x64", "linux-arm64")}  def install
    bin.install "formflag"
    man1.install "formflag.1"
    bash_completion.install "completions/formflag.bash" => "formflag"
    zsh_completion.install "completions/_formflag"
    fish_completion.install "completions/formflag.fish"
  end

  service do
    run [opt_bin/"formflag", "serve", "--data", var/"formflag"]
    keep_alive true
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/formflag --version")
    system bin/"formflag", "projects", "create", "shop", "--data", testpath/"data"
  end
end
`;
}

/** A block of Ruby. */
function block(name: string, lines: readonly string[]): string[] {
  return [`${name} do`, ...lines.map((line) => `  ${line}`), "end"];
}

/** A literal of Ruby, in which nothing is replaced. */
function ruby(text: string): string {
  return `"${text.replaceAll(/["\\#]/g, (character) => `\\${character}`)}"`;
}
