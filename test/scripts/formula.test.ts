import { expect, test } from "bun:test";
import { installationFiles } from "../../scripts/publishing/files.ts";
import { TARGETS } from "../../scripts/publishing/targets.ts";

const ABOUT = { version: "0.1.0", description: 'a "form" inbox', license: "MIT", key: null };

async function formulaFor(...platforms: string[]) {
  const sums = new Map(platforms.map((name) => [`formflag-0.1.0-${name}.tar.gz`, `sum of ${name}`]));
  const release = { ...ABOUT, download: "https://example.com", targets: TARGETS, sums };
  const text = (await installationFiles(release)).get("formflag.rb")!;
  return text.slice(text.indexOf('license "MIT"\n') + 14, text.indexOf("  def install"));
}

test("the formula has an address for every processor, or names the one that it is for", async () => {
  expect(await formulaFor("darwin-arm64", "linux-x64", "linux-arm64", "windows-x64")).toBe(`
  on_macos do
    url "https://example.com/formflag-0.1.0-darwin-arm64.tar.gz"
    sha256 "sum of darwin-arm64"
    depends_on arch: :arm64
  end

  on_linux do
    on_intel do
      url "https://example.com/formflag-0.1.0-linux-x64.tar.gz"
      sha256 "sum of linux-x64"
    end
    on_arm do
      url "https://example.com/formflag-0.1.0-linux-arm64.tar.gz"
      sha256 "sum of linux-arm64"
    end
  end

`);
  expect(await formulaFor("linux-x64")).toBe(`
  on_linux do
    url "https://example.com/formflag-0.1.0-linux-x64.tar.gz"
    sha256 "sum of linux-x64"
    depends_on arch: :x86_64
  end

`);
});
