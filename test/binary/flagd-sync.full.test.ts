import { copyFileSync, existsSync, readFileSync } from "node:fs";
import http2 from "node:http2";
import { connect } from "node:net";
import { join } from "node:path";
import { FlagdProvider } from "@openfeature/flagd-provider";
import { OpenFeature } from "@openfeature/server-sdk";
import { describe, expect, test } from "bun:test";
import { onData } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { EXECUTABLE, startServer } from "../support/executable.ts";
import { need } from "../support/needs.ts";
import { type Asking, grpcClient } from "../support/peers/grpc.ts";
import { tempDirectory } from "../support/temp.ts";

const PAIRS = join(import.meta.dir, "../support/tls");

/** A server with `hero` on in `develop` of `shop`, off in `staging`, and a token for `develop`. */
async function open(args: string[] = [], listen = "127.0.0.1:0") {
  const server = await startServer(["--flagd-listen", listen, ...args], { addresses: 2 });
  const cli = onData(server.data);
  await cli.json("projects", "create", "shop");
  for (const flag of ["hero", "other"]) await cli.json("flags", "create", flag, "-p", "shop");
  const set = (flag: string, environment: string, ...options: string[]) =>
    cli.json("flags", "set", flag, "-p", "shop", "-e", environment, ...options);
  await set("hero", "develop", "--on");
  const tokenFor = async (name: string, scope: string, ...options: string[]) =>
    (await cli.json<{ token: string }>("tokens", "create", name, "--scope", scope, ...options)).token;
  const token = await tokenFor("sync", "flags:sync", "-p", "shop", "-e", "develop");
  const origin = server.urls[1]!;
  return { server, cli, set, token, tokenFor, origin, port: Number(new URL(origin).port) };
}

const stateIn = (file: string | undefined, flag = "hero") =>
  (JSON.parse(file ?? "null") as { flags: Record<string, { defaultVariant: string; state: string }> } | null)
    ?.flags[flag];
/** Prints for each file whether it has the last change. */
const SLOW_READER = `
const { Client, Metadata, credentials } = require("@grpc/grpc-js");
const [bytes, metadata] = [(message) => message, new Metadata()];
metadata.set("authorization", "Bearer " + process.env.TOKEN);
new Client("127.0.0.1:" + process.env.PORT, credentials.createInsecure())
  .makeServerStreamRequest("/flagd.sync.v1.FlagSyncService/SyncFlags", bytes, bytes, Buffer.alloc(0), metadata)
  .on("data", (message) => console.log(message.includes('"change-12"')));`;

const DEVELOP = { selector: "shop/develop" };

const { server, cli, set, token, tokenFor, origin, port } = await open();
const client = grpcClient(origin);

describe("gRPC for flagd", () => {
  test("answers with the file of the HTTP source", async () => {
    const answer = await fetch(`${server.url}/flagd/v1/shop/develop.json`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(await client.fetch({ token })).toBe(await answer.text());
    expect(await client.fetch({ token }, undefined, "GetMetadata")).toBe("");
  });

  test("takes the environment as flagd and its providers send it", async () => {
    const all = await tokenFor("all", "flags:read");
    const develop = await client.fetch({ token });
    const places: Asking[] = [
      { token: all, ...DEVELOP },
      { token: all, selector: "flagSetId=shop/develop" },
      { token: all, headers: { "flagd-selector": "shop/develop" } },
      { token: all, selector: "shop/staging", headers: { "flagd-selector": "shop/develop" } },
      { selector: token },
      { selector: token, headers: { "flagd-selector": token } },
      { selector: all, headers: { "flagd-selector": "shop/develop" } },
    ];
    for (const place of places)
      expect({ place, file: await client.fetch(place) }).toEqual({ place, file: develop });
  });

  test("is refused with the status that says why", async () => {
    const all = await tokenFor("every", "read");
    const reader = (await cli.json<{ token: string }>("tokens", "create", "forms", "--scope", "forms:read"))
      .token;
    const refusals: [Asking, string][] = [
      [{}, "UNAUTHENTICATED"],
      [{ token: "ff_no" }, "UNAUTHENTICATED"],
      [DEVELOP, "UNAUTHENTICATED"],
      [{ token: reader, ...DEVELOP }, "PERMISSION_DENIED"],
      [{ token, selector: "shop/staging" }, "PERMISSION_DENIED"],
      [{ token, selector: "shop/nowhere" }, "PERMISSION_DENIED"],
      [{ token: all, selector: "shop/nowhere" }, "NOT_FOUND"],
      [{ token: all }, "INVALID_ARGUMENT"],
      [{ token: all, selector: "shop" }, "INVALID_ARGUMENT"],
    ];
    for (const [asking, status] of refusals) {
      expect({ asking, status: await client.fetch(asking) }).toEqual({ asking, status });
      expect({ asking, status: await client.follow(asking).ended }).toEqual({ asking, status });
    }
    expect(await client.refusal({ token: all, selector: "shop/nowhere" })).toBe(
      "there is no environment shop/nowhere",
    );
    expect(await client.fetch({ token }, Buffer.from([0xff, 0xff]))).toBe("INVALID_ARGUMENT");
    expect(await client.fetch({ token }, Buffer.alloc(20_000))).toBe("RESOURCE_EXHAUSTED");
    expect(await client.fetch({ token }, undefined, "Nope")).toBe("UNIMPLEMENTED");
  });

  test("tells a change of the environment, and nothing of others", async () => {
    const stream = client.follow({ token });
    await stream.first;
    await set("other", "staging", "--on");
    await set("hero", "develop", "--off");
    await eventually("the change", () => stateIn(stream.files.at(-1))?.defaultVariant === "off");
    await set("hero", "develop", "--on");
    await eventually("the next", () => stateIn(stream.files.at(-1))?.defaultVariant === "on");
    expect(stream.files).toHaveLength(3);
    stream.cancel();
  });

  test("tells that a flag has expired", async () => {
    const stream = client.follow({ token });
    await set("other", "develop", "--on", "--expires", new Date(Date.now() + 2000).toISOString());
    await eventually("on", () => stateIn(stream.files.at(-1), "other")?.defaultVariant === "on");
    await eventually("off", () => stateIn(stream.files.at(-1), "other")?.defaultVariant === "off");
    stream.cancel();
  });

  test("ends the streams of a token that is revoked", async () => {
    const stream = client.follow({
      token: await tokenFor("short", "flags:sync", "-p", "shop", "-e", "develop"),
    });
    await stream.first;
    expect((await cli.run("tokens", "revoke", "short", "-p", "shop", "--yes")).code).toBe(0);
    expect(await stream.ended).toBe("UNAUTHENTICATED");
  });

  test("goes on after connections that speak no gRPC, and a flood of resets, which it ends", async () => {
    await fetch(`http://127.0.0.1:${port}/`).catch(() => {});
    const garbage = Promise.withResolvers<void>();
    connect(port, "127.0.0.1")
      .on("close", () => garbage.resolve())
      .on("error", () => {})
      .resume()
      .end(Buffer.alloc(100_000, 7));
    await garbage.promise;
    const session = http2.connect(`http://127.0.0.1:${port}`).on("error", () => {});
    const closed = new Promise((fulfil) => session.on("close", () => fulfil("closed")));
    for (let count = 0; count < 100_000 && !session.destroyed; count += 1) {
      const stream = session.request({ ":method": "POST", ":path": "/" }).on("error", () => {});
      stream.close(8);
      if (count % 500 === 0) await Bun.sleep(1);
    }
    expect(await closed).toBe("closed");
    expect(stateIn(await client.fetch({ token }))).toBeDefined();
    expect(server.stderr()).not.toContain("error");
  });

  test("serves a thousand streams of one connection", async () => {
    const streams = Array.from({ length: 1000 }, () => client.follow({ token }));
    await eventually("a file for each", () => streams.every(({ files }) => files.length === 1));
    await set("hero", "develop", "--off");
    await eventually("the change for each", () => streams.every(({ files }) => files.length === 2));
    await set("hero", "develop", "--on");
    for (const stream of streams) stream.cancel();
  });

  test("keeps a connection whose readers come and go together", async () => {
    const client = grpcClient(origin);
    for (let round = 0; round < 5; round += 1) {
      const streams = Array.from({ length: 1000 }, () => client.follow({ token }));
      await Promise.all(streams.map(({ first }) => first));
      for (const stream of streams) stream.cancel();
    }
    expect(stateIn(await client.fetch({ token }))).toBeDefined();
    client.close();
  });

  test("keeps one file for a reader that reads nothing, which then gets the newest", async () => {
    // In an environment of its own, since the files of the others are to stay small.
    const slow = await tokenFor("slow", "flags:sync", "-p", "shop", "-e", "staging");
    const large = JSON.stringify({ text: "x".repeat(60_000) });
    for (let count = 1; count <= 25; count += 1)
      await set(`large-${count}`, "staging", "--on", "--payload", large);
    // A process of its own, since one that is stopped takes nothing from its connection.
    const child = Bun.spawn(["node", "-e", SLOW_READER], {
      cwd: import.meta.dir,
      env: { ...process.env, PORT: String(port), TOKEN: slow },
      stdout: "pipe",
    });
    const seen: boolean[] = [];
    const reading = (async () => {
      for await (const text of child.stdout.pipeThrough(new TextDecoderStream()))
        for (const line of text.trim().split("\n")) seen.push(line === "true");
    })();
    await eventually("the first file", () => seen.length > 0);
    process.kill(child.pid, "SIGSTOP");
    const fast = client.follow({ token: slow });
    for (let count = 1; count <= 12; count += 1) {
      await set(`change-${count}`, "staging", "--on");
      await eventually("the change", () => stateIn(fast.files.at(-1), `change-${count}`));
    }
    process.kill(child.pid, "SIGCONT");
    await eventually("the newest", () => seen.at(-1));
    expect(seen.length).toBeLessThan(10);
    child.kill();
    await reading;
    fast.cancel();
  });

  test("reaches the provider for JavaScript in its own process", async () => {
    const provider = new FlagdProvider({
      host: "127.0.0.1",
      port,
      resolverType: "in-process",
      selector: token,
    });
    await OpenFeature.setProviderAndWait("sync", provider);
    const reader = OpenFeature.getClient("sync");
    const read = () => reader.getBooleanDetails("hero", false, { targetingKey: "ann" });
    const { value, flagMetadata } = await read();
    // A provider copies its selector there, which would be the token, unless the file names the scope.
    expect({ value, flagMetadata }).toEqual({
      value: true,
      flagMetadata: { flagSetId: "shop/develop", scope: "shop/develop" },
    });
    await set("hero", "develop", "--off");
    await eventually("off", async () => !(await read()).value);
    await set("hero", "develop", "--on");
    await OpenFeature.clearProviders();
  });

  const python = "/usr/bin/python3";
  const hasPython = Bun.spawnSync([python, "-c", "import grpc"]).success;
  test.skipIf(!need(hasPython, "gRPC for Python: python3-grpcio is not installed"))(
    "reaches the client for Python",
    async () => {
      const program = `
import grpc, sys
call = grpc.insecure_channel("127.0.0.1:${port}").unary_stream("/flagd.sync.v1.FlagSyncService/SyncFlags", bytes, bytes)
sys.stdout.buffer.write(next(call(b"", metadata=[("authorization", "Bearer " + sys.stdin.read())], timeout=10)))`;
      const child = Bun.spawn([python, "-c", program], { stdin: new Blob([token]), stdout: "pipe" });
      const message = await new Response(child.stdout).text();
      expect(stateIn(message.slice(message.indexOf("{")))?.state).toBe("ENABLED");
    },
  );
});

test("a stop ends gRPC streams at once, and a provider comes back to the next server", async () => {
  const { server, cli, token, port, origin } = await open();
  const client = grpcClient(origin);
  const stream = client.follow({ token });
  await stream.first;
  const provider = new FlagdProvider({
    host: "127.0.0.1",
    port,
    resolverType: "in-process",
    selector: token,
  });
  await OpenFeature.setProviderAndWait("again", provider);
  expect(await server.stop()).toBe(0);
  expect(await stream.ended).toBe("UNAVAILABLE");
  await cli.json("flags", "set", "hero", "-p", "shop", "-e", "develop", "--off");
  await startServer(["--flagd-listen", `127.0.0.1:${port}`], { data: server.data, addresses: 2 });
  const read = () => OpenFeature.getClient("again").getBooleanValue("hero", true);
  await eventually("off", async () => !(await read()));
  await OpenFeature.clearProviders();
  client.close();
});

test("gRPC over TLS shows the certificate that a SIGHUP has read", async () => {
  const directory = tempDirectory();
  const [cert, key] = [join(directory, "cert.pem"), join(directory, "key.pem")];
  const use = (name: string) => {
    copyFileSync(join(PAIRS, `${name}.cert.pem`), cert);
    copyFileSync(join(PAIRS, `${name}.key.pem`), key);
  };
  use("one");
  const { server, token, origin } = await open(["--tls-cert", cert, "--tls-key", key]);
  expect(origin).toStartWith("grpcs://127.0.0.1:");
  const fetchBy = async (name: string) => {
    const client = grpcClient(origin, readFileSync(join(PAIRS, `${name}.cert.pem`)));
    const answer = await client.fetch({ token });
    client.close();
    return answer.startsWith("{");
  };
  expect(await fetchBy("one")).toBe(true);
  use("two");
  process.kill(server.pid, "SIGHUP");
  await eventually("the other certificate", () => server.stderr().includes("reloaded"));
  expect({ one: await fetchBy("one"), two: await fetchBy("two") }).toEqual({ one: false, two: true });
});

test("an address for gRPC that is in use is named with its option", async () => {
  const { port } = await open();
  const failed = await startServer(["--flagd-listen", `127.0.0.1:${port}`], { addresses: 2 }).then(
    () => "started",
    (error: Error) => error.message,
  );
  expect(failed).toContain(`the address 127.0.0.1:${port} is in use`);
});

test("an export that watches writes its file again after each change, and once a flag expires", async () => {
  const { server, cli, set } = await open();
  const file = join(tempDirectory(), "flags.json");
  const admin = (await cli.json<{ token: string }>("tokens", "create", "watch", "--scope", "flags:read"))
    .token;
  const child = Bun.spawn(
    [
      EXECUTABLE,
      "flags",
      "export",
      "-p",
      "shop",
      "-e",
      "develop",
      "-o",
      file,
      "--watch",
      "--server",
      server.url,
    ],
    { env: { ...process.env, FORMFLAG_TOKEN: admin }, stderr: "pipe" },
  );
  const written = (flag: string) =>
    existsSync(file) ? stateIn(readFileSync(file, "utf8"), flag) : undefined;
  await eventually("the file", () => written("hero")?.defaultVariant === "on");
  await set("hero", "develop", "--off");
  await eventually("the change", () => written("hero")?.defaultVariant === "off");
  await set("other", "develop", "--on", "--expires", new Date(Date.now() + 3000).toISOString());
  await eventually("on", () => written("other")?.defaultVariant === "on");
  await eventually("expired", () => written("other")?.defaultVariant === "off");
  child.kill("SIGINT");
  expect(await child.exited).toBe(130);
});
