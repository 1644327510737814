import { describe, expect, test } from "bun:test";
import type { FormSettings } from "../../../src/forms/settings/settings.ts";
import { emptyData, formflag, onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";
import { shownForm } from "../../support/records/records.ts";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

type Form = {
  slug: string;
  name: string;
  key: string;
  url: string;
  enabled: boolean;
  uploads: boolean;
  successUrl: string | null;
  errorUrl: string | null;
  allowedOrigins: string[];
  blockedSenders: string[];
  rateLimit: { count: number; seconds: number } | null;
  maxFileSize: number;
  maxFiles: number;
  createdAt: string;
  updatedAt: string;
} & FormSettings;
type SetForm = Form & { result: string };

describe("forms create", () => {
  test("prints a form that is open, takes no files, and has a key nobody guesses", async () => {
    const form = await onData(tempDirectory()).json<Form>("forms", "create", "contact");
    expect([form.key, form.createdAt]).toEqual([
      expect.stringMatching(/^[A-Za-z0-9_-]{20,}$/),
      expect.stringMatching(TIME),
    ]);
    expect(form as unknown).toEqual({
      ...shownForm("contact", form.key, form.createdAt),
      result: "created",
    });
  });

  test("takes every setting at once", async () => {
    const form = await onData(tempDirectory()).json<Form>(
      "forms",
      "create",
      "jobs",
      "--name",
      "Jobs",
      "--uploads",
      "on",
      "--success-url",
      "https://example.com/thanks?a=1",
      "--error-url",
      "https://example.com/oops",
      "--max-file-size",
      "1.5MB",
      "--max-files",
      "3",
      "--allow-origin",
      "https://a.example",
      "--allow-origin",
      "https://b.example",
    );
    expect(form).toMatchObject({
      name: "Jobs",
      uploads: true,
      successUrl: "https://example.com/thanks?a=1",
      errorUrl: "https://example.com/oops",
      maxFileSize: 1_572_864,
      maxFiles: 3,
      allowedOrigins: ["https://a.example", "https://b.example"],
    });
  });

  test("says in words where a page posts to", async () => {
    const here = onData(tempDirectory());
    const { code, stdout, stderr } = await here.run("forms", "create", "contact");
    const { key } = await here.json<Form>("forms", "get", "contact");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`/v1/s/${key}`);
  });

  test("one that exists is a conflict, exit 5; with --if-not-exists it is printed as it is", async () => {
    const here = onData(tempDirectory());
    const form = await here.json<Form>("forms", "create", "contact", "--if-not-exists");
    expect((await here.run("forms", "create", "contact")).code).toBe(5);
    const again = await here.json<Form>("forms", "create", "contact", "--if-not-exists", "--uploads", "on");
    expect(again as unknown).toEqual({ ...form, result: "unchanged" });
  });

  const refusing = onData(emptyData());
  test.each([
    ["no slug", [], /the form is missing/],
    ["a slug with a slash", ["a/b"], /form is named by/],
    ["uploads neither on nor off", ["f", "--uploads", "yes"], /--uploads is on or off, not yes/],
    ["a success URL that is a path", ["f", "--success-url", "/thanks"], /success URL/],
    ["an error URL that runs code", ["f", "--error-url", "javascript:alert(1)"], /error URL/],
    ["an origin that is none", ["f", "--allow-origin", "example.com"], /origin looks like/],
    ["a size in words", ["f", "--max-file-size", "big"], /--max-file-size big is not a size/],
    ["a size of nothing", ["f", "--max-file-size", "0"], /at least 1 byte/],
    ["a negative number of files", ["f", "--max-files", "-1"], /--max-files -1/],
    ["no files at all", ["f", "--max-files", "0"], /turn uploads off/],
    ["a rate in words", ["f", "--rate-limit", "often"], /--rate-limit often is not a rate/],
    ["a rate of none", ["f", "--rate-limit", "0/h"], /--rate-limit 0\/h counts nothing/],
    ["a rate in no time", ["f", "--rate-limit", "5/0s"], /--rate-limit 5\/0s counts nothing/],
    ["a sender that is no address", ["f", "--block-sender", "somebody"], /blocked sender/],
  ])("%s is a usage error, exit 2, and makes nothing", async (_, args, message) => {
    const { code, stdout, stderr } = await refusing.run("forms", "create", ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
    expect(await refusing.json<Form[]>("forms", "list")).toEqual([]);
  });
});

describe("forms set", () => {
  test("changes only what was passed and says updated, or unchanged", async () => {
    const here = onData(tempDirectory());
    await here.run("forms", "create", "contact");
    let form = await here.json<Form>("forms", "get", "contact");
    for (const [args, change] of [
      [["--name", "Contact us"], { name: "Contact us" }],
      [["--success-url", "https://example.com/a?b=c#d"], { successUrl: "https://example.com/a?b=c#d" }],
      [["--error-url", "http://example.com/e"], { errorUrl: "http://example.com/e" }],
      [["--allow-origin", "https://a.example/page"], { allowedOrigins: ["https://a.example"] }],
      [["--max-file-size", "10MB"], { maxFileSize: 10_485_760 }],
      [["--max-files", "2"], { maxFiles: 2 }],
      [["--rate-limit", "20/h"], { rateLimit: { count: 20, seconds: 3600 } }],
      [["--block-sender", "203.0.113.0/24", "::1"], { blockedSenders: ["203.0.113.0/24", "::1"] }],
    ] as const) {
      const { result, updatedAt, ...after } = await here.json<SetForm>("forms", "set", "contact", ...args);
      const { updatedAt: _, ...before } = form;
      expect(after).toEqual({ ...before, ...change } as unknown as typeof after);
      expect(result).toBe("updated");
      const again = await here.json<SetForm>("forms", "set", "contact", ...args);
      expect(again).toEqual({ ...after, updatedAt, result: "unchanged" });
      form = { ...after, updatedAt };
    }
    expect(await here.json<Form>("forms", "get", "contact")).toEqual(form);
  }, 60_000);

  test("takes each setting back to its default", async () => {
    const here = onData(tempDirectory());
    const { updatedAt: _, ...blank } = await here.json<Form>("forms", "create", "contact");
    await here.json(
      "forms",
      "set",
      "contact",
      "--success-url",
      "https://example.com/a",
      "--max-file-size",
      "2k",
      "--error-url",
      "https://example.com/e",
      "--allow-origin",
      "https://a.example",
      "--max-files",
      "9",
      "--rate-limit",
      "5/10m",
      "--block-sender",
      "192.0.2.1",
    );
    const back = await here.json<SetForm>(
      "forms",
      "set",
      "contact",
      "--success-url",
      "none",
      "--max-file-size",
      "default",
      "--error-url",
      "none",
      "--allow-origin",
      "any",
      "--max-files",
      "default",
      "--rate-limit",
      "off",
      "--block-sender",
      "none",
    );
    expect(back).toEqual({ ...blank, updatedAt: expect.any(String), result: "updated" });
  });

  test("finds the form by its key as well", async () => {
    const here = onData(tempDirectory());
    const { key } = await here.json<Form>("forms", "create", "contact");
    expect(await here.json<SetForm>("forms", "set", key, "--name", "By key")).toMatchObject({
      slug: "contact",
      name: "By key",
    });
    expect(await here.json<Form>("forms", "get", key)).toEqual(
      await here.json<Form>("forms", "get", "contact"),
    );
  });

  test("without a setting is exit 2, for a form that does not exist exit 3", async () => {
    const { run } = onData(tempDirectory());
    await run("forms", "create", "contact");
    const [nothing, missing] = await Promise.all([
      run("forms", "set", "contact"),
      run("forms", "set", "nope", "--name", "x"),
    ]);
    expect(nothing).toMatchObject({ code: 2, stdout: "" });
    expect(nothing.stderr).toContain("nothing to change");
    expect(missing).toMatchObject({ code: 3, stdout: "" });
  });
});

describe("forms uploads, enable and disable", () => {
  test("switch one thing each and may be repeated", async () => {
    const here = onData(tempDirectory());
    await here.json("forms", "create", "contact");
    for (const [args, expected] of [
      [["uploads", "contact", "on"], { uploads: true, result: "updated" }],
      [["uploads", "contact", "on"], { uploads: true, result: "unchanged" }],
      [["disable", "contact"], { enabled: false, uploads: true, result: "updated" }],
      [["disable", "contact"], { enabled: false, result: "unchanged" }],
      [["enable", "contact"], { enabled: true, result: "updated" }],
      [["uploads", "contact", "off"], { uploads: false, enabled: true, result: "updated" }],
    ] as const) {
      expect(await here.json<SetForm>("forms", ...args)).toMatchObject(expected);
    }
  });

  test("uploads want on or off: anything else is exit 2", async () => {
    const here = onData(tempDirectory());
    await here.run("forms", "create", "contact");
    const results = await Promise.all([
      here.run("forms", "uploads", "contact"),
      here.run("forms", "uploads", "contact", "maybe"),
      here.run("forms", "uploads"),
    ]);
    expect(results.map(({ code }) => code)).toEqual([2, 2, 2]);
    expect(await here.json<Form>("forms", "get", "contact")).toMatchObject({ uploads: false });
  });

  test("on a form that does not exist are exit 3", async () => {
    const { run } = onData(tempDirectory());
    const results = await Promise.all([
      run("forms", "uploads", "nope", "on"),
      run("forms", "enable", "nope"),
      run("forms", "disable", "nope"),
      run("forms", "get", "nope"),
    ]);
    expect(results.map(({ code }) => code)).toEqual([3, 3, 3, 3]);
  });
});

describe("forms list", () => {
  test("is an array by name", async () => {
    const here = onData(emptyData());
    expect(await here.json<Form[]>("forms", "list")).toEqual([]);
    for (const slug of ["pear", "apple"]) await here.run("forms", "create", slug, "--name", "a\u001b[2J\nb");
    const all = await here.json<Form[]>("forms", "list");
    expect(all.map(({ slug }) => slug)).toEqual(["apple", "pear"]);
    expect(all[0]).toEqual(await here.json<Form>("forms", "get", "apple"));
    const { stdout } = await here.run("forms", "list");
    expect(stdout.trimEnd().split("\n")).toHaveLength(3);
    expect(stdout).toContain("a\\u001b[2J\\nb");
    for (const { key } of all) expect(stdout).toContain(key);
  });
});

describe("forms delete", () => {
  test("wants --yes without a terminal, and takes the slug or the key", async () => {
    const here = onData(tempDirectory());
    const [{ key }] = await Promise.all([
      here.json<Form>("forms", "create", "a"),
      here.run("forms", "create", "b"),
    ]);
    expect((await here.run("forms", "delete", "b")).code).toBe(2);
    expect(await here.json<Form[]>("forms", "list")).toHaveLength(2);
    expect(await here.json("forms", "delete", key, "--yes")).toEqual({ slug: "a", result: "deleted" });
    expect(await here.run("forms", "delete", "b", "--yes")).toMatchObject({
      code: 0,
      stdout: "deleted form b\n",
    });
    expect(await here.json<Form[]>("forms", "list")).toEqual([]);
    expect((await here.run("forms", "delete", "b", "--yes")).code).toBe(3);
  });
});

test("an empty address, as an unset variable gives it, is exit 2 and changes nothing", async () => {
  const here = onData(tempDirectory());
  await here.run("forms", "create", "contact", "--success-url", "https://example.com/thanks");
  expect((await here.run("forms", "set", "contact", "--success-url", "")).code).toBe(2);
  const { successUrl } = await here.json<{ successUrl: string }>("forms", "get", "contact");
  expect(successUrl).toBe("https://example.com/thanks");
});

test("create --if-not-exists by many at once makes one form and fails for none", async () => {
  const here = onData(tempDirectory());
  const one = () => here.json<{ key: string }>("forms", "create", "contact", "--if-not-exists");
  const made = await Promise.all([one(), one(), one(), one(), one(), one()]);
  expect(new Set(made.map(({ key }) => key)).size).toBe(1);
});

describe("the address of a form", () => {
  /** What `forms create`, `set`, `get` and `list` show of it with that environment, as text and as JSON. */
  async function addressesOf(name: string, args: string[], env: Record<string, string> = {}) {
    const run = async (...command: string[]) =>
      (await formflag(["forms", ...command, ...args], { env })).stdout;
    const { key } = JSON.parse(await run("create", name, "--json")) as Form;
    const [form] = JSON.parse(await run("list", "--json")) as [Form];
    const texts = [
      await run("get", name),
      await run("list"),
      await run("set", name, "--name", "Other", "--json"),
      (
        (await formflag(["forms", "get", name, "--json", ...args], { env })).stdout.match(/"url": "(.*)"/) ??
        []
      )[1]!,
      form.url,
    ];
    return texts.map((text) => /[^\s"]*\/v1\/s\/[^\s",]+/.exec(text)?.[0].replace(key, "KEY"));
  }
  const all = (address: string) => Array<string>(5).fill(address);

  test("is whole where the public URL is known, else a path", async () => {
    const env = { FORMFLAG_PUBLIC_URL: "https://example.com/formflag/" };
    expect(await addressesOf("a", ["--data", tempDirectory()], env)).toEqual(
      all("https://example.com/formflag/v1/s/KEY"),
    );
    expect(await addressesOf("a", ["--data", tempDirectory()])).toEqual(all("/v1/s/KEY"));
  });

  test("is whole on a server: by its own public URL, else by --server", async () => {
    for (const [args, base] of [
      [["--public-url", "https://forms.example.com"], "https://forms.example.com"],
      [["--base-path", "/a/b"], "SERVER/a/b"],
      [[], "SERVER"],
    ] as const) {
      const server = await startServer([...args]);
      const token = (await onData(server.data).run("tokens", "create", "x")).stdout.trim();
      const url = `${server.url}${args[0] === "--base-path" ? args[1] : ""}`;
      const found = await addressesOf("a", ["--server", url], { FORMFLAG_TOKEN: token });
      expect(found).toEqual(all(`${base.replace("SERVER", server.url)}/v1/s/KEY`));
      await server.stop();
    }
  }, 60_000);
});
