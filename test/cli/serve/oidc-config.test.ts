import { join } from "node:path";
import { expect, test } from "bun:test";
import { loadOidcClient, readOidc } from "../../../cli/serve/oidc-config.ts";
import { onData, emptyData, formflag } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { freePort } from "../../support/peers/ports.ts";
import { startForger } from "../../support/oidc/forger.ts";
import { tempDirectory } from "../../support/temp.ts";

const URL = "https://flags.example.com";
const GIVEN = { oidcIssuer: "https://auth.example.com/realms/main", oidcClientId: "formflag" };

test("The settings of a provider have defaults, and the callback behind the address of the dashboard", () => {
  expect(readOidc({}, URL)).toBeNull();
  expect(readOidc({ ...GIVEN, oidcCreate: "none", oidcTrustNames: true }, `${URL}/base`)).toEqual({
    client: {
      issuer: GIVEN.oidcIssuer,
      clientId: "formflag",
      secretFile: null,
      scopes: "openid profile email",
      redirectUri: `${URL}/base/dashboard/sign-in/oidc/callback`,
    },
    rules: {
      name: "auth.example.com",
      userClaim: "preferred_username",
      groupsClaim: "groups",
      required: [],
      map: [],
      createAs: "none",
      trustsNames: true,
      sessionSeconds: 43_200,
    },
  });
});

test("Groups and claims may hold commas and equals signs", () => {
  const mapOf = (...oidcMap: string[]) => readOidc({ ...GIVEN, oidcMap }, URL)!.rules.map;
  expect(mapOf("staff=viewer", "devs=shop:editor")).toEqual([
    { group: "staff", project: null, role: "viewer" },
    { group: "devs", project: "shop", role: "editor" },
  ]);
  expect(mapOf("staff=viewer,cn=admins,dc=x=admin, a b=shop:inbox")).toEqual([
    { group: "staff", project: null, role: "viewer" },
    { group: "cn=admins,dc=x", project: null, role: "admin" },
    { group: "a b", project: "shop", role: "inbox" },
  ]);
  const requiredOf = (...oidcRequire: string[]) => readOidc({ ...GIVEN, oidcRequire }, URL)!.rules.required;
  expect(requiredOf("hd=example.com,email_verified=true", "o=Miller, Inc.")).toEqual([
    { claim: "hd", value: "example.com" },
    { claim: "email_verified", value: "true" },
    { claim: "o", value: "Miller, Inc." },
  ]);
});

test("The secret comes from a file or the environment, and neither is a public client", async () => {
  const file = join(tempDirectory(), "secret");
  await Bun.write(file, "from a file\n");
  const load = async (more: object, secret?: string) =>
    (await loadOidcClient(readOidc({ ...GIVEN, ...more }, URL), secret))!.clientSecret;
  expect(await load({}, "from the environment")).toBe("from the environment");
  expect(await load({ oidcClientSecretFile: file }, "from the environment")).toBe("from a file");
  expect(await load({})).toBeNull();
  await Bun.write(file, "\n");
  expect(load({ oidcClientSecretFile: file })).rejects.toThrow("is empty");
});

test.each([
  [["--oidc-issuer", "http://auth.example.com", "--oidc-client-id", "a"], "is not https"],
  [["--oidc-issuer", "auth.example.com", "--oidc-client-id", "a"], "is not the address of a provider"],
  [
    ["--oidc-issuer", "https://auth.example.com/?a=b", "--oidc-client-id", "a"],
    "is not the address of a provider",
  ],
  [["--oidc-issuer", "https://auth.example.com"], "needs --oidc-client-id"],
  [["--oidc-client-id", "a"], "needs --oidc-issuer"],
  [["--oidc-map", "a=viewer"], "needs --oidc-issuer"],
  [["--no-password"], "needs another way to sign in"],
  [["--oidc-client-secret", "hunter2"], "FORMFLAG_OIDC_CLIENT_SECRET"],
  [["--oidc-create", "admin"], "viewer"],
])("serve %p exits 2", async (args, words) => {
  const { code, stderr } = await formflag(["serve", "--dashboard-url", URL, ...args, "--data", emptyData()]);
  expect([code, stderr.includes(words), stderr.includes("hunter2")]).toEqual([2, true, false]);
});

test.each([
  [["--oidc-map", "staff=emperor"]],
  [["--oidc-map", "staff"]],
  [["--oidc-map", "=viewer"]],
  [["--oidc-map", "a=viewer,b"]],
  [["--oidc-require", "hd"]],
  [["--oidc-session", "0s"]],
  [["--oidc-session", "91d"]],
  [["--oidc-scopes", "profile"]],
  [["--oidc-client-secret-file", "/nonexistent"]],
])("serve with a provider and %p exits 2", async (args) => {
  const provider = ["--oidc-issuer", "https://auth.example.com", "--oidc-client-id", "a"];
  const command = ["serve", "--dashboard-url", URL, ...provider, ...args, "--data", emptyData()];
  expect((await formflag(command)).code).toBe(2);
});

test("A provider needs the address of the dashboard", async () => {
  const { code, stderr } = await formflag([
    "serve",
    "--oidc-issuer",
    URL,
    "--oidc-client-id",
    "a",
    "--data",
    emptyData(),
  ]);
  expect([code, stderr.includes("--oidc-issuer needs --dashboard-url")]).toEqual([2, true]);
});

test("A server starts while its provider is down, answers 502, and takes no passwords where that is wanted", async () => {
  const url = `http://127.0.0.1:${freePort()}`;
  const issuer = `http://127.0.0.1:${freePort()}`;
  const server = await startServer(["--listen", url.slice(7), "--dashboard-url", url, "--no-password"], {
    env: { FORMFLAG_OIDC_ISSUER: issuer, FORMFLAG_OIDC_CLIENT_ID: "a", FORMFLAG_OIDC_NAME: "Company" },
  });
  const page = await (await fetch(`${url}/dashboard/sign-in`)).text();
  expect(page).toContain("Sign in with Company");
  expect(page).not.toContain('type="password"');
  expect((await fetch(`${url}/dashboard/sign-in/oidc`, { redirect: "manual" })).status).toBe(502);
  const body = new URLSearchParams({ name: "admin", password: "a long password" });
  const refused = await fetch(`${url}/dashboard/sign-in`, { method: "POST", body, headers: { Origin: url } });
  expect(refused.status).toBe(403);
  const findings = await onData(server.data).run("doctor", "--json");
  expect(findings.stdout).toContain(`the provider ${issuer}: `);
  await server.stop();
});

test("doctor checks that the provider is the issuer that was named", async () => {
  const { issuer } = await startForger();
  const check = async (given: string) => {
    const args = ["--dashboard-url", URL, "--oidc-issuer", given, "--oidc-client-id", "a", "--json"];
    const { stdout } = await formflag(["doctor", ...args, "--data", emptyData()]);
    return (JSON.parse(stdout) as { check: string; status: string }[]).find(
      ({ check }) => check === "sign-in",
    );
  };
  expect(await check(issuer)).toMatchObject({ status: "ok" });
  expect(await check(issuer.replace("127.0.0.1", "localhost"))).toMatchObject({ status: "problem" });
});
