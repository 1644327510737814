import { join } from "node:path";
import { expect, test } from "bun:test";
import { onData } from "../support/commands.ts";
import { tempDirectory } from "../support/temp.ts";

test("a form fills a segment, whose values are approved, exported and carried in a file", async () => {
  const [here, there] = [onData(tempDirectory()), onData(tempDirectory())];
  const place = ["-p", "shop", "-e", "production"];
  await here.run("projects", "create", "shop");
  await here.run("forms", "create", "signup");
  const csv = join(tempDirectory(), "in.jsonl");
  await Bun.write(csv, '{"email":"Ann@example.com"}\n{"email":"bob@example.com"}\n');
  await here.run("submissions", "import", "signup", csv);
  const source = ["--from-form", "signup", "--field", "email"];
  const set = await here.run("segments", "set", "beta", ...place, ...source, "--approve", "on");
  expect(set.stderr).toBe("");
  expect(set.stdout).toBe(
    "created segment beta in shop/production: those in the field email of form signup, once approved, 0 members, 2 pending\n",
  );
  expect(await here.json("segments", "members", "beta", ...place, "--pending")).toEqual([
    { value: "ann@example.com", submissions: 1 },
    { value: "bob@example.com", submissions: 1 },
  ]);
  const one = await here.run("segments", "approve", "beta", "ANN@example.com", ...place);
  expect(one.stdout).toBe("segment beta in shop/production: 1 member, 1 pending\n");
  const back = await here.run("segments", "approve", "beta", "ann@example.com", "--undo", ...place);
  expect(back.stdout).toBe("segment beta in shop/production: 0 members, 2 pending\n");
  const every = await here.run("segments", "approve", "beta", "--all", "--undo", ...place);
  expect([every.code, every.stderr]).toEqual([
    2,
    "error: --undo takes values, and no --all\nhint: name the values whose approval is taken back\n",
  ]);
  const unknown = await here.run("segments", "approve", "beta", "nobody", ...place);
  expect([unknown.code, unknown.stderr]).toEqual([
    3,
    expect.stringContaining("formflag segments members beta -p shop -e production lists its values"),
  ]);
  expect((await here.run("segments", "approve", "beta", ...place)).code).toBe(2);
  expect((await here.run("segments", "approve", "beta", "--all", ...place)).code).toBe(0);
  expect(await here.json("segments", "get", "beta", ...place)).toMatchObject({
    rule: null,
    source: { form: "signup", field: "email", attribute: "email", approve: true },
    members: 2,
    pending: 0,
    full: false,
  });
  expect((await here.run("segments", "get", "beta", ...place)).stdout).toMatch(/^members +2$/m);
  expect((await here.run("segments", "list", ...place)).stdout).toContain("field email of form signup");
  expect((await here.run("forms", "delete", "signup", "--yes")).code).toBe(5);

  const plain = await here.run("flags", "export", ...place);
  expect(plain.stderr).toContain("warning: segment beta, which a form fills, is empty in the file");
  expect(JSON.parse(plain.stdout)).toMatchObject({ $evaluators: { beta: { in: [{ var: "email" }, []] } } });
  const whole = await here.run("flags", "export", ...place, "--members");
  expect(JSON.parse(whole.stdout)).toMatchObject({
    $evaluators: { beta: { in: [{ var: "email" }, ["ann@example.com", "bob@example.com"]] } },
  });

  const file = join(tempDirectory(), "setup.yaml");
  await here.run("export", "-o", file);
  expect(await Bun.file(file).text()).not.toContain("ann@example.com");
  const applied = await there.run("apply", "-f", file);
  expect([applied.code, applied.stderr]).toEqual([0, ""]);
  expect(await there.json("segments", "get", "beta", ...place)).toMatchObject({ rule: null, members: 0 });
  expect((await there.run("diff", "-f", file)).code).toBe(0);
  const missing = await here.run("segments", "set", "beta", ...place, "--from-form", "signup");
  expect([missing.code, missing.stderr]).toEqual([
    2,
    "error: the field is missing\nhint: name the one with the value: --field email\n",
  ]);
});

test("a flag serves the members of a segment that a form fills, and nobody else", async () => {
  const here = onData(tempDirectory());
  const place = ["-p", "shop", "-e", "production"];
  await here.run("projects", "create", "shop");
  await here.run("forms", "create", "signup");
  const file = join(tempDirectory(), "in.jsonl");
  await Bun.write(file, '{"email":"Ann@example.com"}\n');
  await here.run("submissions", "import", "signup", file);
  await here.run("segments", "set", "beta", ...place, "--from-form", "signup", "--field", "email");
  await here.run("flags", "set", "early", ...place, "--on", "--if", "segment beta", "--then", "on");
  const variantFor = async (context: object) =>
    (
      await here.json<{ variant: string }>(
        "flags",
        "evaluate",
        "early",
        ...place,
        "--context",
        JSON.stringify(context),
      )
    ).variant;
  expect(await variantFor({ email: " ANN@example.com" })).toBe("on");
  for (const context of [
    {},
    { email: "" },
    { email: "bob@example.com" },
    { email: "ann@example.co" },
    { email: ["ann@example.com"] },
    { mail: "ann@example.com" },
    { targetingKey: "ann@example.com" },
  ])
    expect(await variantFor(context)).toBe("off");
});
