import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, test } from "bun:test";
import { onData } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { EXECUTABLE, startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";
import { programAt } from "../support/needs.ts";

const ROOT = join(import.meta.dir, "../..");

const server = await startServer(["--mcp", "--flagd-listen", "127.0.0.1:0"], { addresses: 2 });
const flagd = new URL(server.urls[1]!);
const cli = onData(server.data);
const project = await cli.json<{ key: string; environments: { slug: string; key: string }[] }>(
  "projects",
  "create",
  "shop",
);
const place = ["-p", "shop", "-e", "production"];
await cli.json("flags", "set", "new-checkout", ...place, "--on", "--payload", '{"color":"green"}');
await cli.json("flags", "set", "search", ...place, "--on");
const evaluate = (
  await cli.json<{ token: string }>("tokens", "create", "web", "--scope", "flags:evaluate", ...place)
).token;

/** The blocks of a language in a section of a page. */
function blocksOf(page: string, heading: string, language: string): string[] {
  const section = readFileSync(join(ROOT, "docs/guides", page), "utf8")
    .split(`\n## ${heading}\n`)[1]!
    .split("\n## ")[0]!;
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))].map(
    ([, text]) => text!,
  );
}

/** A folder that finds the executable and the packages. */
function folder(): { cwd: string; env: Record<string, string> } {
  const cwd = tempDirectory();
  symlinkSync(join(ROOT, "node_modules"), join(cwd, "node_modules"));
  return {
    cwd,
    env: {
      PATH: `${dirname(EXECUTABLE)}:${process.env["PATH"]}`,
      HOME: cwd,
      FORMFLAG_DATA: server.data,
      FLAGS_URL: server.url,
      FLAGS_TOKEN: evaluate,
    },
  };
}

type Run = { cwd: string; env: Record<string, string> };

/** Runs a program to its end, and returns what it printed; expects no error. */
async function run(command: string[], { cwd, env }: Run): Promise<string> {
  const child = Bun.spawn(command, { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

const here = (block: string) => block.replaceAll("http://127.0.0.1:8787", server.url);
const shell = (block: string, at: Run) => run(["bash", "-euo", "pipefail", "-c", here(block)], at);

/** Runs a program of a page in Node, behind `before` and in front of `after`. */
function node(program: string, { cwd, env }: Run, before = "", after = "") {
  writeFileSync(join(cwd, "before.mjs"), before);
  writeFileSync(join(cwd, "app.mjs"), `${here(program)}\n${after}`);
  return run(["node", "--import", "./before.mjs", "app.mjs"], { cwd, env });
}

const hasShell = [programAt("bash", "commands of pages"), programAt("curl", "commands of pages")].every(
  Boolean,
);

describe.skipIf(!hasShell)("sdks.md", () => {
  const keys = {
    PROJECT_KEY: project.key,
    ENVIRONMENT_KEY: project.environments.find(({ slug }) => slug === "production")!.key,
  };

  test("the client of the flag interface reads a flag, shows the previews, and sends feedback", async () => {
    const preview = ["--preview", "on", "--preview-name", "Search", "--preview-content", "<p>Find it</p>"];
    await cli.json("flags", "set", "search", ...place, ...preview);
    const [program] = blocksOf("sdks.md", "The client of the flag interface", "js");
    const shown = await node(
      program!
        .replace("YOUR_PROJECT_KEY", keys.PROJECT_KEY)
        .replace("YOUR_ENVIRONMENT_KEY", keys.ENVIRONMENT_KEY),
      folder(),
      `const sections = [];
globalThis.document = {
  createElement: () => ({ dataset: {} }),
  body: { appendChild: (section) => (sections.push(section), section) },
  sections,
};`,
      "console.log(JSON.stringify({ enabled, payload, sections: document.sections }));",
    );
    expect(JSON.parse(shown)).toEqual({
      enabled: true,
      payload: { color: "green" },
      sections: [{ dataset: { flag: "search" }, innerHTML: "<p>Find it</p>\n", title: "Search" }],
    });
    const feedback = await cli.run(
      "flags",
      "feedback",
      "export",
      "search",
      "-p",
      "shop",
      "--format",
      "jsonl",
    );
    expect(JSON.parse(feedback.stdout)).toMatchObject({
      mood: "HAPPY",
      rating: 4,
      metadata: { page: "home" },
    });
  });

  test("code references are stored, and say so", async () => {
    const at = folder();
    const token = await shell("formflag tokens create refs --scope flags:refs -p shop", at);
    const [curl] = blocksOf("../reference/http.md", "Code references", "sh");
    const [answer] = blocksOf("../reference/http.md", "Code references", "json");
    const said = await shell(curl!, { ...at, env: { ...at.env, ...keys, REFS_TOKEN: token.trim() } });
    expect(JSON.parse(said)).toEqual(JSON.parse(answer!));
  });

  test("what helps against getting the default names the reason", async () => {
    const at = folder();
    const heading = "I always get my default";
    const [line] = blocksOf("sdks.md", heading, "js");
    const [program] = blocksOf("sdks.md", "JavaScript on a server", "js");
    expect(await node(program!, at, "", line)).toContain("reason: 'STATIC'");
    const [curl] = blocksOf("sdks.md", heading, "sh");
    expect(await shell(curl!, at)).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*"reason":"STATIC"/);
  });

  test("the manifest is written, and found up to date", async () => {
    const at = folder();
    const [commands] = blocksOf("sdks.md", "Typed code with the OpenFeature command line", "sh");
    await shell(commands!, at);
    expect(readFileSync(join(at.cwd, "flags.json"), "utf8")).toContain('"new-checkout"');
  });
});

describe.skipIf(!hasShell)("flagd.md", () => {
  test("the file comes over HTTP with a token that the page makes", async () => {
    const at = folder();
    const page = readFileSync(join(ROOT, "docs/guides/flagd.md"), "utf8");
    await shell(/```sh\n(formflag tokens create flagd [^]*?)```/.exec(page)![1]!, at);
    const [curl] = blocksOf("flagd.md", "The file over HTTP", "sh");
    expect(JSON.parse(await shell(curl!, at))).toMatchObject({ flags: { search: { state: "ENABLED" } } });
  });

  test("the provider evaluates in the process with the token as its selector", async () => {
    const at = folder();
    const rules = (
      await cli.json<{ token: string }>("tokens", "create", "rules", "--scope", "flags:sync", ...place)
    ).token;
    const [program] = blocksOf("flagd.md", "gRPC", "js");
    expect(program).toContain("port: 8015");
    const printed = await node(
      program!.replace("port: 8015", `port: ${flagd.port}`),
      { ...at, env: { ...at.env, FLAGS_TOKEN: rules, FLAGD_DEADLINE_MS: "20000" } },
      "",
      "console.log(isOn); await OpenFeature.close();",
    );
    expect(printed).toBe("true\n");
  });

  test("a file on the disk is written again after a change", async () => {
    const { cwd, env } = folder();
    await cli.json("flags", "set", "banner", ...place, "--off");
    const [command] = blocksOf("flagd.md", "A file on the disk", "sh");
    const child = Bun.spawn(["bash", "-c", `exec ${command}`], {
      cwd,
      env,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    const file = join(cwd, "flags.json");
    const served = () =>
      existsSync(file) &&
      (JSON.parse(readFileSync(file, "utf8")) as { flags: Record<string, { defaultVariant: string }> }).flags[
        "banner"
      ]!.defaultVariant;
    await eventually("the file", () => served() === "off");
    await cli.json("flags", "set", "banner", ...place, "--on");
    await eventually("the change", () => served() === "on");
    child.kill("SIGINT");
    await child.exited;
  });
});

describe.skipIf(!hasShell)("mcp.md", () => {
  type Entry = {
    command?: string;
    args?: string[];
    env?: Record<string, string>;
    url?: string;
    headers?: object;
  };
  const entry = (block: string) =>
    (JSON.parse(block) as { mcpServers: { formflag: Entry } }).mcpServers.formflag;

  async function toolsOf(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<string[]> {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transport);
    const { tools } = await client.listTools();
    await client.close();
    return tools.map(({ name }) => name);
  }

  test("the configuration of this machine starts tools that read", async () => {
    const { command, args } = entry(blocksOf("mcp.md", "On this machine", "json")[0]!);
    expect(args).toEqual(["mcp", "--data", "/var/lib/formflag"]);
    const { env } = folder();
    const tools = await toolsOf(
      new StdioClientTransport({
        command: command!,
        args: args!.map((each) => (each.startsWith("/") ? server.data : each)),
        env,
      }),
    );
    expect(tools).toContain("submissions_list");
    expect(tools).not.toContain("flags_set");
  });

  test("those of a server do with the token that the page makes", async () => {
    const at = folder();
    const [create] = blocksOf("mcp.md", "On a server", "sh");
    const token = (await shell(create!, at)).trim();
    const [started, direct] = blocksOf("mcp.md", "On a server", "json").map(entry);
    expect({ env: started!.env, headers: direct!.headers }).toEqual({
      env: { FORMFLAG_TOKEN: "…" },
      headers: { Authorization: "Bearer …" },
    });
    const away = (text: string) => text.replace("https://flags.example.com", server.url);
    const { FORMFLAG_DATA: _, ...env } = at.env;
    const overStdio = await toolsOf(
      new StdioClientTransport({
        command: started!.command!,
        args: started!.args!.map(away),
        env: { ...env, FORMFLAG_TOKEN: token },
      }),
    );
    const overHttp = await toolsOf(
      new StreamableHTTPClientTransport(new URL(away(direct!.url!)), {
        requestInit: { headers: { Authorization: `Bearer ${token}` } },
      }),
    );
    expect(overStdio).toContain("flags_get");
    expect(overHttp).toEqual(overStdio);
  });
});

test("telemetry.md: the command sends spans and evaluations to a collector", async () => {
  const paths = new Set<string>();
  using collector = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      paths.add(new URL(request.url).pathname);
      return Response.json({});
    },
  });
  const page = readFileSync(join(ROOT, "docs/guides/telemetry.md"), "utf8");
  const command = /```sh\nformflag serve ([^\n]*)\n/.exec(page)![1]!;
  const args = command.replace("http://127.0.0.1:4318", collector.url.origin).replace("0.01", "1");
  const traced = await startServer(args.split(" "));
  const flags = onData(traced.data);
  await flags.run("projects", "create", "shop");
  const { token } = await flags.json<{ token: string }>(
    "tokens",
    "create",
    "web",
    "--scope",
    "flags:evaluate",
    ...place,
  );
  await fetch(`${traced.url}/ofrep/v1/evaluate/flags/search`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: '{"context":{}}',
  });
  await eventually("the collector", () => paths.size === 2);
  expect([...paths].toSorted()).toEqual(["/v1/logs", "/v1/traces"]);
  await traced.stop();
});

test.skipIf(!hasShell)("import.md: the command says what it would import", async () => {
  const at = folder();
  const features = [{ name: "sale", type: "release", enabled: true, strategies: [{ name: "default" }] }];
  writeFileSync(join(at.cwd, "features.json"), JSON.stringify({ version: 2, features }));
  const page = readFileSync(join(ROOT, "docs/guides/import.md"), "utf8");
  const said = await shell(/```sh\n(formflag flags import [^]*?)```/.exec(page)![1]!, at);
  expect(said).toContain("sale");
});
