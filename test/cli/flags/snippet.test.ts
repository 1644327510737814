import { expect, test } from "bun:test";
import { createToken } from "../../../src/access/tokens.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openServices, openTestApp } from "../../support/app.ts";
import { formflag, onData } from "../../support/commands.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { tempDirectory } from "../../support/temp.ts";

const data = tempDirectory();
const here = onData(data);
await here.run("projects", "create", "shop");
const keyOf = async (name: string, scope: string, environment: string) =>
  (
    await here.json<{ token: string }>(
      "tokens",
      "create",
      name,
      "--scope",
      scope,
      "-p",
      "shop",
      "-e",
      environment,
    )
  ).token;
const KEY = await keyOf("site", "flags:browser", "production");
const snippet = (...args: string[]) =>
  formflag(["flags", "snippet", "-p", "shop", "-e", "production", "--data", data, ...args], {
    env: { FORMFLAG_PUBLIC_URL: "https://forms.example.com/" },
  });

test("flags snippet prints the tag of the script, pinned by its hash", async () => {
  const { code, stdout } = await snippet("--key", KEY);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^<script src="https:\/\/forms\.example\.com\/v1\/flags\.[0-9a-f]{16}\.js" integrity="sha384-[\w+/]{64}" crossorigin="anonymous" data-key="ff_[\w-]{43}"><\/script>\n$/,
  );
});

test("flags snippet refuses a key that is none, and says how to make one", async () => {
  for (const args of [[], ["--key", '"><script>']]) {
    const { code, stderr } = await snippet(...args);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("--scope flags:browser -p shop -e production"),
    ]);
  }
});

test("flags snippet prints no secret token, and no key of another environment or that is not known", async () => {
  const server = await keyOf("server", "flags:evaluate", "production");
  const { code, stdout, stderr } = await snippet("--key", server);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("--key is a secret token, which no page may show");
  const other = await snippet("--key", await keyOf("other", "flags:browser", "staging"));
  expect([other.code, other.stdout]).toEqual([2, ""]);
  expect(other.stderr).toContain("--key is of shop/staging, not of shop/production");
  const unknown = await snippet("--key", `ff_${"a".repeat(43)}`);
  expect([unknown.code, unknown.stdout]).toEqual([4, ""]);
  expect(unknown.stderr).toContain("not known here, or was revoked");
});

test("flags snippet asks a server about the key too", async () => {
  const app = openTestApp();
  const admin = await openServices(app).admin();
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => admin.fetch(request, {}),
  });
  await createProject(app, OPERATOR, { slug: "shop", environments: ["staging", "production"] });
  const { token } = await createToken(app, OPERATOR, { name: "admin" });
  const place = { project: "shop", environment: "production" };
  const { token: key } = await createToken(app, OPERATOR, {
    name: "site",
    scopes: ["flags:browser"],
    ...place,
  });
  const env = { FORMFLAG_SERVER: `http://127.0.0.1:${server.port}`, FORMFLAG_TOKEN: token };
  const tagFor = (environment: string) =>
    formflag(["flags", "snippet", "-p", "shop", "-e", environment, "--key", key], { env });
  expect((await tagFor("production")).stdout).toContain(`data-key="${key}"`);
  const { code, stderr } = await tagFor("staging");
  expect([code, stderr]).toEqual([2, expect.stringContaining("not of shop/staging")]);
});
