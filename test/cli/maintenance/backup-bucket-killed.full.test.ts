import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { environment, formflag, onData } from "../../support/commands.ts";
import { eventually } from "../../support/eventually.ts";
import { EXECUTABLE, startServer } from "../../support/executable.ts";
import { CREDENTIALS } from "../../support/s3/s3-signature.ts";
import { startFakeS3 } from "../../support/s3/s3.ts";
import { tempDirectory } from "../../support/temp.ts";

const fake = startFakeS3();
const IDENTITY = await generateIdentity();
const RECIPIENT = await identityToRecipient(IDENTITY);

/** A data directory with so many uploaded files of 10 MB, which nothing compresses. */
async function withFiles(count: number): Promise<string> {
  const server = await startServer(["--max-concurrent", "0"]);
  const data = onData(server.data);
  await data.run("forms", "create", "contact", "--uploads", "on");
  await data.run("forms", "set", "contact", "--max-file-size", "20MB");
  const { key } = await data.json<{ key: string }>("forms", "get", "contact");
  for (let file = 0; file < count; file += 1) {
    const body = new FormData();
    const bytes = new Uint8Array(10_000_000);
    for (let at = 0; at < bytes.length; at += 65_536)
      crypto.getRandomValues(bytes.subarray(at, Math.min(bytes.length, at + 65_536)));
    body.set("file", new File([bytes], "file.bin"));
    expect((await fetch(`${server.url}/v1/s/${key}?mode=rest`, { method: "POST", body })).status).toBe(200);
  }
  await server.stop();
  return server.data;
}

/** Starts an encrypted backup into the bucket as a process of its own. */
function begin(data: string, TMPDIR: string, ...more: string[]) {
  const args = ["backup", "create", "--data", data, "-o", fake.url, "--backup-recipient", RECIPIENT];
  const env = environment({
    ...CREDENTIALS,
    TMPDIR,
    ...Object.fromEntries(more.map((each) => each.split("="))),
  });
  return Bun.spawn([EXECUTABLE, ...args], { env, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
}

const named = () => [...fake.objects.keys()].filter((key) => key.endsWith(".tar.age"));

/** Every named archive is whole, and nothing else is there: neither in the bucket nor in the folder for temporary files. */
async function expectNothingLeft(TMPDIR: string) {
  const identity = join(tempDirectory(), "key.txt");
  await Bun.write(identity, IDENTITY);
  expect([...fake.objects.keys()]).toEqual(named());
  expect([fake.uploads.size, readdirSync(TMPDIR)]).toEqual([0, []]);
  for (const key of named()) {
    const url = fake.url.replace("some/prefix", key);
    const args = ["backup", "verify", url, "--identity-file", identity];
    expect((await formflag(args, { env: CREDENTIALS })).stdout).toContain(" is sound: ");
  }
}

/** Ends the processes that a killed server has begun, as its unit does: they have its folder for temporary files. */
function endOrphans(TMPDIR: string): void {
  const processes = existsSync("/proc") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  for (const pid of processes) {
    const file = `/proc/${pid}/environ`;
    try {
      if (readFileSync(file, "utf8").split("\0").includes(`TMPDIR=${TMPDIR}`))
        process.kill(Number(pid), "SIGKILL");
    } catch (error) {
      // It is of another user, or has ended.
      if (!/EACCES|ENOENT|ESRCH/.test(String(error))) throw error;
    }
  }
}

describe("a backup into a bucket", () => {
  test("that is killed at any request leaves no name, and nothing after the next one", async () => {
    const data = await withFiles(2);
    const TMPDIR = tempDirectory();
    for (let kill = 1; kill <= 14; kill += 1) {
      fake.seen.length = 0;
      const before = named().length;
      const child = begin(data, TMPDIR);
      const isKilled = () => fake.seen.length >= kill;
      fake.after = () => {
        if (isKilled()) child.kill("SIGKILL");
        return undefined;
      };
      await child.exited;
      fake.after = () => undefined;
      // Only the removal of the temporary name comes after the name.
      if (isKilled() && named().length > before)
        expect(fake.seen.at(-1)!.method).toMatch(/^(PUT|HEAD|POST)$/);
      for (const file of readdirSync(TMPDIR, { recursive: true }).map(String))
        if (file.endsWith(".age/file") || file.endsWith("/file"))
          expect(
            Buffer.from(await Bun.file(join(TMPDIR, file)).slice(0, 600).bytes()).includes("ustar"),
          ).toBe(false);
    }
    const last = begin(data, TMPDIR);
    expect([await last.exited, await new Response(last.stderr).text()]).toEqual([0, ""]);
    await expectNothingLeft(TMPDIR);
  }, 300_000);

  test("that a server makes alone is made again after a kill of the server, and leaves nothing", async () => {
    fake.objects.clear();
    const data = await withFiles(1);
    const TMPDIR = tempDirectory();
    const env = { ...CREDENTIALS, TMPDIR };
    const options = ["--backup-to", fake.url, "--backup-recipient", RECIPIENT, "--backup-every", "1h"];
    const held = Promise.withResolvers<undefined>();
    fake.after = ({ method }) => (method === "GET" ? undefined : held.promise);
    const first = await startServer(options, { data, env });
    await eventually("an upload is under way", () => fake.uploads.size > 0 || named().length > 0);
    await first.stop("SIGKILL");
    endOrphans(TMPDIR);
    fake.after = () => undefined;
    held.resolve(undefined);
    fake.objects.clear();
    const second = await startServer(options, { data, env });
    await eventually("a backup", () => named().length > 0 || /"level":"error"/.test(second.stderr()));
    await eventually(
      "it is said",
      () => /stored the backup \S+ in s3:\/\/bucket\/some\/prefix/.test(second.stderr()),
      90_000,
    );
    const status = await onData(data).json<{ backup: { arrived: { file: string }; last: { file: string } } }>(
      "status",
    );
    // The process that the killed server had begun may have ended its own.
    expect(named()).toContain(status.backup.arrived.file.slice("s3://bucket/".length));
    await second.stop();
    expect(second.stderr()).not.toContain(CREDENTIALS.AWS_SECRET_ACCESS_KEY);
    await expectNothingLeft(TMPDIR);
  }, 120_000);

  test.skipIf(process.platform !== "linux")(
    "takes memory that does not grow with it, as its restore does",
    async () => {
      const identity = join(tempDirectory(), "key.txt");
      await Bun.write(identity, IDENTITY);
      const most = async (files: number) => {
        fake.objects.clear();
        const data = await withFiles(files);
        const made = await peakOf(begin(data, tempDirectory()));
        const into = join(tempDirectory(), "restored");
        const args = ["backup", "restore", fake.url, "--identity-file", identity, "--data", into];
        const env = environment(CREDENTIALS);
        return [
          made,
          await peakOf(
            Bun.spawn([EXECUTABLE, ...args], { env, stdin: "ignore", stdout: "ignore", stderr: "pipe" }),
          ),
        ];
      };
      const [few, many] = [await most(2), await most(12)];
      for (const [index, bytes] of many.entries()) expect(bytes).toBeLessThan(few[index]! + 64 * 2 ** 20);
    },
    300_000,
  );
});

/** The most memory of a process that has to succeed. That of `resourceUsage` counts what its parent had. */
async function peakOf(child: Bun.Subprocess<"ignore", "ignore", "pipe">): Promise<number> {
  let peak = 0;
  const look = () => {
    const status = existsSync(`/proc/${child.pid}/status`)
      ? readFileSync(`/proc/${child.pid}/status`, "utf8")
      : "";
    peak = Math.max(peak, Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024);
  };
  const timer = setInterval(look, 20);
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ""]);
  clearInterval(timer);
  return peak;
}
