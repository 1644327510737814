import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { generateKeyPairSync } from "node:crypto";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { load } from "js-yaml";
import { tarGz } from "../../scripts/archive.ts";
import { buildExecutable } from "../../scripts/executable.ts";
import { installationFiles } from "../../scripts/publishing/files.ts";
import { PACKAGED, launcherPackage, platformPackage } from "../../scripts/publishing/npm.ts";
import { readSigner } from "../../scripts/publishing/sign.ts";
import { TARGETS } from "../../scripts/publishing/targets.ts";
import { EXECUTABLE } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";
import { programAt } from "../support/needs.ts";

const DATE = new Date("2026-03-29T01:30:00Z");
const ABOUT = { version: "0.1.0", description: "Form inbox and feature flags", license: "MIT", date: DATE };
const target = TARGETS.find(({ npm }) => npm?.os === process.platform && npm.cpu === process.arch)!;
const encode = (text: string) => new TextEncoder().encode(text);
const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

/** Runs a program with no other environment than `env` and PATH. */
function runs(command: string[], { env = {}, cwd = tempDirectory() } = {}) {
  const { PATH = "" } = process.env;
  const child = Bun.spawn(command, {
    cwd,
    env: { PATH, HOME: cwd, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const result = async () => {
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { code: await child.exited, stdout, stderr };
  };
  return { child, result };
}

const run = (command: string[], options?: Parameters<typeof runs>[1]) => runs(command, options).result();

/** Files of the web server of these tests, by path. */
const files = new Map<string, Uint8Array>();
let url = "";
let server: Bun.Server<undefined>;
const privateKey = join(tempDirectory(), "key.pem");

beforeAll(async () => {
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const found = files.get(decodeURIComponent(new URL(request.url).pathname));
      return found ? new Response(found as Uint8Array<ArrayBuffer>) : new Response("", { status: 404 });
    },
  });
  url = server.url.href.replace(/\/$/, "");
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
  writeFileSync(privateKey, pem);
});
afterAll(() => server.stop(true));

/** Puts the files of a release at `/name`, whose executable is a script that says its version. */
async function publish(
  name: string,
  versions: string[],
  { says = (version: string) => version, size = 0 } = {},
) {
  const signer = await readSigner(privateKey);
  const sums = new Map<string, string>();
  for (const version of versions) {
    const script = `#!/bin/sh\necho "formflag ${says(version)} (a test)"\n${"#".repeat(size)}`;
    const folder = `formflag-${version}-${target.name}`;
    const archive = await tarGz(
      [{ name: `${folder}/formflag`, bytes: encode(script), executable: true }],
      DATE,
    );
    files.set(`/${name}/${folder}.tar.gz`, archive);
    sums.set(`${folder}.tar.gz`, sha256(archive));
  }
  const list = encode([...sums].map(([file, sum]) => `${sum}  ${file}\n`).join(""));
  files.set(`/${name}/SHA256SUMS`, list);
  files.set(`/${name}/SHA256SUMS.sig`, signer.sign(list));
  const download = `${url}/${name}`;
  const release = { ...ABOUT, download, key: signer.publicKey, targets: [target], sums };
  return { download, texts: await installationFiles(release) };
}

const hasTools = [
  programAt("openssl", "install.sh"),
  programAt("tar", "install.sh"),
  Bun.which("curl") ?? programAt("wget", "install.sh"),
].every(Boolean);

describe.skipIf(!hasTools)("install.sh", () => {
  const install = async (texts: Map<string, string>, env: Record<string, string> = {}) => {
    const home = tempDirectory();
    const script = join(home, "install.sh");
    writeFileSync(script, texts.get("install.sh")!);
    const result = await run(["sh", script], { env, cwd: home });
    const file = join(home, ".local/bin/formflag");
    return { ...result, home, file, isInstalled: existsSync(file) };
  };

  test("installs the executable of this platform, and says how it is found", async () => {
    const { texts } = await publish("plain", ["0.1.0"]);
    const { code, stdout, stderr, file, home } = await install(texts);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`Installed formflag 0.1.0 (a test) as ${file}`);
    expect(stdout).toContain(`export PATH="${home}/.local/bin:$PATH"`);
    expect(readdirSync(join(home, ".local/bin"))).toEqual(["formflag"]);
  });

  test("takes another directory and version", async () => {
    const { texts } = await publish("two", ["0.1.0", "0.2.0"]);
    const directory = join(tempDirectory(), "bin");
    const env = {
      FORMFLAG_INSTALL: directory,
      FORMFLAG_VERSION: "0.2.0",
      PATH: `${directory}:/usr/bin:/bin`,
    };
    const { code, stdout } = await install(texts, env);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("Next: formflag serve\n") });
    expect((await run([join(directory, "formflag")])).stdout).toBe("formflag 0.2.0 (a test)\n");
  });

  const changed = (path: string) => {
    const bytes = Uint8Array.from(files.get(path)!);
    bytes[bytes.length - 3]! ^= 1;
    files.set(path, bytes);
  };
  test.each<[string, (at: string) => void, string]>([
    [
      "a changed archive",
      (at) => changed(`${at}/formflag-0.1.0-${target.name}.tar.gz`),
      "is not the file that SHA256SUMS names",
    ],
    [
      "a changed list of checksums",
      (at) => changed(`${at}/SHA256SUMS`),
      "the signature of SHA256SUMS is not one of formflag",
    ],
    [
      "a changed signature",
      (at) => changed(`${at}/SHA256SUMS.sig`),
      "the signature of SHA256SUMS is not one of formflag",
    ],
    ["no signature", (at) => void files.delete(`${at}/SHA256SUMS.sig`), "the release has no signature"],
    [
      "no archive",
      (at) => void files.delete(`${at}/formflag-0.1.0-${target.name}.tar.gz`),
      "could not be fetched",
    ],
  ])("installs nothing with %s", async (_, damage, message) => {
    const { texts } = await publish("damaged", ["0.1.0"]);
    damage("/damaged");
    const { code, stderr, isInstalled } = await install(texts);
    expect({ code, isInstalled }).toEqual({ code: 1, isInstalled: false });
    expect(stderr).toContain(message);
  });

  test.each([
    ["9.9.9", "the release has no formflag-9.9.9-"],
    ["$(touch /tmp/x)", "is no version"],
    ["../../x", "is no version"],
  ])("refuses the version %s", async (version, message) => {
    const { texts } = await publish("plain", ["0.1.0"]);
    const { code, stderr } = await install(texts, { FORMFLAG_VERSION: version });
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });

  test("does nothing where it was cut off", async () => {
    const text = (await publish("plain", ["0.1.0"])).texts.get("install.sh")!;
    const cuts = [0.3, 0.6, 0.9].map((share) => text.slice(0, text.length * share));
    const results = await Promise.all(cuts.map((cut) => install(new Map([["install.sh", cut]]))));
    expect(results.map(({ isInstalled }) => isInstalled)).toEqual([false, false, false]);
  });
});

describe("formflag upgrade", () => {
  const built = join(tempDirectory(), "formflag");
  beforeAll(async () => {
    const { publicKey } = await readSigner(privateKey);
    const published = { key: publicKey, download: `${url}/newer`, platform: target.name };
    await buildExecutable(built, { published });
  }, 60_000);

  const installed = () => {
    const folder = tempDirectory();
    const file = join(folder, "formflag");
    copyFileSync(built, file);
    const upgrade = (...args: string[]) => run([file, "upgrade", ...args], { cwd: folder });
    return { folder, file, upgrade, names: () => readdirSync(folder).toSorted() };
  };

  test("replaces itself by the newest release, and keeps the one before", async () => {
    await publish("newer", ["0.1.0", "0.2.0", "0.10.0", "1.0.0-rc.1"]);
    const { file, folder, upgrade, names } = installed();
    expect((await upgrade("--check")).stdout).toContain("formflag 0.10.0 is there, this is 0.1.0");
    const unit = join(folder, ".config/systemd/user/formflag.service");
    mkdirSync(dirname(unit), { recursive: true });
    writeFileSync(unit, "ExecStart=/usr/bin/env serve --data /nonexistent\n");
    expect((await upgrade("--check")).stdout).toContain(
      `the service runs /usr/bin/env, and this is ${file}: `,
    );
    rmSync(join(folder, ".config"), { recursive: true });
    expect(names()).toEqual(["formflag"]);
    const { code, stdout } = await upgrade();
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining(`0.10.0 is installed as ${file}`),
    });
    expect((await run([file])).stdout).toBe("formflag 0.10.0 (a test)\n");
    expect(names()).toEqual(["formflag", "formflag.old"]);
    expect((await run([join(folder, "formflag.old"), "--version"])).stdout).toStartWith("formflag 0.1.0 ");
  });

  test("says that it is the newest, and goes back only by force", async () => {
    await publish("same", ["0.1.0", "0.0.9"]);
    const { upgrade, names } = installed();
    const from = ["--from", `${url}/same`];
    expect((await upgrade(...from, "--check")).stdout).toBe("formflag 0.1.0 is the newest version\n");
    expect((await upgrade(...from)).stdout).toContain("is installed already");
    expect(await upgrade(...from, "--version", "0.0.9")).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("is older"),
    });
    expect(names()).toEqual(["formflag"]);
    expect((await upgrade(...from, "--version", "0.0.9", "--force")).code).toBe(0);
  });

  test("installs the same version again by force, and leaves the one before, whatever it is, as it was", async () => {
    await publish("same", ["0.1.0"]);
    const { folder, upgrade, names } = installed();
    const again = () => upgrade("--from", `${url}/same`, "--force");
    expect((await again()).code).toBe(0);
    expect(names()).toEqual(["formflag"]);
    for (const before of ["", "an earlier one"]) {
      writeFileSync(join(folder, "formflag.old"), before);
      expect(await again()).toMatchObject({ code: 0, stdout: expect.not.stringContaining("formflag.old") });
      expect(await Bun.file(join(folder, "formflag.old")).text()).toBe(before);
    }
  });

  test.each<[string, (at: string) => void, string]>([
    [
      "the list is not signed by its key",
      (at) => void files.set(`${at}/SHA256SUMS.sig`, new Uint8Array(64)),
      "is not signed by the key",
    ],
    ["there is no signature", (at) => void files.delete(`${at}/SHA256SUMS.sig`), "answered 404"],
    [
      "the archive was changed",
      (at) => void files.set(`${at}/formflag-0.2.0-${target.name}.tar.gz`, new Uint8Array(9)),
      "is not the file that SHA256SUMS names",
    ],
  ])("changes nothing when %s", async (_, damage, message) => {
    await publish("wrong", ["0.2.0"]);
    damage("/wrong");
    const { upgrade, names, file } = installed();
    const { code, stderr } = await upgrade("--from", `${url}/wrong`);
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
    expect(names()).toEqual(["formflag"]);
    expect((await run([file, "--version"])).stdout).toStartWith("formflag 0.1.0 ");
  });

  test("changes nothing when the new executable does not say the version of the archive", async () => {
    await publish("liar", ["0.2.0"], { says: () => "0.1.5" });
    const { upgrade, names } = installed();
    const { code, stderr } = await upgrade("--from", `${url}/liar`);
    expect({ code, names: names() }).toEqual({ code: 1, names: ["formflag"] });
    expect(stderr).toContain("the new executable does not run here: formflag 0.1.5 (a test)");
  });

  test("removes what an upgrade left behind that was killed, and nothing of one that runs", async () => {
    await publish("newer", ["0.2.0"]);
    const { folder, upgrade, names } = installed();
    const killed = Bun.spawn(["sleep", "0"]);
    await killed.exited;
    const left = [killed.pid, process.pid].map((pid) => `.formflag-${pid}.new`);
    for (const name of left) writeFileSync(join(folder, name), "half of it");
    expect((await upgrade()).code).toBe(0);
    expect(names()).toEqual([left[1]!, "formflag", "formflag.old"]);
  });

  test("says that the disk takes no more, and changes nothing", async () => {
    await publish("large", ["0.2.0"], { size: 2_000_000 });
    const { folder, file, names } = installed();
    // Blocks of 512 bytes.
    const limited = ["sh", "-c", `ulimit -f 2000; exec "$0" "$@"`, file, "upgrade"];
    const { code, stderr } = await run([...limited, "--from", `${url}/large`], { cwd: folder });
    expect({ code, names: names() }).toEqual({ code: 6, names: ["formflag"] });
    expect(stderr).toContain("cannot be written: the disk takes no file so large");
  });

  test.each([
    ["node_modules/@formflag/x/bin", "npm install --global formflag@latest"],
    ["Cellar/formflag/0.1.0/bin", "brew upgrade formflag"],
  ])("leaves an executable in %s alone, and says how it is upgraded", async (place, hint) => {
    const folder = join(tempDirectory(), place);
    mkdirSync(folder, { recursive: true });
    copyFileSync(built, join(folder, "formflag"));
    const { code, stderr } = await run([join(folder, "formflag"), "upgrade"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(hint) });
  });
});

describe("the packages for npm", () => {
  const cwd = tempDirectory();
  beforeAll(async () => {
    // Packing the executable itself would take most of a minute.
    const executable = encode(`#!/bin/sh\nexec "${EXECUTABLE}" "$@"\n`);
    const own = (await platformPackage(target, executable, ABOUT))!;
    const launcher = await launcherPackage(PACKAGED, encode("# formflag\n"), ABOUT);
    const serve = async (name: string, file: { name: string; bytes: Uint8Array }, manifest: object) => {
      files.set(`/${name}/-/${file.name}`, file.bytes);
      const integrity = `sha512-${new Bun.CryptoHasher("sha512").update(file.bytes).digest("base64")}`;
      const dist = { tarball: `${url}/${name}/-/${file.name}`, integrity };
      const versions = { [ABOUT.version]: { ...manifest, name, version: ABOUT.version, dist } };
      files.set(
        `/${name}`,
        encode(JSON.stringify({ name, "dist-tags": { latest: ABOUT.version }, versions })),
      );
    };
    await serve(`@formflag/${target.name}`, own, { os: [target.npm!.os], cpu: [target.npm!.cpu] });
    await serve("formflag", launcher, {
      bin: { formflag: "bin/formflag.cjs" },
      optionalDependencies: Object.fromEntries(
        PACKAGED.map(({ name }) => [`@formflag/${name}`, ABOUT.version]),
      ),
    });
    const { code, stderr } = await run(["npm", "install", "formflag", "--registry", url, "--no-audit"], {
      cwd,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.anything() });
  }, 120_000);

  const command = () => join(cwd, "node_modules/.bin/formflag");

  test("hand on arguments, output and exit codes", async () => {
    expect((await run([command(), "--version"])).stdout).toStartWith("formflag 0.1.0 ");
    const data = join(tempDirectory(), "data");
    const created = await run([command(), "projects", "create", "a shop's", "--data", data]);
    expect(created).toMatchObject({ code: 2, stderr: expect.stringContaining("a shop's") });
  });

  test("hand on signals: a server drains, and its exit code is that of the command", async () => {
    const data = join(tempDirectory(), "data");
    const { child } = runs([command(), "serve", "--data", data, "--listen", "127.0.0.1:0"]);
    let said = "";
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
      said += chunk;
      if (chunk.includes("listening on ")) child.kill("SIGTERM");
    }
    expect({ code: await child.exited, said }).toEqual({
      code: 0,
      said: expect.stringContaining("stopping on SIGTERM"),
    });
  });

  test("name the package that is missing", async () => {
    const folder = join(tempDirectory(), "node_modules/formflag");
    mkdirSync(join(folder, "bin"), { recursive: true });
    for (const name of ["package.json", "bin/formflag.cjs"])
      copyFileSync(join(cwd, "node_modules/formflag", name), join(folder, name));
    const { code, stderr } = await run(["node", join(folder, "bin/formflag.cjs"), "--version"]);
    expect(code).toBe(1);
    expect(stderr).toContain(`npm install @formflag/${target.name}@0.1.0`);
  });
});

test("the files for containers and pipelines are YAML, and name this version alone", async () => {
  const { texts } = await publish("plain", ["0.1.0"]);
  const compose = load(texts.get("docker-compose.yml")!) as { services: { formflag: { image: string } } };
  expect(compose.services.formflag.image).toBe("formflag:0.1.0");
  const action = load(texts.get("action.yml")!) as { runs: { steps: { run: string }[] } };
  // Inputs reach a script through its environment: in its text they would be run.
  for (const { run: script } of action.runs.steps) expect(script).not.toContain("${{");
  for (const text of texts.values()) expect(text).not.toMatch(/(?<!\$)\{\{/);
});
