import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onData } from "../commands.ts";
import { eventually } from "../eventually.ts";
import { type RunningServer, startServer } from "../executable.ts";
import { tempDirectory } from "../temp.ts";

type Project = { key: string; environments: { slug: string; key: string }[] };

/** A server with flags of every kind in the project `shop`, and tokens of readers. */
export async function startSource(args: string[] = [], options: Parameters<typeof startServer>[1] = {}) {
  const server = await startServer(args, options);
  const cli = onData(server.data);
  const place = ["-p", "shop", "-e", "production"];
  const { key: projectKey, environments } = await cli.json<Project>("projects", "create", "shop");
  const keysOf = (environment: string) => ({
    "x-project-key": projectKey,
    "x-environment-key": environments.find(({ slug }) => slug === environment)!.key,
  });
  await cli.json("segments", "set", "staff", "--if", "email == ann@example.com", ...place);
  for (const flag of ["hero", "colour", "page"]) await cli.json("flags", "create", flag, "-p", "shop");
  const set = (flag: string, ...given: string[]) => cli.json("flags", "set", flag, ...place, ...given);
  await set("hero", "--on", "--payload", '{"title":"é"}');
  await set("colour", "--on", "--variants", '{"blue":"blue","red":"red"}', "--default", "red");
  await set("colour", "--if", "segment staff", "--then", "blue", "--else", "50 % blue, 50 % red");
  await set("page", "--on", "--browser", "on");
  const tokenFor = async (name: string, scope: string, ...given: string[]) =>
    (await cli.json<{ token: string }>("tokens", "create", name, "--scope", scope, ...given)).token;
  const [evaluate, browser, sync, relay] = [
    await tokenFor("app", "flags:evaluate", ...place),
    await tokenFor("site", "flags:browser", ...place),
    await tokenFor("flagd", "flags:sync", ...place),
    await tokenFor("relay", "flags:read"),
  ];
  return { server, cli, place, keysOf, set, tokenFor, tokens: { evaluate, browser, sync, relay } };
}

export type Source = Awaited<ReturnType<typeof startSource>>;

export type RunningRelay = RunningServer & { tokenFile: string };

/** Starts a server that follows the one at an address, and waits until it has its flags unless it is `away`. */
export async function startRelay(
  url: string,
  token: string,
  {
    args = [],
    isAway = false,
    ...options
  }: { args?: string[]; isAway?: boolean } & Parameters<typeof startServer>[1] = {},
): Promise<RunningRelay> {
  const tokenFile = join(tempDirectory(), "token");
  writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 });
  const relay = await startServer(["--follow", url, "--token-file", tokenFile, ...args], options);
  if (!isAway) await eventually("the relay has flags", () => isReady(relay.url));
  return { ...relay, tokenFile };
}

export async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => null);
  return answer?.status === 200;
}

/** Seconds for which a relay has not heard its source. */
export async function behindOf(url: string): Promise<number> {
  return ((await (await fetch(`${url}/readyz`)).json()) as { behind: number }).behind;
}

/** The answers of every address for readers, without what differs by their time. */
export async function readAll(url: string, { keysOf, tokens }: Source): Promise<Record<string, unknown>> {
  const keys = keysOf("production");
  const asked: Record<string, [string, RequestInit]> = {
    flag: ["/api/v1/flags/hero", { headers: keys }],
    flags: ["/api/v1/flags", { headers: keys }],
    missing: ["/api/v1/flags/none", { headers: keys }],
    develop: ["/api/v1/flags", { headers: keysOf("develop") }],
    strange: ["/api/v1/flags", { headers: { ...keys, "x-environment-key": "none" } }],
    colour: ["/ofrep/v1/evaluate/flags/colour", evaluation({ ...keys }, { targetingKey: "u1" })],
    staff: [
      "/ofrep/v1/evaluate/flags/colour",
      evaluation(bearer(tokens.evaluate), { email: "ann@example.com" }),
    ],
    all: ["/ofrep/v1/evaluate/flags", evaluation(bearer(tokens.evaluate), { targetingKey: "u2" })],
    page: ["/ofrep/v1/evaluate/flags", evaluation(bearer(tokens.browser), { targetingKey: "u3" })],
    refused: ["/ofrep/v1/evaluate/flags", evaluation(bearer("ff_none"), {})],
    flagd: ["/flagd/v1/shop/production.json", { headers: bearer(tokens.sync) }],
    own: ["/flagd/v1.json", { headers: { ...bearer(tokens.sync), Accept: "application/vnd.formflag+json" } }],
    elsewhere: ["/flagd/v1/shop/develop.json", { headers: bearer(tokens.sync) }],
    script: ["/v1/flags.js", {}],
    wrong: ["/v1/events", { method: "POST", body: "{}", headers: bearer(tokens.evaluate) }],
  };
  const answers = Object.entries(asked).map(async ([name, [path, init]]) => {
    const answer = await fetch(url + path, init);
    const headers = Object.fromEntries([...answer.headers].filter(([header]) => !BY_TIME.has(header)));
    return [name, { status: answer.status, headers, body: await answer.text() }];
  });
  return Object.fromEntries(await Promise.all(answers)) as Record<string, unknown>;
}

const BY_TIME: ReadonlySet<string> = new Set(["date", "x-request-id", "x-formflag-assignment"]);

export function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

export function evaluation(headers: Record<string, string>, context: object): RequestInit {
  return { method: "POST", headers, body: JSON.stringify({ context }) };
}
