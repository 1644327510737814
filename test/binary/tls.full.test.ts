import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { onData } from "../support/commands.ts";
import { runExecutable, startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

const PAIRS = join(import.meta.dir, "../support/tls");

/** Files that hold the certificate called `one`, until `use` puts another there. */
function openFiles() {
  const directory = tempDirectory();
  const [cert, key] = [join(directory, "cert.pem"), join(directory, "key.pem")];
  const use = (certName: string, keyName: string) => {
    copyFileSync(join(PAIRS, `${certName}.cert.pem`), cert);
    copyFileSync(join(PAIRS, `${keyName}.key.pem`), key);
  };
  use("one", "one");
  return { use, args: ["--tls-cert", cert, "--tls-key", key] };
}

/** What the certificate is called that a new connection is shown. */
function shownAt(url: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(
    { port: Number(new URL(url).port), host: "127.0.0.1", rejectUnauthorized: false },
    () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    },
  );
  socket.on("error", reject);
  return promise;
}

const insecure = { tls: { rejectUnauthorized: false } };

describe("a server with a certificate", () => {
  test("answers HTTPS alone, and takes a submission", async () => {
    const { url, data } = await startServer(openFiles().args);
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const { key } = await onData(data).json<{ key: string }>("forms", "create", "contact");
    const init = { method: "POST", body: new URLSearchParams({ a: "1" }), ...insecure };
    const answer = await fetch(`${url}/v1/s/${key}?mode=rest`, init);
    expect(answer.status).toBe(200);
    const plain = fetch(url.replace("https", "http"));
    expect(
      await plain.then(
        (answer) => answer.status,
        () => "refused",
      ),
    ).not.toBe(200);
  });

  test("shows another one after SIGHUP, and what is under way goes on", async () => {
    const { use, args } = openFiles();
    const { url, pid, data, stderr } = await startServer(args);
    const { key } = await onData(data).json<{ key: string }>("forms", "create", "contact");
    expect(await shownAt(url)).toBe("one");

    const begun = Promise.withResolvers<void>();
    const rest = Promise.withResolvers<void>();
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from('{"a":'));
        begun.resolve();
        await rest.promise;
        controller.enqueue(Buffer.from("1}"));
        controller.close();
      },
    });
    const headers = { "content-type": "application/json" };
    const slow = fetch(`${url}/v1/s/${key}?mode=rest`, { method: "POST", body, headers, ...insecure });
    await begun.promise;

    use("two", "two");
    process.kill(pid, "SIGHUP");
    await eventually("the certificate to be read", () => stderr().includes("reloaded the certificate"));
    expect(await shownAt(url)).toBe("two");
    rest.resolve();
    expect((await slow).status).toBe(200);
  });

  test("keeps the old one where the new one does not fit its key, and says so", async () => {
    const { use, args } = openFiles();
    const { url, pid, stderr, stop } = await startServer(args);
    use("two", "one");
    process.kill(pid, "SIGHUP");
    await eventually("the log to say so", () =>
      stderr().includes("are not a certificate and its private key"),
    );
    expect(await shownAt(url)).toBe("one");
    expect(await stop()).toBe(0);
  });
});

describe("browsers are told to use HTTPS only", () => {
  const PUBLIC = ["--public-url", "https://forms.example.com"];
  test.each<[string, string[], string | null]>([
    ["not by a certificate, which may be that of a host with other services", openFiles().args, null],
    ["not by a public URL without HTTPS", ["--public-url", "http://forms.example.com"], null],
    ["by a public URL with HTTPS, for a year", PUBLIC, "max-age=31536000"],
    ["by --hsts, for as long as it says", [...PUBLIC, "--hsts", "600"], "max-age=600"],
    ["by --hsts without a public URL", ["--hsts", "0"], "max-age=0"],
    ["not where --hsts is off", [...PUBLIC, "--hsts", "off"], null],
  ])("%s", async (_, args, expected) => {
    const { url } = await startServer(args);
    const answer = await fetch(`${url}/healthz`, insecure);
    expect(answer.headers.get("strict-transport-security")).toBe(expected);
  });

  test("--hsts that is no number of seconds is exit 2", async () => {
    const { code, stderr } = await runExecutable(["serve", "--hsts", "1y"]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("--hsts 1y") });
  });
});

describe("a certificate that cannot be used", () => {
  const serve = (...args: string[]) =>
    runExecutable(["serve", "--listen", "127.0.0.1:0", "--data", tempDirectory(), ...args]);

  test("is exit 2 where it does not fit its key, or is none", async () => {
    const { use, args } = openFiles();
    use("one", "two");
    expect(await serve(...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("belong together"),
    });
    const none = await serve("--tls-cert", import.meta.path, "--tls-key", import.meta.path);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("in PEM") });
  });

  test("is exit 4 where its file is missing, which is named", async () => {
    const result = await serve("--tls-cert", "missing.pem", "--tls-key", "missing.pem");
    expect(result).toMatchObject({ code: 4, stderr: expect.stringContaining("missing.pem cannot be read") });
  });

  test("leaves an address where another server has one alone", async () => {
    const { args } = openFiles();
    const { url } = await startServer(args);
    const second = await serve("--listen", new URL(url).host, ...args);
    expect(second).toMatchObject({ code: 6, stderr: expect.stringContaining("is in use") });
  });

  test("is exit 2 without its key", async () => {
    const result = await serve("--tls-cert", "cert.pem");
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("--tls-key") });
  });
});
