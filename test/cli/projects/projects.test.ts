import { describe, expect, test } from "bun:test";
import { emptyData, formflag, onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

const KEY = /^[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}$/;

type Environment = { slug: string; name: string; key: string };
type Project = { slug: string; name: string; key: string; environments: Environment[] };

const slugsOf = (all: { slug: string }[]) => all.map(({ slug }) => slug);

describe("projects create", () => {
  test("prints the project with its keys and the three usual environments", async () => {
    const project = await onData(tempDirectory()).json<Project>("projects", "create", "shop");
    const environment = (slug: string, index: number) => ({
      slug,
      name: slug,
      key: expect.stringMatching(KEY),
      locked: false,
      color: null,
      approvals: 0,
      approveWith: null,
      position: index + 1,
    });
    expect(project).toEqual({
      slug: "shop",
      name: "shop",
      key: expect.stringMatching(KEY),
      environments: ["develop", "staging", "production"].map(environment),
      mailFrom: null,
      accent: null,
      maxSubmissions: null,
      maxStorage: null,
      result: "created",
    } as unknown as Project);
    const keys = [project.key, ...project.environments.map(({ key }) => key)];
    expect(new Set(keys).size).toBe(4);
  });

  test("takes a name for people and other environments", async () => {
    const here = onData(tempDirectory());
    const project = await here.json<Project>(
      "projects",
      "create",
      "shop",
      "--name",
      "Der Lädele",
      "--environments",
      "test, live",
    );
    expect(project.name).toBe("Der Lädele");
    expect(slugsOf(project.environments)).toEqual(["test", "live"]);
  });

  test("says in words what it made, with every key", async () => {
    const here = onData(tempDirectory());
    const { code, stdout, stderr } = await here.run("projects", "create", "shop");
    const project = await here.json<Project>("projects", "get", "shop");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const { key } of [project, ...project.environments]) expect(stdout).toContain(key);
  });

  test("prints nothing with --quiet", async () => {
    const { run } = onData(tempDirectory());
    expect(await run("projects", "create", "shop", "-q")).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("a project that exists is a conflict, exit 5, and stays as it was", async () => {
    const here = onData(tempDirectory());
    await here.run("projects", "create", "shop");
    const before = await here.json<Project>("projects", "get", "shop");
    const { code, stdout, stderr } = await here.run("projects", "create", "shop", "--name", "Other");
    expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
    expect(stderr).toContain('"shop" already exists');
    expect(await here.json<Project>("projects", "get", "shop")).toEqual(before);
  });

  const refusing = onData(emptyData());
  test.each([
    ["a slug with a space", ["bad slug"]],
    ["a slug that begins with a dot", [".shop"]],
    ["an empty slug", [""]],
    ["a slug of 151 characters", ["a".repeat(151)]],
    ["no slug", []],
    ["two slugs", ["shop", "other"]],
    ["an empty name", ["shop", "--name", ""]],
    ["an environment that is no slug", ["shop", "--environments", "a/b"]],
    ["an environment named twice", ["shop", "--environments", "a,a"]],
    ["an option without its value", ["shop", "--name"]],
  ])("%s is a usage error, exit 2, and makes nothing", async (_, args) => {
    const { code, stdout, stderr } = await refusing.run("projects", "create", ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toStartWith("error: ");
    expect(await refusing.json<Project[]>("projects", "list")).toEqual([]);
  });
});

describe("projects list", () => {
  test("is an array by name, and an empty one where there is none", async () => {
    const here = onData(emptyData());
    expect(await here.json<Project[]>("projects", "list")).toEqual([]);
    for (const slug of ["pear", "apple", "zebra", "Mango"]) await here.run("projects", "create", slug);
    const all = await here.json<Project[]>("projects", "list");
    expect(slugsOf(all)).toEqual(["Mango", "apple", "pear", "zebra"]);
    expect(await here.json<Project>("projects", "get", "apple")).toMatchObject(all[1]!);
  });

  test("answers to ls too", async () => {
    const { code, stdout } = await onData(emptyData()).run("projects", "ls");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "PROJECT  NAME  KEY  ENVIRONMENTS\n" });
  });

  test("shows control characters of a name as escapes, one project a line", async () => {
    const here = onData(tempDirectory());
    const name = "a\u001b[31mred\nline\ttab\u202eback";
    await here.run("projects", "create", "shop", "--name", name);
    const { stdout } = await here.run("projects", "list");
    expect(stdout).not.toMatch(/[\u001b\t\u202e]/);
    expect(stdout).toContain("a\\u001b[31mred\\nline\\ttab\\u202eback");
    expect(stdout.trimEnd().split("\n")).toHaveLength(2);
    // JSON has its own escapes, and loses nothing.
    expect((await here.json<Project[]>("projects", "list"))[0]?.name).toBe(name);
  });

  test("keeps its columns under their heads where names are wide", async () => {
    const here = onData(tempDirectory());
    await here.run("projects", "create", "shop", "--name", "日本語");
    const [{ key }] = (await here.json<Project[]>("projects", "list")) as [Project];
    const [head, row] = (await here.run("projects", "list")).stdout.split("\n") as [string, string];
    expect(Bun.stringWidth(row.slice(0, row.indexOf(key)))).toBe(head.indexOf("KEY"));
  });
});

describe("projects get", () => {
  test("shows one project", async () => {
    const here = onData(tempDirectory());
    const created = await here.json<Project>("projects", "create", "shop");
    const shown = await here.json<Project>("projects", "get", "shop");
    const usage = { submissions: 0, storage: null };
    expect(shown as unknown).toEqual({ ...created, result: undefined, usage });
    const { stdout } = await here.run("projects", "get", "shop");
    for (const { key } of [created, ...created.environments]) expect(stdout).toContain(key);
  });

  test("one that does not exist is exit 3, and the hint tells where to look", async () => {
    const { code, stdout, stderr } = await onData(emptyData()).run("projects", "get", "nope");
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toBe(
      'error: project "nope" does not exist\nhint: formflag projects list lists the projects\n',
    );
  });

  test("without a name shows the project of FORMFLAG_PROJECT, as its own error message says", async () => {
    const data = tempDirectory();
    await onData(data).run("projects", "create", "shop");
    const created = await onData(data).json<Project>("projects", "get", "shop");
    const env = { FORMFLAG_PROJECT: "shop", FORMFLAG_DATA: data };
    const { code, stdout } = await formflag(["projects", "get", "--json"], { env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(created);
  });
});

describe("projects delete", () => {
  test("without --yes and without a terminal is exit 2, deletes nothing and says how to", async () => {
    const here = onData(tempDirectory());
    await here.run("projects", "create", "shop");
    for (const more of [[], ["--no-input"]]) {
      const { code, stdout, stderr } = await here.run("projects", "delete", "shop", ...more);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain("hint: add --yes");
    }
    expect(await here.json<Project[]>("projects", "list")).toHaveLength(1);
  });

  test("with --yes deletes it, its environments and flags, and nothing of another project", async () => {
    const here = onData(tempDirectory());
    for (const project of ["shop", "blog"]) {
      await here.run("projects", "create", project);
      await here.run("flags", "set", "sale", "-p", project, "-e", "develop", "--on");
    }
    expect(await here.json("projects", "delete", "shop", "--yes")).toEqual({
      slug: "shop",
      result: "deleted",
    });
    expect(slugsOf(await here.json<Project[]>("projects", "list"))).toEqual(["blog"]);
    expect((await here.run("flags", "get", "sale", "-p", "shop", "-e", "develop")).code).toBe(3);
    expect((await here.run("flags", "get", "sale", "-p", "blog", "-e", "develop")).code).toBe(0);
  });

  test("-y before the command counts as well", async () => {
    const data = tempDirectory();
    await onData(data).run("projects", "create", "shop");
    const { code, stdout } = await formflag(["-y", "--data", data, "projects", "delete", "shop"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "deleted project shop\n" });
  });

  test("one that does not exist is exit 3, with --yes and without", async () => {
    const { run } = onData(tempDirectory());
    const codes = await Promise.all([
      run("projects", "delete", "nope"),
      run("projects", "delete", "nope", "--yes"),
    ]);
    expect(codes.map(({ code }) => code)).toEqual([3, 3]);
  });
});

test("an empty list of environments, as an unset variable gives it, is exit 2 and makes nothing", async () => {
  const here = onData(emptyData());
  expect((await here.run("projects", "create", "shop", "--environments", "")).code).toBe(2);
  expect(await here.json<unknown[]>("projects", "list")).toEqual([]);
});
