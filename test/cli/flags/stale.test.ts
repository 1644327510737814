import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import type { Project } from "../../../src/projects/project.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";

describe("flags stale", () => {
  test("lists flags with why and since when, in all environments or in one", async () => {
    const commands = onData(tempDirectory());
    const { run } = commands;
    await run("projects", "create", "shop");
    const expired = "2026-01-02T03:04:05.000Z";
    await run("flags", "set", "sale", "-p", "shop", "-e", "develop", "--on", "--expires", expired);
    await run("flags", "set", "fresh", "-p", "shop", "-e", "develop");
    expect(await commands.json<unknown>("flags", "stale", "-p", "shop", "-e", "develop")).toEqual([
      { slug: "sale", environment: "develop", reasons: ["expired"], since: expired },
    ]);
    expect(await commands.json<unknown>("flags", "stale", "-p", "shop")).toEqual([]);
    expect((await run("flags", "stale", "-p", "shop", "-e", "develop")).stdout).toBe(
      `FLAG  SINCE                     WHY\nsale  ${expired}  expired\n`,
    );
    expect((await run("flags", "stale", "-p", "shop", "--days", "0")).stdout).toContain(
      "the same for everyone, unchanged for 0 days; not read for 0 days",
    );
  });

  test("knows what a server was asked for until it was stopped", async () => {
    const server = await startServer();
    const commands = onData(server.data);
    const { key, environments } = await commands.json<Project>(
      "projects",
      "create",
      "shop",
      "--environments",
      "live",
    );
    for (const flag of ["read", "unread"])
      await commands.run("flags", "set", flag, "-p", "shop", "-e", "live");
    const headers = { "x-project-key": key, "x-environment-key": environments[0]!.key };
    expect((await fetch(`${server.url}/api/v1/flags/read`, { headers })).status).toBe(200);
    expect(await server.stop()).toBe(0);
    const store = openSqliteStore(join(server.data, "formflag.db"), "inline");
    expect([...(await store.flags.reads("shop", "live")).keys()]).toEqual(["read"]);
    await store.close();
  });

  test("refuses days that are no number, and an environment that is not there", async () => {
    const { run } = onData(tempDirectory());
    await run("projects", "create", "shop");
    expect((await run("flags", "stale", "-p", "shop", "--days", "many")).code).toBe(2);
    expect((await run("flags", "stale", "-p", "shop", "--days", "99999")).code).toBe(2);
    expect((await run("flags", "stale", "-p", "shop", "-e", "nowhere")).code).toBe(3);
  });
});
