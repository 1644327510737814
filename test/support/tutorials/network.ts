import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { need, programAt } from "../needs.ts";
import { tempDirectory } from "../temp.ts";

const INSIDE = "FORMFLAG_TEST_NETWORK";

/** Addresses with the names that lead to them, in the form of /etc/hosts. */
type Hosts = Record<string, string>;

/**
 * Whether this file runs in a network of its own, in which the addresses are those of this machine, and every port is free.
 * Outside of it, a test is registered that runs the file there, and reports what fails.
 */
export function isInNetwork(file: string, title: string, hosts: Hosts): boolean {
  if (process.env[INSIDE] === "1") return true;
  const tests = `a network of its own for ${title}`;
  const isHere =
    need(process.getuid?.() === 0, `${tests}: the tests do not run as root`) &&
    ["unshare", "mount", "ip"].every((name) => programAt(name, tests));
  test.skipIf(!isHere)(
    `${title} can be typed word by word`,
    async () => {
      const child = Bun.spawn(["unshare", "--net", "--mount", "sh", "-c", script(file, hosts)], {
        env: { ...process.env, [INSIDE]: "1" },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      const texts = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
      const said = (await Promise.all(texts)).join("\n");
      expect({ code: await child.exited, said: child.exitCode === 0 ? "" : said }).toEqual({
        code: 0,
        said: "",
      });
    },
    120_000,
  );
  return false;
}

/** The lines of /etc/hosts that name addresses. */
export function hostsFile(hosts: Hosts): string {
  const lines = Object.entries(hosts).map(([address, names]) => `${address} ${names}\n`);
  return `127.0.0.1 localhost\n${lines.join("")}`;
}

function script(file: string, hosts: Hosts): string {
  const names = join(tempDirectory(), "hosts");
  writeFileSync(names, hostsFile(hosts));
  return [
    "set -e",
    "mount --make-rprivate /",
    `mount --bind '${names}' /etc/hosts`,
    "ip link set lo up",
    ...Object.keys(hosts).map((address) => `ip address add ${address}/32 dev lo`),
    `exec '${process.execPath}' test --timeout 120000 '${file}'`,
  ].join("\n");
}

/** The text of a page of the documentation. */
export function readPage(path: string): string {
  return readFileSync(join(import.meta.dir, "../../../docs", path), "utf8");
}
