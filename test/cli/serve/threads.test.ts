import { join } from "node:path";
import { expect, test } from "bun:test";
import { readServeConfig } from "../../../cli/serve/config.ts";
import { serveOptions } from "../../../cli/serve/options.ts";
import { createServerMemory } from "../../../cli/serve/threads/memory.ts";
import type { ThreadStart } from "../../../cli/serve/threads/messages.ts";
import { startThreads } from "../../../cli/serve/threads/threads.ts";
import { createIdMemory } from "../../../src/base/ids.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { newDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { tempDirectory } from "../../support/temp.ts";

/** A serving thread on a data directory, for which the test is the main thread. */
function startThread(data: string, directory = data) {
  const memory = createServerMemory();
  const store = openSqliteStore(newDatabase(directory), { memory: memory.writer });
  const defaults = serveOptions().map((option) => [option.attributeName(), option.defaultValue]);
  const start: ThreadStart = {
    config: readServeConfig({ ...Object.fromEntries(defaults), data }),
    storage: { data, shared: null },
    memory,
    ids: createIdMemory(0, null),
    link: store.join!(),
    linkSecret: "secret",
    errIsTerminal: false,
    tls: null,
    addresses: [{ hostname: "127.0.0.1", port: 0 }],
  };
  const failures: string[] = [];
  const threads = startThreads([start], {
    answer: () => new Response("main"),
    write: () => {},
    wakeOutbox: () => {},
    measuring: { note: () => {}, flush: async () => {} },
    report: () => {},
    fail: (message) => void failures.push(message),
  });
  return { store, threads, failures };
}

test("a thread serves until it is told to end, and that is no failure", async () => {
  const { store, threads, failures } = startThread(tempDirectory());
  await threads.listening;
  expect(await threads.values()).toEqual([expect.objectContaining({ streams: 0, requests: [] })]);
  await threads.stop();
  await threads.end();
  expect(failures).toEqual([]);
  await store.close();
});

test("a thread that cannot open its data fails the start of the server", async () => {
  const directory = tempDirectory();
  const { store, threads } = startThread(join(directory, "formflag.db"), directory);
  expect(await threads.listening.catch(String)).toContain("formflag.db");
  await threads.end();
  await store.close();
});

test("a thread that throws ends the server with its error", async () => {
  const { store, threads, failures } = startThread(tempDirectory());
  // It has not started yet, which no server does to it.
  void threads.values();
  await eventually("the failure", () => failures.length > 0);
  expect(failures[0]).toContain("TypeError");
  threads.listening.catch(() => {});
  await threads.end();
  await store.close();
});
