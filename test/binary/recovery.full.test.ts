import { mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { createIdSource } from "../../src/base/ids.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { onData } from "../support/commands.ts";
import { runExecutable, startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

function uploadsIn(data: string): string[] {
  const entries = readdirSync(join(data, "uploads"), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

test("a server started on a data directory whose database was moved away touches no upload", async () => {
  const server = await startServer();
  const { data } = server;
  const commands = onData(data, runExecutable);
  const { key } = await commands.json<{ key: string }>("forms", "create", "contact", "--uploads", "on");
  const form = new FormData();
  form.append("file", new File(["precious"], "a.txt"));
  const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, { method: "POST", body: form });
  const { id } = (await answer.json()) as { id: string };
  await server.stop();

  const aside = tempDirectory();
  const move = (from: string, to: string) => {
    for (const name of readdirSync(from)) {
      if (name.startsWith("formflag.db")) renameSync(join(from, name), join(to, name));
    }
  };
  move(data, aside);
  const empty = await startServer([], { data });
  await empty.stop();
  expect(uploadsIn(data)).toHaveLength(1);

  for (const name of readdirSync(aside)) renameSync(join(aside, name), join(data, name));
  const { stdout, code } = await commands.run("submissions", "download", id, "1");
  expect([code, stdout]).toEqual([0, "precious"]);
});

test("a folder among what an earlier server staged does not keep the next one from starting", async () => {
  const data = tempDirectory();
  mkdirSync(join(data, "uploads", "staging", "folder"), { recursive: true });
  const server = await startServer([], { data });
  expect(await server.stop()).toBe(0);
});

test("a submission that comes after a restart with a clock set back is the newest all the same", async () => {
  const data = tempDirectory();
  const commands = onData(data, runExecutable);
  const { key } = await commands.json<{ key: string }>("forms", "create", "contact");
  const tomorrow = Date.now() + 86_400_000;
  const nextId = createIdSource(
    (length) => crypto.getRandomValues(new Uint8Array(length)),
    () => tomorrow,
  );
  const store = openSqliteStore(join(data, "formflag.db"), "inline");
  const earlier = nextId();
  await store.submissions.insert({ id: earlier, formKey: key, data: "{}", createdAt: tomorrow, files: [] });
  await store.close();

  const server = await startServer([], { data });
  const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, {
    method: "POST",
    body: new URLSearchParams({ a: "1" }),
  });
  const { id } = (await answer.json()) as { id: string };
  const listed = await commands.json<{ id: string }[]>("submissions", "list", "contact");
  expect(listed.map((each) => each.id)).toEqual([id, earlier]);
});

test("commands that come at the same moment to an empty directory make one database", async () => {
  for (let round = 0; round < 5; round += 1) {
    const here = onData(tempDirectory(), runExecutable);
    const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    await Promise.all(names.map((name) => here.json("forms", "create", name)));
    const forms = await here.json<{ slug: string }[]>("forms", "list");
    expect(forms.map((form) => form.slug)).toEqual(names);
  }
}, 60_000);
