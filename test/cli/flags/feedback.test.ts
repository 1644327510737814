import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import type { Project } from "../../../src/projects/project.ts";
import { onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";

/** A server whose flag `search` is a preview in `live`, and commands beside it. */
async function openSearch() {
  const server = await startServer();
  const commands = onData(server.data);
  const { run } = commands;
  const { key, environments } = await commands.json<Project>(
    "projects",
    "create",
    "shop",
    "--environments",
    "develop,live",
  );
  const live = environments.find(({ slug }) => slug === "live")!.key;
  await run("flags", "set", "search", "-p", "shop", "-e", "live", "--preview", "on");
  const headers = { "x-project-key": key, "x-environment-key": live, "content-type": "application/json" };
  const send = async (feedback: object) => {
    const body = JSON.stringify({ flagKey: "search", mood: "HAPPY", rating: 4, ...feedback });
    const answer = await fetch(`${server.url}/api/v1/flags/preview/feedback`, {
      method: "POST",
      headers,
      body,
    });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { feedbackId: string }).feedbackId;
  };
  const feedback = (...args: string[]) => run("flags", "feedback", ...args, "-p", "shop");
  return { commands, send, feedback };
}

describe("flags set", () => {
  test("sets a preview by Markdown from a file or standard input, which flags get shows", async () => {
    const commands = onData(tempDirectory());
    const { run } = commands;
    const place = ["search", "-p", "shop", "-e", "develop"];
    await run("projects", "create", "shop");
    const file = join(tempDirectory(), "search.md");
    writeFileSync(file, "# New\n\nsearch\n");
    const options = ["--preview", "on", "--preview-name", "New search", "--preview-content", `@${file}`];
    expect((await run("flags", "set", ...place, ...options)).stdout).toBe(
      "created search in shop/develop: off, preview\n",
    );
    const shown = (await run("flags", "get", ...place)).stdout;
    expect(shown).toContain("preview       on\npreview name  New search\n");
    expect(shown).toEndWith("\npreview content\n        # New\n        \n        search\n");
    await run("flags", "set", ...place, "--preview", "off");
    expect(await commands.json<unknown>("flags", "get", ...place)).toMatchObject({
      isPreview: false,
      previewName: "New search",
      previewContent: "# New\n\nsearch\n",
    });
    const wrong = await run("flags", "set", ...place, "--preview-content", "x".repeat(65_537));
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("at most 64 KB")]);
    expect((await run("flags", "set", ...place, "--preview", "maybe")).code).toBe(2);
  });
});

describe("flags feedback", () => {
  test("shows the ratings as bars, their mean, the moods and the newest texts", async () => {
    const { feedback, send, commands } = await openSearch();
    expect((await feedback("search")).stdout).toBe("search: 0 ratings\n");
    for (const rating of [4, 5]) await send({ rating });
    const id = await send({ description: "Said\u001b[2J", metadata: { page: "home" } });
    const { stdout } = await feedback("search", "-e", "live", "--since", "7d");
    const half = "█".repeat(20);
    expect(stdout).toStartWith(
      `search: 3 ratings, 4.33 on average\n\n5  ${half} 1\n4  ${half}${half} 2\n3  0\n2  0\n1  0\n\nhappy 3\n\n`,
    );
    expect(stdout).toEndWith("  live  4  happy\n  Said\\u001b[2J\n");
    expect((await feedback("show", "search")).stdout).toBe(stdout);
    expect((await feedback("search", "-e", "develop")).stdout).toBe("search: 0 ratings\n");
    expect(await commands.json<unknown>("flags", "feedback", "search", "-p", "shop")).toMatchObject({
      flag: "search",
      count: 3,
      mean: 4.33,
      ratings: { 1: 0, 4: 2, 5: 1 },
      moods: { HAPPY: 3, SAD: 0 },
      newest: [{ id, description: "Said\u001b[2J", metadata: { page: "home" } }],
    });
  });

  test("export writes JSON lines, or CSV that no spreadsheet runs", async () => {
    const { feedback, send } = await openSearch();
    await send({ description: "=1+1" });
    const id = await send({ mood: "SAD", rating: 1, metadata: { a: [1, '"'] } });
    const lines = (await feedback("export", "search")).stdout.trim().split("\n");
    expect(JSON.parse(lines[0]!)).toMatchObject({ id, mood: "SAD", rating: 1, metadata: { a: [1, '"'] } });
    expect(JSON.parse(lines[1]!)).toMatchObject({ environment: "live", description: "=1+1", metadata: null });
    const file = join(tempDirectory(), "search.csv");
    await feedback("export", "search", "--format", "csv", "-o", file);
    const [head, first, second] = readFileSync(file, "utf8").split("\r\n");
    expect(head).toBe("id,createdAt,environment,mood,rating,description,metadata");
    expect(first).toEndWith(`"live","SAD",1,,"{""a"":[1,""\\""""]}"`);
    expect(second).toEndWith(`"live","HAPPY",4,"'=1+1",`);
    expect((await feedback("export", "none", "-o", `${file}.none`)).code).toBe(3);
    expect(existsSync(`${file}.none`)).toBe(false);
  });

  test("delete removes one, or all of a flag, after a confirmation", async () => {
    const { feedback, send } = await openSearch();
    const id = await send({});
    await send({ rating: 5 });
    expect((await feedback("delete", id)).code).toBe(2);
    expect((await feedback("delete", id, "-y")).stdout).toBe(`deleted feedback ${id}\n`);
    expect((await feedback("delete", id, "-y")).code).toBe(3);
    expect((await feedback("delete", id, "--flag", "search", "-y")).code).toBe(2);
    expect((await feedback("delete", "--flag", "search", "-e", "develop", "-y")).stdout).toContain(
      "deleted 0 ",
    );
    expect((await feedback("delete", "--flag", "search", "-y")).stdout).toContain("deleted 1 ");
    expect((await feedback("search")).stdout).toBe("search: 0 ratings\n");
  });

  test("refuses a flag, an environment or a time that does not exist", async () => {
    const { run } = onData(tempDirectory());
    await run("projects", "create", "shop");
    await run("flags", "set", "search", "-p", "shop", "-e", "develop");
    const feedback = async (...args: string[]) =>
      (await run("flags", "feedback", ...args, "-p", "shop")).code;
    expect(await feedback("none")).toBe(3);
    expect(await feedback("search", "-e", "none")).toBe(3);
    expect(await feedback("search", "--since", "yesterday")).toBe(2);
    expect(await feedback()).toBe(2);
  });
});

describe("serve --feedback-rate", () => {
  test("limits an address, and counts what is stored in the metrics", async () => {
    const args = [
      "--feedback-rate",
      "1/h",
      "--trusted-proxy",
      "127.0.0.1/32",
      "--metrics-listen",
      "127.0.0.1:0",
    ];
    const server = await startServer(args, { addresses: 2 });
    const commands = onData(server.data);
    const { run } = commands;
    const { key, environments } = await commands.json<Project>(
      "projects",
      "create",
      "shop",
      "--environments",
      "live",
    );
    await run("flags", "set", "search", "-p", "shop", "-e", "live", "--preview", "on");
    const headers = {
      "x-project-key": key,
      "x-environment-key": environments[0]!.key,
      "x-forwarded-for": "203.0.113.9",
    };
    const body = JSON.stringify({ flagKey: "search", mood: "HAPPY", rating: 4 });
    const send = () =>
      fetch(`${server.urls[0]}/api/v1/flags/preview/feedback`, { method: "POST", headers, body });
    expect((await send()).status).toBe(200);
    const refused = await send();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3600"]);
    expect(await (await fetch(`${server.urls[1]}/metrics`)).text()).toContain(
      "\nformflag_feedback_total 1\n",
    );
    expect((await run("serve", "--feedback-rate", "often")).code).toBe(2);
  });
});
