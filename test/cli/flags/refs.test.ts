import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "bun:test";
import { formflag, onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";
import { programAt } from "../../support/needs.ts";

type Referred = { slug: string; references: number; places: { file: string; line: number }[] };
type Report = { files: number; flags: Referred[]; unknown: Referred[] };

const SCAN = ["flags", "refs", "scan"];

/** A data directory with two flags, and commands on it. */
async function openShop() {
  const data = tempDirectory();
  const commands = onData(data);
  await commands.run("projects", "create", "shop");
  for (const flag of ["new-checkout", "sale"])
    await commands.run("flags", "set", flag, "-p", "shop", "-e", "develop");
  return { data, commands, run: commands.run };
}

/** One that no test changes. */
const { commands, run } = await openShop();

/** A folder with these files. */
function tree(files: Record<string, string | Uint8Array>): string {
  const root = tempDirectory();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

/** The files in which the flag new-checkout was found, of those given. */
async function foundIn(root: string, ...args: string[]): Promise<string[]> {
  const { flags } = await commands.json<Report>(...SCAN, root, "-p", "shop", ...args);
  return flags[0]!.places.map(({ file }) => file).toSorted();
}

const BOTH = `new-checkout "sale"\n`;

describe("flags refs scan", () => {
  test("tells flags without a reference and references without a flag, with file and line", async () => {
    const root = tree({ "src/a.ts": `\nuseFlag("new-checkout", false);\nuseFlag("new-chekout", false);\n` });
    expect(await run(...SCAN, root, "-p", "shop")).toEqual({
      code: 0,
      stdout: [
        "NAME         PROBLEM                   WHERE\n",
        "sale         flag without a reference\n",
        "new-chekout  reference without a flag  src/a.ts:3\n",
      ].join(""),
      stderr: "1 file, 2 flags: 1 without a reference, 1 reference without a flag\n",
    });
    expect(await commands.json<Report>(...SCAN, root, "-p", "shop")).toEqual({
      files: 1,
      flags: [
        { slug: "new-checkout", references: 1, places: [{ file: "src/a.ts", line: 2 }] },
        { slug: "sale", references: 0, places: [] },
      ],
      unknown: [{ slug: "new-chekout", references: 1, places: [{ file: "src/a.ts", line: 3 }] }],
    });
  });

  test("exits 9 with --strict where there is either, and 0 where there is none", async () => {
    const strict = async (text: string) =>
      (await run(...SCAN, tree({ "a.ts": text }), "-p", "shop", "--strict", "--quiet")).code;
    expect(await strict(BOTH)).toBe(0);
    expect(await strict("new-checkout")).toBe(9);
    expect(await strict(`${BOTH} useFlag("gone")`)).toBe(9);
  });

  test("looks nowhere into what was installed or built, is binary, large, or a link", async () => {
    const root = tree({
      "a.ts": BOTH,
      "deep/down/b.txt": BOTH,
      "exact.txt": BOTH.padEnd(1_048_576),
      "node_modules/x/a.js": BOTH,
      "sub/dist/a.js": BOTH,
      "build/a.js": BOTH,
      "vendor/a.go": BOTH,
      "binary.bin": Buffer.concat([Buffer.from(BOTH), Buffer.alloc(1), Buffer.from(BOTH)]),
      "large.txt": BOTH.padEnd(1_048_577),
      "empty.txt": "",
    });
    symlinkSync(join(root, "a.ts"), join(root, "link.ts"));
    symlinkSync(root, join(root, "loop"));
    expect(await foundIn(root)).toEqual(["a.ts", "deep/down/b.txt", "exact.txt"]);
  });

  test("looks not into the data directory either", async () => {
    const root = tree({ "a.ts": BOTH });
    const own = onData(join(root, "kept"));
    await own.run("projects", "create", "shop");
    await own.run("flags", "set", "new-checkout", "-p", "shop", "-e", "develop");
    writeFileSync(join(root, "kept", "upload.txt"), BOTH);
    const { files } = await own.json<Report>(...SCAN, root, "-p", "shop");
    expect(files).toBe(1);
  });

  test("leaves out what --exclude names: files and folders, each by a glob of its own", async () => {
    const root = tree({ "a.ts": BOTH, "a.test.ts": BOTH, "docs/x/a.md": BOTH, "lib/docs/a.ts": BOTH });
    expect(await foundIn(root, "--exclude", "docs/", "--exclude", "**/*.{test,spec}.ts")).toEqual([
      "a.ts",
      "lib/docs/a.ts",
    ]);
  });

  test("finds calls of one's own by --pattern", async () => {
    const root = tree({ "a.ts": `${BOTH}isOn("gone", 1)` });
    const { unknown } = await commands.json<Report>(
      ...SCAN,
      root,
      "-p",
      "shop",
      "--pattern",
      String.raw`isOn\("([^"]{1,20})",`,
    );
    expect(unknown).toEqual([{ slug: "gone", references: 1, places: [{ file: "a.ts", line: 2 }] }]);
  });

  test("refuses a pattern that is none or has no group, and a folder that is not there", async () => {
    const refused = async (...args: string[]) => {
      const { code, stderr } = await run(...SCAN, "-p", "shop", ...args);
      return [code, stderr.split("\n")[0]];
    };
    expect(await refused("--pattern", "(")).toEqual([2, expect.stringContaining("--pattern (")]);
    expect(await refused("--pattern", "isOn")).toEqual([2, "error: --pattern isOn has no group"]);
    expect(await refused("nowhere")).toEqual([2, "error: nowhere is not a folder"]);
    expect((await run(...SCAN, "-p", "nobody")).code).toBe(3);
  });

  test("scans here with the flags of a server", async () => {
    const { data, commands } = await openShop();
    const server = await startServer([], { data });
    const { token } = await commands.json<{ token: string }>(
      "tokens",
      "create",
      "reader",
      "--scope",
      "flags:read",
    );
    const { code, stdout } = await formflag(
      [...SCAN, tree({ "a.ts": BOTH }), "-p", "shop", "--server", server.url, "--json"],
      { env: { FORMFLAG_TOKEN: token } },
    );
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as Report).flags.map(({ references }) => references)).toEqual([1, 1]);
    await server.stop();
  });

  const git = programAt("git", "code references in git");
  test.if(git !== null)("honours .gitignore in a git work tree, with what is not committed yet", async () => {
    const root = tree({
      ".gitignore": "ignored/\n",
      "ignored/a.ts": BOTH,
      "a.ts": BOTH,
      "sub/b.ts": BOTH,
      "sub/node_modules/c.ts": BOTH,
      "naïve name.ts": BOTH,
    });
    const { exitCode } = Bun.spawnSync([git!, "init", "-q"], { cwd: root });
    expect(exitCode).toBe(0);
    expect(await foundIn(root)).toEqual(["a.ts", "naïve name.ts", "sub/b.ts"]);
    expect(await foundIn(join(root, "sub"))).toEqual(["b.ts"]);
    expect(await foundIn(join(root, "ignored"))).toEqual(["a.ts"]);
  });
});

/** What `flags refs list` prints of each reference, as JSON. */
type Listed = { slug: string; branch: string; projectName: string; filePath: string; lineNumber: number };

describe("uploaded references", () => {
  const LIST = ["flags", "refs", "list", "-p", "shop"];
  const openUploads = async () => {
    const shop = await openShop();
    const listed = async (...args: string[]) =>
      (await shop.commands.json<Listed[]>(...LIST, ...args)).map((each) =>
        [each.slug, each.branch, each.projectName, `${each.filePath}:${each.lineNumber}`].join(" "),
      );
    return { ...shop, listed };
  };
  const UPLOAD = ["--upload", "--branch", "main", "--name", "web", "--repository-url"];

  test("are stored with what the scan prints, listed with links, and replaced by the next upload", async () => {
    const { commands, run, listed } = await openUploads();
    const root = tree({
      "a.ts": `  useFlag("new-checkout", "new-checkout"); // ü\n`,
      "b.ts": `useFlag("gone")`,
    });
    const scan = [...SCAN, root, "-p", "shop", ...UPLOAD, "https://github.com/ann/shop"];
    const { code, stdout, stderr } = await run(...scan);
    expect([code, stdout]).toEqual([0, expect.stringContaining("gone  reference without a flag  b.ts:1")]);
    expect(stderr).toEndWith(
      "stored 2 references to 2 names on the branch main of web; not flags of this project: gone\n",
    );
    const { stdout: table } = await run(...LIST);
    expect(table.replaceAll(/ {2,}/g, "  ")).toBe(
      [
        "FLAG  BRANCH  NAME  WHERE  LINE  LINK\n",
        'gone  main  web  b.ts:1  useFlag("gone")  https://github.com/ann/shop/blob/main/b.ts#L1\n',
        'new-checkout  main  web  a.ts:1  useFlag("new-checkout", "new-checkout"); // ü  ',
        "https://github.com/ann/shop/blob/main/a.ts#L1\n",
      ].join(""),
    );
    expect(await listed("gone")).toEqual(["gone main web b.ts:1"]);
    expect(await listed("--branch", "next")).toEqual([]);
    const again = tree({ "a.ts": BOTH });
    const report = await commands.json<{ uploaded: object }>(...SCAN, again, "-p", "shop", ...UPLOAD, "none");
    expect(report.uploaded).toEqual({
      branch: "main",
      projectName: "web",
      references: 2,
      slugs: 2,
      unknown: [],
    });
    expect(await listed()).toEqual(["new-checkout main web a.ts:1", "sale main web a.ts:1"]);
  });

  test("make a flag stale that no branch names", async () => {
    const { run } = await openShop();
    const stale = async () => (await run("flags", "stale", "-p", "shop")).stdout;
    const upload = (text: string) => run(...SCAN, tree({ "a.ts": text }), "-p", "shop", ...UPLOAD, "none");
    await upload(BOTH);
    expect(await stale()).toBe("FLAG  SINCE  WHY\n");
    await upload("new-checkout");
    expect(await stale()).toMatch(/^sale +\S+ +no reference on any branch$/m);
  });

  test("are deleted by branch, once that is confirmed", async () => {
    const { run, listed } = await openUploads();
    const root = tree({ "a.ts": BOTH });
    for (const [branch, name] of [
      ["old", "web"],
      ["old", "api"],
      ["main", "web"],
    ] as const)
      await run(...SCAN, root, "-p", "shop", "--upload", "--branch", branch, "--name", name);
    const remove = ["flags", "refs", "delete", "-p", "shop", "--branch", "old"];
    expect((await run(...remove)).code).toBe(2);
    expect((await run(...remove, "--name", "api", "--yes")).code).toBe(0);
    expect(await listed("sale")).toEqual(["sale main web a.ts:1", "sale old web a.ts:1"]);
    expect(await run(...remove, "--yes")).toMatchObject({
      code: 0,
      stdout: "deleted code references of branch old in shop\n",
    });
    expect(await listed("sale")).toEqual(["sale main web a.ts:1"]);
    expect((await run(...remove, "--yes")).code).toBe(3);
    expect((await run("flags", "refs", "delete", "-p", "shop", "--yes")).code).toBe(2);
  });

  test("need a name and a branch, and their options need an upload", async () => {
    const refused = async (...args: string[]) => {
      const { code, stderr } = await run(...SCAN, tree({ "a.ts": BOTH }), "-p", "shop", ...args);
      return [code, stderr.split("\n")[0]];
    };
    expect(await refused("--upload")).toEqual([2, "error: the name of the code is missing"]);
    expect(await refused("--upload", "--name", "web")).toEqual([
      2,
      "error: the branch is missing, and git has none checked out here",
    ]);
    expect(await refused("--branch", "main")).toEqual([2, expect.stringContaining("are for an upload")]);
    expect(await refused(...UPLOAD, "javascript:alert(1)")).toEqual([
      2,
      expect.stringContaining("--repository-url has to be an address"),
    ]);
  });

  test("are sent to a server, with a token for code references", async () => {
    const { data, commands, listed } = await openUploads();
    const server = await startServer([], { data });
    const scopes = ["--scope", "flags:read", "--scope", "flags:refs", "-p", "shop"];
    const { token } = await commands.json<{ token: string }>("tokens", "create", "ci", ...scopes);
    const remote = ["--server", server.url];
    const env = { FORMFLAG_TOKEN: token };
    const scan = [
      ...SCAN,
      tree({ "a.ts": BOTH }),
      "-p",
      "shop",
      "--upload",
      "--branch",
      "remote",
      "--name",
      "web",
    ];
    expect((await formflag([...scan, ...remote], { env })).code).toBe(0);
    expect(await listed("--branch", "remote")).toHaveLength(2);
    const remove = ["flags", "refs", "delete", "-p", "shop", "--branch", "remote", "--yes", ...remote];
    expect((await formflag(remove, { env })).code).toBe(0);
    expect(await listed("--branch", "remote")).toEqual([]);
    await server.stop();
  });

  const git = programAt("git", "code references in git");
  test.if(git !== null)("have their branch, repository and path from git", async () => {
    const { commands } = await openShop();
    const root = tree({ "sub/a.ts": BOTH });
    const run = (...args: string[]) => expect(Bun.spawnSync([git!, ...args], { cwd: root }).exitCode).toBe(0);
    run("init", "-q", "-b", "fix/one");
    run("remote", "add", "origin", "https://ann:secret@gitlab.com/ann/shop.git");
    const scan = [...SCAN, join(root, "sub"), "-p", "shop", "--upload", "--name", "git"];
    await commands.json(...scan);
    const [found] = await commands.json<object[]>(...LIST, "--name", "git");
    expect(found).toMatchObject({
      branch: "fix/one",
      filePath: "sub/a.ts",
      repositoryUrl: "https://gitlab.com/ann/shop.git",
      url: "https://gitlab.com/ann/shop/-/blob/fix/one/sub/a.ts#L1",
    });
    run("remote", "set-url", "origin", "git@github.com:ann/shop.git");
    await commands.json(...scan);
    const [again] = await commands.json<object[]>(...LIST, "--name", "git");
    expect(again).toMatchObject({ repositoryUrl: "https://github.com/ann/shop.git" });
  });
});
