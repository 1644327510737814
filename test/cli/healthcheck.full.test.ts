import { join } from "node:path";
import { afterAll, describe, expect, test } from "bun:test";
import { formflag } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";

const TLS = join(import.meta.dir, "../support/tls");

/** A server of another program, which answers everything alike. */
function openOther(answer: () => Response | Promise<Response>): string {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 30, fetch: answer });
  afterAll(() => server.stop(true));
  return server.url.origin;
}

function portOf(url: string): string {
  return new URL(url).port;
}

describe("healthcheck", () => {
  test("says ok of a healthy server, wherever serve was told to listen", async () => {
    const { url } = await startServer();
    const listen = `0.0.0.0:${portOf(url)}`;
    expect(await formflag(["healthcheck", "--listen", listen])).toEqual({
      code: 0,
      stdout: "ok\n",
      stderr: "",
    });
    const { stdout } = await formflag(["healthcheck", "--ready", "--json"], {
      env: { FORMFLAG_LISTEN: listen },
    });
    expect(JSON.parse(stdout)).toEqual({ status: "ok", url: `${url}/readyz`, ms: expect.any(Number) });
    expect((await formflag(["healthcheck", "--url", `${url}/`, "-q"])).stdout).toBe("");
  });

  test("asks a server of this machine directly, and by HTTPS without a look at its name", async () => {
    const files = { cert: join(TLS, "one.cert.pem"), key: join(TLS, "one.key.pem") };
    const { url } = await startServer(["--tls-cert", files.cert, "--tls-key", files.key]);
    const env = {
      FORMFLAG_LISTEN: `127.0.0.1:${portOf(url)}`,
      FORMFLAG_TLS_CERT: files.cert,
      FORMFLAG_TLS_KEY: files.key,
      HTTP_PROXY: "http://127.0.0.1:1",
      HTTPS_PROXY: "http://127.0.0.1:1",
    };
    expect(await formflag(["healthcheck"], { env })).toEqual({ code: 0, stdout: "ok\n", stderr: "" });
  });

  test("tells what is not well, within seconds", async () => {
    const ill = { error: true, code: 503, message: "the database is locked by another process" };
    const never = Promise.withResolvers<Response>();
    const cases: [url: string, code: number, said: string][] = [
      ["http://127.0.0.1:1", 6, "nothing listens there"],
      [openOther(() => Response.json(ill, { status: 503 })), 6, "the database is locked by another process"],
      [openOther(() => never.promise), 6, "did not answer within 5 seconds"],
      [openOther(() => new Response("hello")), 1, "not as formflag does"],
      [openOther(() => Response.redirect("/healthz")), 1, "answered 302"],
      ["127.0.0.1:1", 2, "not a web address"],
    ];
    await Promise.all(
      cases.map(async ([url, code, said]) => {
        const result = await formflag(["healthcheck", "--url", url, "--json"]);
        expect({ url, code: result.code, stdout: result.stdout }).toEqual({ url, code, stdout: "" });
        expect((JSON.parse(result.stderr) as { error: { message: string } }).error.message).toContain(said);
      }),
    );
    never.resolve(new Response());
  }, 60_000);

  test("asks for an address where the port is another each time", async () => {
    const { code, stderr } = await formflag(["healthcheck", "--listen", "127.0.0.1:0"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--url");
  });
});
