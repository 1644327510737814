import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import type { Finding } from "../../src/maintenance/finding.ts";
import type { Status } from "../../src/maintenance/status.ts";
import { formflag } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { startServer } from "../support/executable.ts";
import { CREDENTIALS } from "../support/s3/s3-signature.ts";
import { startFakeS3 } from "../support/s3/s3.ts";
import { openMailSink } from "../support/peers/mail-sink.ts";
import { tempDirectory } from "../support/temp.ts";
import { IS_POSTGRES_HERE, databaseOf, execute, freshDatabase } from "../support/postgres/postgres.ts";

/** Servers on a new database, and commands beside them. */
async function open() {
  const url = await freshDatabase();
  const env = { FORMFLAG_DATABASE_URL: url };
  const run = (...args: string[]) => formflag(args, { env });
  const status = async () => {
    const { code, stdout } = await run("status", "--json");
    return { code, ...(JSON.parse(stdout) as Status) };
  };
  const doctor = async (...args: string[]) => {
    const findings = JSON.parse((await run("doctor", "--json", ...args)).stdout) as Finding[];
    return (check: string) => findings.find((each) => each.check === check);
  };
  const serve = (...args: string[]) => startServer(["--drain", "0s", ...args], { env, data: null });
  return { url, run, status, doctor, serve };
}

describe.skipIf(!IS_POSTGRES_HERE)("a command beside the servers of a shared database", () => {
  test("knows which servers use it, and compares its options with theirs", async () => {
    const { url, run, status, doctor, serve } = await open();
    expect(await status()).toMatchObject({ code: 6, startedAt: null, address: null, servers: [] });
    expect((await doctor("--listen", "127.0.0.1:0"))("servers")?.message).toBe("none uses this database");

    const one = await serve("--hsts", "off");
    await eventually("the first server to be known", async () => (await status()).servers?.length === 1);
    const known = { code: 0, address: one.url, servers: [{ host: hostname(), address: one.url }] };
    expect(await status()).toMatchObject(known);
    expect((await run("status")).stdout).toContain(`address      ${one.url}\n`);
    const own = await doctor();
    expect(own("servers")?.message).toContain(`${one.url} on ${hostname()}`);
    expect(own("options")).toMatchObject({ status: "ok", message: expect.stringContaining("--hsts off") });
    expect((await doctor("--base-path", "/other"))("options")).toMatchObject({
      status: "warning",
      message: expect.stringContaining("--base-path is /other here, and not set in the server"),
    });

    const two = await serve();
    await eventually("the second server to be known", async () => (await status()).servers?.length === 2);
    expect((await status()).address).toBe(two.url);
    expect((await run("status")).stdout).toMatch(
      /^servers +http:\S+ on \S+ \(\S+\), http:\S+ on \S+ \(\S+\)$/m,
    );
    // One that was killed is known for some minutes, by the clock of the database.
    process.kill(two.pid, "SIGKILL");
    await two.exited;
    await execute(`UPDATE servers SET seen_at = seen_at - 150000 WHERE facts LIKE '%${two.url}%'`, {
      database: databaseOf(url),
    });
    expect((await status()).servers).toHaveLength(1);
    await one.stop();
    expect(await status()).toMatchObject({ code: 6, servers: [] });
  }, 60_000);

  test("shows the schedule of the one that makes backups", async () => {
    const { run, status, serve } = await open();
    const directory = join(tempDirectory(), "backups");
    await serve("--backup-dir", directory, "--backup-keep", "3");
    await serve();
    await eventually("both servers to be known", async () => (await status()).servers?.length === 2);
    expect((await status()).backup).toMatchObject({ directory, every: 86_400, keep: 3 });
    expect((await run("status")).stdout).toMatch(/^backups +every 1 day into \S+, 3 kept, next at 2/m);
  }, 60_000);

  test("warns of the age of the newest backup in a bucket, where they record it on no disk", async () => {
    const { url } = await open();
    const fake = startFakeS3();
    const env = { FORMFLAG_DATABASE_URL: url, ...CREDENTIALS };
    const arrived = async () => {
      const { stdout } = await formflag(["doctor", "--json", "--backup-to", fake.url], { env });
      const findings = JSON.parse(stdout) as Finding[];
      return findings.find(({ check }) => check === "backup arrived");
    };
    expect(await arrived()).toMatchObject({
      status: "ok",
      message: expect.stringContaining("there is none yet"),
    });
    const put = (time: string) =>
      fake.objects.set(`some/prefix/formflag-auto-${time}.tar`, { bytes: Buffer.from("x"), sha256: null });
    put("20260101T000000Z");
    expect(await arrived()).toMatchObject({
      status: "warning",
      message: expect.stringContaining("the last one is of 2026-01-01T00:00:00"),
    });
    put(new Date().toISOString().replaceAll(/[-:]|\.\d+/g, ""));
    expect(await arrived()).toMatchObject({ status: "ok" });
  }, 60_000);

  test("uses their mail server, their networks and their address", async () => {
    const sink = await openMailSink();
    const { run, status, serve } = await open();
    const mail = ["--smtp-url", `smtp://127.0.0.1:${sink.port}`, "--mail-from", "forms@shop.example"];
    const server = await serve("--target-network", "127.0.0.0/8", ...mail);
    await eventually("the server to be known", async () => (await status()).servers?.length === 1);
    const { code, stdout } = await run("forms", "create", "contact", "--json");
    expect(code).toBe(0);
    expect(await run("mail", "test", "ada@example.com")).toMatchObject({ code: 0 });
    expect(await run("targets", "add", "contact", "http://127.0.0.1:1/")).toMatchObject({ code: 0 });
    const { key } = JSON.parse(stdout) as { key: string };
    const sent = await fetch(`${server.url}/v1/s/${key}?mode=rest`, {
      method: "POST",
      body: JSON.stringify({ email: "ann@example.com" }),
      headers: { "Content-Type": "application/json" },
    });
    const { id } = (await sent.json()) as { id: string };
    expect(await run("submissions", "reply", id, "Hello")).toMatchObject({ code: 0 });
    await eventually("the reply", () => sink.received.some(({ to }) => to[0] === "ann@example.com"));
    expect(await server.stop()).toBe(0);
  }, 60_000);
});
