import { describe, expect, test } from "bun:test";
import { formflag, onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

type Form = { slug: string; key: string; project: string; result?: string };
type Entry = { action: string; project: string; object: string; details: object };

/** A data directory with the projects `blog` and `shop`, and a form `contact` in `blog`. */
async function begin() {
  const data = tempDirectory();
  const commands = onData(data);
  const json = <T>(...args: string[]): Promise<T> => commands.json<T>(...args);
  const run = (...args: string[]) => commands.run(...args);
  for (const project of ["blog", "shop"]) await run("projects", "create", project);
  const { key } = await json<Form>("forms", "create", "contact", "-p", "blog");
  const within = (project: string, ...args: string[]) =>
    formflag([...args, "--data", data], { env: { FORMFLAG_PROJECT: project } });
  return { run, json, key, within };
}

describe("forms copy", () => {
  test("creates a form of the same settings, in the same project or another, and says what is missing", async () => {
    const { run, json, key } = await begin();
    await run("forms", "set", "contact", "--rate-limit", "20/h");
    const copy = await json<Form>("forms", "copy", "contact", "kontakt", "--name", "Kontakt");
    expect(copy).toMatchObject({ slug: "kontakt", name: "Kontakt", project: "blog", result: "created" });
    expect(copy.key).not.toBe(key);
    expect((await run("forms", "get", "kontakt")).stdout).toContain("20 in 3600 s");
    expect(
      await json<Form>("forms", "copy", "contact", "contact", "-p", "blog", "--to", "shop"),
    ).toMatchObject({
      project: "shop",
    });
    expect((await run("forms", "copy", "contact", "kontakt", "-p", "blog")).code).toBe(5);
    expect((await run("forms", "copy", "contact", "-p", "blog")).code).toBe(2);
  });
});

describe("forms move", () => {
  test("takes a form to another project with its key and history, and says so when it is there", async () => {
    const { run, json, key } = await begin();
    const moved = await run("forms", "move", "contact", "--to", "shop");
    expect(moved).toMatchObject({ code: 0, stdout: "form contact moved to project shop\n" });
    expect(await json<Form>("forms", "get", "contact", "-p", "shop")).toMatchObject({ key, project: "shop" });
    expect((await run("forms", "get", "contact", "-p", "blog")).code).toBe(3);
    const again = await run("forms", "move", "contact", "-p", "shop", "--to", "shop");
    expect(again.stdout).toBe("form contact is already in project shop\n");
    const history = await run("forms", "history", "contact", "-p", "shop");
    expect(history.stdout).toContain("created");
  });

  test("is refused without where to, to a project that is not there, and where the name is taken", async () => {
    const { run, json } = await begin();
    expect(await run("forms", "move", "contact")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("formflag forms move contact --to <project>"),
    });
    expect((await run("forms", "move", "contact", "--to", "nothing")).code).toBe(3);
    await run("forms", "create", "contact", "-p", "shop");
    expect((await run("forms", "move", "contact", "-p", "blog", "--to", "shop")).code).toBe(5);
    const several = await run("forms", "move", "contact", "--to", "shop");
    expect(several).toMatchObject({ code: 5, stderr: expect.stringMatching(/blog.*shop/) });
    expect((await json<Form[]>("forms", "list")).map(({ project }) => project)).toEqual(["blog", "shop"]);
  });

  test("is in the audit log and the history of both projects, and names neither to the other", async () => {
    const { run, json } = await begin();
    await run("forms", "move", "contact", "--to", "shop");
    const entries = async (project: string) =>
      (await json<Entry[]>("audit", "list", "-p", project, "--action", "form.move")).map(
        ({ object, details }) => [object, details],
      );
    expect(await entries("blog")).toEqual([["contact", { from: "blog" }]]);
    expect(await entries("shop")).toEqual([["contact", { to: "shop" }]]);
    expect(JSON.stringify(await json("projects", "history", "shop"))).not.toContain("blog");
    expect(JSON.stringify(await json("projects", "history", "blog"))).not.toContain('"shop"');
    expect((await run("audit", "verify")).code).toBe(0);
  });
});

describe("FORMFLAG_PROJECT", () => {
  test("goes before other projects where it has a form of the name, and stands back where it has none", async () => {
    const { run, json, within } = await begin();
    await run("forms", "create", "contact", "-p", "shop");
    await run("forms", "create", "order", "-p", "shop");
    const keyOf = async (project: string, form: string) =>
      JSON.parse((await within(project, "forms", "get", form, "--json")).stdout) as Form;
    expect((await keyOf("shop", "contact")).project).toBe("shop");
    expect((await keyOf("blog", "contact")).project).toBe("blog");
    expect((await keyOf("blog", "order")).project).toBe("shop");
    expect((await within("shop", "forms", "get", "order", "-p", "blog")).code).toBe(3);
    expect((await within("shop", "forms", "set", "contact", "--name", "Ours")).code).toBe(0);
    expect(await json("forms", "get", "contact", "-p", "blog")).toMatchObject({ name: "contact" });
    expect((await within("blog", "forms", "create", "fresh")).code).toBe(0);
    expect((await json<Form>("forms", "get", "fresh")).project).toBe("blog");
  });
});

describe("projects set", () => {
  test("changes the name, the sender, the colour and the quotas, and takes them back", async () => {
    const { run, json } = await begin();
    const all = ["--name", "Our shop", "--mail-from", "Shop <shop@example.com>", "--accent", "#0b68cb"];
    const quotas = ["--max-submissions", "1000/d", "--max-storage", "5GB"];
    const set = await json("projects", "set", "shop", ...all, ...quotas);
    const settings = {
      name: "Our shop",
      mailFrom: "Shop <shop@example.com>",
      accent: "#0b68cb",
      maxSubmissions: 1000,
      maxStorage: 5 * 1024 ** 3,
    };
    expect(set).toMatchObject({ ...settings, result: "updated" });
    expect(await json("projects", "get", "shop")).toMatchObject(settings);
    expect((await run("projects", "get", "shop")).stdout).toContain("at most 1,000 a day");
    expect(await json("projects", "set", "shop", ...all)).toMatchObject({ result: "unchanged" });
    const none = ["--mail-from", "default", "--accent", "none", "--max-submissions", "none"];
    expect(await json("projects", "set", "shop", ...none, "--max-storage", "none")).toMatchObject({
      mailFrom: null,
      accent: null,
      maxSubmissions: null,
      maxStorage: null,
    });
  });

  test.each([
    [["--accent", "#ffee88"], "darker"],
    [["--accent", "red"], "accent"],
    [["--mail-from", "nobody"], "looks like"],
    [["--max-submissions", "5/h"], "1000/d"],
    [["--max-storage", "much"], "--max-storage"],
    [[], "nothing to change"],
  ])("refuses %p, and says why", async (options, why) => {
    const { run } = await begin();
    const refused = await run("projects", "set", "shop", ...options);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
  });
});
