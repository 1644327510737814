import { join } from "node:path";
import { afterAll, describe, expect, test } from "bun:test";
import { formflag } from "../support/commands.ts";
import { tempDirectory } from "../support/temp.ts";

const PAIRS = join(import.meta.dir, "../support/tls");
const [one, two] = [join(PAIRS, "one.cert.pem"), join(PAIRS, "two.cert.pem")];

/** A server that shows the certificate `one`, which is self-signed and valid for localhost and 127.0.0.1. */
function startServer(hostname: string, port = 0) {
  const server = Bun.serve({
    hostname,
    port,
    tls: { cert: Bun.file(one), key: Bun.file(join(PAIRS, "one.key.pem")) },
    fetch: () => Response.json({ projects: [] }),
  });
  afterAll(() => server.stop(true));
  return server;
}

const server = startServer("127.0.0.1");

async function list(host: string, args: string[] = [], env: Record<string, string> = {}) {
  const all = ["projects", "list", "--server", `https://${host}:${server.port}`, "--json", ...args];
  const { code, stderr } = await formflag(all, { env: { FORMFLAG_TOKEN: "ff_x", ...env } });
  return { code, ...(stderr === "" ? {} : (JSON.parse(stderr) as { error: object }).error) };
}

describe("the certificate of a server", () => {
  test("that is not trusted is exit 6 and named, and --insecure does not change that", async () => {
    for (const args of [[], ["--insecure"], ["--ca-file", two]]) {
      expect(await list("localhost", args)).toMatchObject({
        code: "unavailable",
        message: `the server https://localhost:${server.port} has a certificate that is not trusted: it signed itself`,
        hint: expect.stringContaining("--ca-file"),
      });
    }
  });

  test("is trusted by --ca-file or FORMFLAG_CA_FILE", async () => {
    expect(await list("localhost", ["--ca-file", one])).toEqual({ code: 0 });
    expect(await list("127.0.0.1", [], { FORMFLAG_CA_FILE: one })).toEqual({ code: 0 });
  });

  test("for another name is named as that", async () => {
    startServer("127.0.0.2", server.port);
    expect(await list("127.0.0.2", ["--ca-file", one])).toMatchObject({
      message: expect.stringContaining("has a certificate for another name"),
    });
  });
});

describe("a --ca-file", () => {
  test("that is missing or holds no certificate is a usage error", async () => {
    const empty = join(tempDirectory(), "ca.pem");
    await Bun.write(empty, "-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----\n");
    expect(await list("localhost", ["--ca-file", empty])).toMatchObject({
      code: "invalid",
      message: `--ca-file: the file ${empty} holds no certificate in PEM`,
    });
    expect(await list("localhost", ["--ca-file", "nowhere.pem"])).toMatchObject({
      code: "invalid",
      message: expect.stringContaining("the file nowhere.pem cannot be read"),
    });
  });
});
