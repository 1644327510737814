import { expect, test } from "bun:test";
import { formflag, onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

const data = tempDirectory();
const here = onData(data);
await here.run("projects", "create", "shop");
const KEY = `ff_${"a".repeat(43)}`;
const snippet = (...args: string[]) =>
  formflag(["flags", "snippet", "-p", "shop", "-e", "production", "--data", data, ...args], {
    env: { FORMFLAG_PUBLIC_URL: "https://forms.example.com/" },
  });

test("flags snippet prints the tag of the script, pinned by its hash", async () => {
  const { code, stdout } = await snippet("--key", KEY);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^<script src="https:\/\/forms\.example\.com\/v1\/flags\.[0-9a-f]{16}\.js" integrity="sha384-[\w+/]{64}" crossorigin="anonymous" data-key="ff_a{43}"><\/script>\n$/,
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
