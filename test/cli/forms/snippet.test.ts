import { join } from "node:path";
import { beforeAll, describe, expect, test } from "bun:test";
import { formflag, onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { programAt } from "../../support/needs.ts";
import { FORM_SCHEMA } from "../../support/records/form-schema.ts";
import { tempDirectory } from "../../support/temp.ts";

const curl = programAt("curl", "commands for curl");
const data = tempDirectory();
const here = onData(data);
const { url } = await startServer([], { data });

beforeAll(async () => {
  const file = join(tempDirectory(), "schema.json");
  await Bun.write(file, JSON.stringify(FORM_SCHEMA));
  const cv = { required: ["cv"], properties: { cv: { format: "binary" }, a: {} } };
  for (const args of [
    ["contact"],
    ["apply", "--schema", `@${file}`],
    ["photos", "--uploads", "on", "--language", "de"],
    ["jobs", "--uploads", "on", "--schema", JSON.stringify(cv)],
    ["guarded", "--challenge", "on", "--language", "de"],
    ["nested", "--schema", '{"properties":{"address":{"type":"object"}}}'],
    ["strict", "--schema", '{"properties":{"code":{"pattern":"^[0-9]{9}$"}}}'],
  ]) {
    await here.run("forms", "create", ...args);
  }
});

const snippet = async (
  form: string,
  kind: string,
  env: Record<string, string> = { FORMFLAG_PUBLIC_URL: url },
) => formflag(["forms", "snippet", form, "--kind", kind, "--data", data], { env });

type Listed = { id: string; data: Record<string, unknown>; files: { name: string }[] };

/** The newest submission of a form. */
const newest = async (form: string) =>
  (await here.json<Listed[]>("submissions", "list", form, "--limit", "1"))[0]!;

/** Runs the curl command for a form as printed, which the server has to accept. */
async function sendByCurl(form: string): Promise<void> {
  const { stdout, stderr } = await snippet(form, "curl");
  expect(stderr).toBe("");
  const shell = Bun.spawn(["sh", "-c", stdout], { stdout: "pipe", stderr: "ignore" });
  expect(await new Response(shell.stdout).json()).toMatchObject({ success: true });
}

describe("forms snippet", () => {
  test("has the address of the server that runs on the data directory, as forms get and list show it", async () => {
    const { stdout, stderr } = await snippet("contact", "html", {});
    expect(stdout).toContain(`action="${url}/v1/s/`);
    expect(stderr).toBe("");
    for (const verb of [["list"], ["get", "contact"]])
      expect((await here.run("forms", ...verb)).stdout).toContain(`${url}/v1/s/`);
    // Scripts put the address of the server before it.
    expect((await here.run("forms", "get", "contact", "--field", "url")).stdout).toStartWith("/v1/s/");
  });

  test("has a file input and the encoding for files where the form takes files and has no schema", async () => {
    const { stdout } = await snippet("photos", "html");
    expect(stdout).toMatch(
      /^<form [^>]*method="post" enctype="multipart\/form-data" accept-charset="utf-8">\n/,
    );
    expect(stdout).toContain('<p><label>Datei<br><input type="file" name="file" multiple></label></p>');
    expect((await snippet("photos", "fetch")).stdout).toContain("body: new FormData(form),");
  });

  test("prints a contact form for a form without a schema, in HTML unless asked for another kind", async () => {
    const { code, stdout, stderr } = await formflag(["forms", "snippet", "contact", "--data", data], {
      env: { FORMFLAG_PUBLIC_URL: "https://forms.example.com/base/" },
    });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^<form action="https:\/\/forms\.example\.com\/base\/v1\/s\/[a-z0-9]{24}" method="post" accept-charset="utf-8">\n/,
    );
    for (const name of ["name", "email", "message", "_gotcha"]) expect(stdout).toContain(`name="${name}"`);
    expect(stdout).not.toContain("<script");
  });

  test("names a server on this machine where the address is not known, and says so", async () => {
    const { run } = onData(tempDirectory());
    await run("forms", "create", "contact");
    const { stdout, stderr } = await run("forms", "snippet", "contact", "--kind", "curl");
    expect(stdout).toStartWith("curl 'http://127.0.0.1:8787/v1/s/");
    expect(stderr).toContain("set FORMFLAG_PUBLIC_URL");
    const wrong = await snippet("contact", "curl", { FORMFLAG_PUBLIC_URL: "nonsense" });
    expect([wrong.code, wrong.stdout]).toEqual([2, ""]);
  });

  test("prints an object with --json", async () => {
    const result = await here.json("forms", "snippet", "contact", "--kind", "curl");
    expect(result).toEqual({
      form: "contact",
      kind: "curl",
      language: "en",
      snippet: expect.stringContaining("curl"),
    });
  });

  test("has the challenge, the language and the files of a form", async () => {
    const { stdout } = await snippet("guarded", "html");
    expect(stdout).toStartWith(`<script type="module" src="${url}/v1/altcha.js"></script>\n<form`);
    expect(stdout).toMatch(/<altcha-widget name="altcha" challenge="[^"]+\/challenge">/);
    expect(stdout).toContain("<button>Absenden</button>");
    expect((await snippet("guarded", "curl")).stderr).toContain("curl cannot solve");
    expect((await snippet("jobs", "html")).stdout).toContain('enctype="multipart/form-data"');
  });

  test("refuses what it cannot make a form of", async () => {
    const nested = await snippet("nested", "html");
    expect([nested.code, nested.stdout]).toEqual([2, ""]);
    expect(nested.stderr).toContain("the field address holds other fields");
    expect((await snippet("missing", "html")).code).toBe(3);
    expect((await snippet("contact", "php")).code).toBe(2);
  });

  test.skipIf(!curl).each(["contact", "apply", "jobs", "photos"])(
    "prints a curl command that is accepted as printed: %s",
    sendByCurl,
  );

  test.skipIf(!curl)("sends with curl what the schema asks for", async () => {
    await sendByCurl("apply");
    expect((await newest("apply")).data).toMatchObject({
      motto: "ABC",
      size: "1",
      topics: "it's",
      "first date": "2026-01-31",
    });
    await sendByCurl("jobs");
    expect((await newest("jobs")).files).toMatchObject([{ name: "example.txt" }]);
    expect((await snippet("strict", "curl")).stderr).toContain("change what the command sends: code");
  });

  test("and the page of a form need a flat schema, and forms get shows the address of the page", async () => {
    await here.run("forms", "create", "paged");
    const set = (...args: string[]) => here.run("forms", "set", "paged", ...args);
    const without = await set("--page", "on");
    expect([without.code, without.stderr]).toEqual([
      2,
      expect.stringContaining("--page: the form has no schema"),
    ]);
    expect((await set("--page", "on", "--schema", '{"properties":{"a":{"type":"object"}}}')).code).toBe(2);
    await set("--page", "on", "--schema", '{"properties":{"a":{}}}');
    const { stdout } = await formflag(["forms", "get", "paged", "--data", data], {
      env: { FORMFLAG_PUBLIC_URL: url },
    });
    const [, page] = /^page +(\S+)$/m.exec(stdout)!;
    expect(await (await fetch(page!)).text()).toContain("<h1>paged</h1>");
    expect((await set("--schema", "none")).stderr).toContain("--page: the form has no schema");
  });

  test("works on a server", async () => {
    const { token } = await here.json<{ token: string }>(
      "tokens",
      "create",
      "snippets",
      "--scope",
      "forms:read",
    );
    const { stdout } = await formflag(["forms", "snippet", "contact", "--server", url], {
      env: { FORMFLAG_TOKEN: token },
    });
    expect(stdout).toContain(`action="${url}/v1/s/`);
  });
});
