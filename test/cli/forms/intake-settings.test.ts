import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { DEFAULT_SETTINGS, type FormSettings } from "../../../src/forms/settings/settings.ts";
import { emptyData, formflag, onData } from "../../support/commands.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";

type Form = FormSettings & { allowedOrigins: string[]; result: string; updatedAt: string };

const SCHEMA = { type: "object", properties: { email: { type: "string", format: "email" } } };
const schemaFile = join(tempDirectory(), "contact.schema.json");
await Bun.write(schemaFile, JSON.stringify(SCHEMA));

const MORE_WORDS = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];

const CASES: [args: string[], change: Partial<Form>, unset: string[]][] = [
  [["--allow-origin", "https://*.example.com"], { allowedOrigins: ["https://*.example.com"] }, ["none"]],
  [["--allow-type", ".PDF", "image/*"], { allowedTypes: [".pdf", "image/*"] }, ["none", "any"]],
  [["--opens-at", "2027-01-01"], { opensAt: "2027-01-01T00:00:00.000Z" }, ["none", "off"]],
  [["--closes-at", "2027-01-31T14:00:00+02:00"], { closesAt: "2027-01-31T12:00:00.000Z" }, ["none", "off"]],
  [["--max-submissions", "500"], { maxSubmissions: 500 }, ["none", "off"]],
  [["--spam", "reject"], { spam: "reject" }, ["keep", "default"]],
  [["--honeypot", "website", "--honeypot", "url"], { honeypots: ["website", "url"] }, ["none", "off"]],
  [["--spam-word", "viagra", "off", "free money"], { spamWords: ["viagra", "off", "free money"] }, ["off"]],
  [["--spam-email", "*@spam.example"], { spamEmails: ["*@spam.example"] }, ["none", "off"]],
  [["--spam-links", "0"], { spamLinks: 0 }, ["none", "off"]],
  [["--spam-disposable", "on"], { spamDisposable: true }, ["off", "none"]],
  [["--duplicates", "60s"], { duplicates: 60 }, ["none", "off"]],
  [["--duplicates", "1d"], { duplicates: 86_400 }, ["off"]],
  [["--challenge", "on"], { challenge: true }, ["off", "none"]],
  [["--schema", `@${schemaFile}`], { schema: SCHEMA }, ["none", "off"]],
  [["--schema", JSON.stringify(SCHEMA)], { schema: SCHEMA }, ["none"]],
  [["--success-message", "See you"], { successMessage: "See you" }, ["none", "default"]],
  [["--language", "auto"], { language: "auto" }, ["none", "off"]],
  [["--retention", "90d"], { retention: 7_776_000 }, ["none", "default"]],
  [["--spam-retention", "none"], { spamRetention: null }, ["default"]],
  [["--title-field", "order"], { titleField: "order" }, ["none", "default"]],
  [["--metadata", "truncated"], { metadata: "truncated" }, ["none", "off"]],
];

/** The last case of each option: an option is given once. */
const EACH_ONCE = [...new Map(CASES.map(([args]) => [args[0], args])).values()].flat();

/** Settings of the mail of a form, and of its page, which needs a schema. */
const MORE = [
  "--notify=a@example.com",
  "--notify=b@example.com",
  "--notify-subject=From {{name}}",
  "--email-field=from",
  "--attach=none",
  "--autoreply=on",
  "--autoreply-subject=Thanks",
  "--autoreply-text=Hello {{name}},\nthank you.",
  "--page=on",
];

describe("forms set", () => {
  test.each(CASES)("with %j changes that setting alone, and back", async (args, change, unset) => {
    const here = onData(tempDirectory());
    const { result: _, ...before } = await here.json<Form>("forms", "create", "contact");
    const again = { ...before, updatedAt: expect.any(String) as unknown as string };
    for (const word of unset) {
      const after = await here.json<Form>("forms", "set", "contact", ...args);
      expect(after).toEqual({ ...again, ...change, result: "updated" });
      const back = await here.json<Form>("forms", "set", "contact", args[0]!, word);
      expect(back).toEqual({ ...again, result: "updated" });
    }
  });

  test.each([
    ["--allow-type any", "file types  any"],
    ["--max-submissions none", "submissions  no limit"],
    ["--spam-links none", "spam links  any number"],
    ["--retention none", "retention  forever"],
    ["--success-message default", "success message  default"],
    ["--notify-subject default", "notify subject  default"],
    ["--email-field default", "address field  detected"],
    ["--notify none", "notifies  none"],
  ])("with %s prints what the setting then is: %s", async (args, line) => {
    const here = onData(tempDirectory());
    await here.run("forms", "create", "contact");
    const { stdout } = await here.run("forms", "set", "contact", ...args.split(" "));
    expect(stdout).toStartWith(`unchanged form contact\n${line}\n`);
  });

  test("asks before submissions are kept for minutes, counts what it would delete, and takes --yes for an answer", async () => {
    const here = onData(tempDirectory());
    await here.run("forms", "create", "contact");
    await here.run("forms", "test", "contact");
    const [set, retention] = [
      ["forms", "set", "contact"],
      () => here.run("forms", "get", "contact", "--field", "retention"),
    ];
    expect(await here.run(...set, "--retention", "6m")).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "error: form contact would keep submissions for 6 minutes and delete 0 of 1\n" +
        "hint: add --yes to change it anyway; m means minutes, so write a month as 30d\n",
    });
    expect((await here.run(...set, "--spam-retention", "1h")).stderr).toStartWith(
      "error: form contact would keep spam submissions for 1 hour and delete 0 of 0\n",
    );
    expect((await here.run("forms", "create", "jobs", "--retention", "6m")).code).toBe(2);
    expect((await here.run("forms", "list", "--field", "slug")).stdout).toBe("contact\n");
    expect((await retention()).stdout).toBe("\n");
    const done = await here.run(...set, "--retention", "6m", "--yes");
    expect([done.code, done.stderr]).toEqual([
      0,
      "form contact would keep submissions for 6 minutes and delete 0 of 1\n",
    ]);
    expect((await retention()).stdout).toBe("360\n");
    expect((await here.run(...set, "--retention", "12m")).code).toBe(0);
    expect((await here.run(...set, "--name", "Contact")).code).toBe(0);
  });

  test("counts what a shorter time deletes, which the server then logs", async () => {
    const data = tempDirectory();
    const here = onData(data);
    await here.run("forms", "create", "contact");
    const old = JSON.stringify({
      id: "0198a1b2-0000-7000-8000-000000000001",
      data: { a: 1 },
      createdAt: "2025-08-13T00:00:00.000Z",
    });
    await formflag(["submissions", "import", "contact", "-", "--format", "jsonl", "--data", data], {
      stdin: `${old}\n`,
    });
    await here.run("forms", "test", "contact");
    const set = ["forms", "set", "contact", "--retention", "90d"];
    expect((await here.run(...set)).stderr).toStartWith(
      "error: form contact would keep submissions for 90 days and delete 1 of 2\n",
    );
    expect((await here.run(...set, "--yes")).code).toBe(0);
    const server = await startServer([], { data });
    const line = "deleted 1 submission of form contact, which it keeps for 90 days";
    await eventually("the log has the deletion", () => server.stderr().includes(line));
    expect(await here.json<object[]>("submissions", "list", "contact")).toHaveLength(1);
  });

  test("takes a schema from standard input, and a time from now", async () => {
    const data = tempDirectory();
    const here = onData(data);
    await here.run("forms", "create", "contact");
    const args = ["forms", "set", "contact", "--schema", "-", "--data", data];
    const piped = await formflag(args, { stdin: JSON.stringify(SCHEMA) });
    expect(piped.code).toBe(0);
    const soon = await here.json<Form>("forms", "set", "contact", "--closes-at", "7d");
    expect(soon.schema).toEqual(SCHEMA);
    expect(Date.parse(soon.closesAt!) - Date.parse(soon.updatedAt)).toBeWithin(
      6.9 * 86_400_000,
      7.1 * 86_400_000,
    );
  });

  const refusing = onData(emptyData());
  test.each([
    ["--allow-type", "pdf", "--allow-type: an allowed type looks like .pdf, image/* or application/pdf"],
    ["--opens-at", "tomorrow", "--opens-at tomorrow is not a time"],
    ["--closes-at", "2027-02-30", "--closes-at 2027-02-30 is not a time"],
    ["--max-submissions", "many", "--max-submissions many is not a whole number from 1"],
    ["--max-submissions", "10001", "--max-submissions is a whole number from 1 to 10000"],
    ["--spam", "drop", "--spam is keep or reject, not drop"],
    ["--honeypot", "_idempotency", "--honeypot: a honeypot is the name of a field"],
    ["--spam-word", "*", "--spam-word: a spam word is a word or phrase"],
    ["--spam-email", "nobody", "--spam-email: a spam address is an address or a pattern"],
    ["--spam-links", "-1", "--spam-links -1 is not a whole number from 0"],
    ["--spam-links", "1001", "--spam-links is a whole number from 0 to 1000"],
    ["--spam-disposable", "yes", "--spam-disposable is on or off, not yes"],
    ["--duplicates", "often", "--duplicates often is not a time"],
    ["--duplicates", "2d", "--duplicates 2d is too long"],
    ["--challenge", "maybe", "--challenge is on or off, not maybe"],
    ["--schema", "[]", "--schema takes a JSON object, not []"],
    ["--schema", "{", "--schema is not valid JSON"],
    ["--schema", "@missing.json", "--schema: the file missing.json cannot be read"],
    ["--success-message", "", "--success-message is not empty"],
    ["--language", "xx", "--language is auto or one of en, de, "],
    ["--retention", "0d", "--retention 0d is zero"],
    ["--spam-retention", "90", "--spam-retention 90 is not a time"],
    ["--max-file-size", "10", "--max-file-size 10 is not a size"],
    ["--attach", "10", "--attach 10 is not a size"],
    ["--metadata", "half", "--metadata is none, truncated or full, not half"],
    ["--page", "on", "--page: the form has no schema"],
    ["--notify", "a@example.com,b@example", "--notify: an address to notify is one plain mail address"],
    ["--attach", "1GB", "--attach 1GB is too large"],
    ["--autoreply-text", "{{> x}}", "--autoreply-text: line 1: partials"],
    ["--schema", '{"type":"x"}', '--schema: the schema is invalid at #/type: "x" is not a type'],
    ["--allow-origin", "https://*.com", "--allow-origin: an origin looks like https://example.com"],
  ])("%s %s is a usage error, exit 2, and creates nothing", async (option, value, message) => {
    const { code, stdout, stderr } = await refusing.run("forms", "create", "f", option, value);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toStartWith(`error: ${message}`);
    expect(await refusing.json<Form[]>("forms", "list")).toEqual([]);
  });

  test("a form that has closed, or opens later, is not shown as open", async () => {
    const here = onData(tempDirectory());
    await here.run("forms", "create", "contact");
    const { stdout, stderr } = await here.run("forms", "set", "contact", "--closes-at", "2020-01-01");
    expect(stdout).toMatch(/^state +closed since 2020-01-01T00:00:00.000Z$/m);
    expect(stderr).toBe(
      "contact takes no submissions since 2020-01-01T00:00:00.000Z; to change that: formflag forms set contact --closes-at none\n",
    );
    expect((await here.run("forms", "get", "contact")).stdout).toContain("closed since 2020");
    expect((await here.run("forms", "list")).stdout).toContain("closed since 2020");
    expect((await here.run("forms", "enable", "contact")).stderr).toContain(
      "takes no submissions since 2020",
    );
    await here.run("forms", "set", "contact", "--closes-at", "none", "--opens-at", "2999-01-01");
    expect((await here.run("forms", "get", "contact")).stdout).toMatch(/^state +closed until 2999/m);
    await here.run("forms", "set", "contact", "--opens-at", "none");
    expect((await here.run("forms", "get", "contact")).stdout).toMatch(/^state +open$/m);
  });

  test("a closing time before the opening time is refused with what to do", async () => {
    const here = onData(tempDirectory());
    await here.run("forms", "create", "contact", "--opens-at", "2027-01-02");
    const { code, stderr } = await here.run("forms", "set", "contact", "--closes-at", "2027-01-01");
    expect(code).toBe(2);
    expect(stderr).toBe(
      "error: --closes-at: the form would close at 2027-01-01T00:00:00.000Z, before it opens at 2027-01-02T00:00:00.000Z\n" +
        "hint: set the two times together, or remove one of them\n",
    );
  });
});

describe("forms get", () => {
  test("lists the settings that are set, aligned with the others", async () => {
    const here = onData(tempDirectory());
    await here.run("forms", "create", "contact");
    const plain = (await here.run("forms", "get", "contact")).stdout;
    expect(plain).not.toMatch(/spam|schema|challenge|opens/);
    const args = EACH_ONCE;
    await here.run("forms", "set", "contact", ...args, "--spam-word", ...MORE_WORDS, ...MORE);
    const lines = (await here.run("forms", "get", "contact")).stdout.split("\n").slice(10, -3);
    expect(lines).toEqual([
      "origins          https://*.example.com",
      "rate limit       none",
      "blocked senders  none",
      "file types       .pdf, image/*",
      "opens            2027-01-01T00:00:00.000Z",
      "closes           2027-01-31T12:00:00.000Z",
      "submissions      at most 500",
      "spam             refused",
      "honeypots        website, url",
      "spam words       viagra, off, free money, a, b, c, d, e, f, g and 4 more",
      "spam addresses   *@spam.example",
      "spam links       more than 0",
      "disposable mail  spam",
      "duplicates       spam within 86400 s",
      "challenge        required",
      "schema           email",
      "notifies         a@example.com, b@example.com",
      "notify subject   From {{name}}",
      "address field    from",
      "attaches         nothing",
      "autoreply        on",
      "reply subject    Thanks",
      "reply text       Hello {{name}},\\nthank you.",
      "retention        90 days",
      "spam retention   forever",
      "metadata         truncated",
      "title field      order",
      "success message  See you",
      "language         auto",
    ]);
  });
});

describe("export and apply", () => {
  test("carry every setting to another data directory, and apply it once", async () => {
    const [here, there] = [onData(tempDirectory()), onData(tempDirectory())];
    await here.run("forms", "create", "contact", ...EACH_ONCE, ...MORE);
    const file = join(tempDirectory(), "setup.yaml");
    expect((await here.run("export", "-o", file)).code).toBe(0);
    expect((await there.run("apply", "-f", file)).code).toBe(0);
    const settingsIn = async (place: typeof here) => {
      const form = await place.json<Form>("forms", "get", "contact");
      return Object.keys(DEFAULT_SETTINGS).map((name) => form[name as keyof FormSettings]);
    };
    expect(await settingsIn(there)).toEqual(await settingsIn(here));
    expect((await there.run("diff", "-f", file)).code).toBe(0);
    await Bun.write(file, (await Bun.file(file).text()).replace("spamLinks: 0", "spamLinks: null"));
    expect((await there.run("diff", "-f", file)).stdout).toContain("- spamLinks: 0\n    + spamLinks: null");
    await Bun.write(file, 'forms: {contact: {schema: {properties: {a: {pattern: "(?=a)"}}}}}');
    const { code, stderr } = await there.run("apply", "-f", file);
    expect(code).toBe(2);
    expect(stderr).toStartWith(
      `error: ${file} line 1, column 19: forms.contact.schema: the schema is invalid at #/properties/a/pattern: `,
    );
  });
});

test("a server stores the settings, and a backup restores them", async () => {
  const data = tempDirectory();
  const server = await startServer([], { data });
  const here = onData(data);
  const form = await here.json<Form>("forms", "create", "contact", ...EACH_ONCE);
  await server.stop();
  const archive = join(tempDirectory(), "backup.tar");
  const restored = join(tempDirectory(), "data");
  expect((await here.run("backup", "create", "-o", archive)).code).toBe(0);
  expect((await onData(restored).run("backup", "restore", archive)).code).toBe(0);
  const { result: _, ...settings } = form;
  expect(await onData(restored).json<Form>("forms", "get", "contact")).toEqual(settings as Form);
});
