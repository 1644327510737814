import { existsSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "bun:test";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { emptyData, formflag } from "../../support/commands.ts";
import { sshKeyPair } from "../../support/records/ssh-key.ts";
import { CREDENTIALS } from "../../support/s3/s3-signature.ts";
import { s3Error, startFakeS3 } from "../../support/s3/s3.ts";
import { tempDirectory } from "../../support/temp.ts";

const fake = startFakeS3();
const data = emptyData();
const keys = tempDirectory();
const [AGE_FILE, SSH_FILE] = [join(keys, "key.txt"), join(keys, "id")];
const AGE_KEY = await generateIdentity();
const AGE = await identityToRecipient(AGE_KEY);
const { pem, publicKey: SSH } = sshKeyPair("ann, at home");
writeFileSync(SSH_FILE, pem, { mode: 0o600 });
writeFileSync(AGE_FILE, `# created: 2027-01-31\n# public key: ${AGE}\n${AGE_KEY}\n`);

beforeEach(() => {
  fake.objects.clear();
  fake.uploads.clear();
  fake.fault = () => undefined;
  fake.after = () => undefined;
});

const names = () => [...fake.objects.keys()];

/** Runs a command on a bucket, with a folder for temporary files that has to be empty at its end. */
async function run(...args: string[]) {
  const TMPDIR = tempDirectory();
  const result = await formflag(["--data", data, ...args], { env: { ...CREDENTIALS, TMPDIR } });
  expect(readdirSync(TMPDIR)).toEqual([]);
  return result;
}

describe("a backup in a bucket", () => {
  test("is made, listed, verified, copied back and restored, the newest where a prefix is named", async () => {
    const made = await run("backup", "create", "-o", fake.url, "--json");
    expect(made.stderr).toBe("");
    const { file } = JSON.parse(made.stdout) as { file: string };
    expect(file).toMatch(/^s3:\/\/bucket\/some\/prefix\/formflag-backup-\d{8}T\d{6}Z\.tar$/);
    const [key] = names();
    const old = key!.replace(/\d{8}T/, "20200101T");
    fake.objects.set(old, { bytes: Buffer.from("no archive"), sha256: null });

    const listed = await run("backup", "list", fake.url);
    expect(listed.stdout.split("\n").map((line) => line.split(/ {2,}/)[0])).toEqual([
      "NAME",
      file.split("/").at(-1)!,
      old.split("/").at(-1)!,
      "",
    ]);
    expect(await run("backup", "verify", fake.url)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${file} is sound: `),
    });
    const ofOld = fake.url.replace("some/prefix", old);
    expect(await run("backup", "verify", ofOld)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not a formflag backup"),
    });
    const folder = tempDirectory();
    expect((await run("backup", "copy", fake.url, folder)).code).toBe(0);
    expect(readFileSync(join(folder, readdirSync(folder)[0]!))).toEqual(
      Buffer.from(fake.objects.get(key!)!.bytes),
    );
    const into = join(tempDirectory(), "restored");
    expect((await formflag(["backup", "restore", fake.url, "--data", into], { env: CREDENTIALS })).code).toBe(
      0,
    );
    expect(existsSync(join(into, "formflag.db"))).toBe(true);
  });

  test("that is named is replaced only with --yes", async () => {
    const url = fake.url.replace("some/prefix", "some/prefix/mine.tar.gz");
    expect((await run("backup", "create", "-o", url)).code).toBe(0);
    expect(await run("backup", "create", "-o", url)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("s3://bucket/some/prefix/mine.tar.gz exists already"),
    });
    expect((await run("backup", "create", "-o", url, "--yes")).code).toBe(0);
    expect(names()).toEqual(["some/prefix/mine.tar.gz"]);
  });

  test.each([
    ["plain.tar", "hidden.tar.age"],
    ["hidden.tar.age", "plain.tar"],
  ])("is not copied as %s to a name that says otherwise, %s", async (from, to) => {
    const file = join(tempDirectory(), from);
    writeFileSync(file, "an archive");
    expect(
      await run("backup", "copy", file, fake.url.replace("some/prefix", `some/prefix/${to}`)),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("backup copy neither encrypts nor decrypts"),
    });
    expect(names()).toEqual([]);
  });

  test("is named where it is copied: a folder is not copied", async () => {
    const folder = tempDirectory();
    const { code, stderr } = await run("backup", "copy", folder, fake.url);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`${folder} is a folder, and backup copy copies one file`),
    });
    expect(stderr).toContain(`formflag backup list ${folder}`);
    expect(names()).toEqual([]);
  });

  test("that is missing, or has no credentials, is said", async () => {
    expect(await run("backup", "verify", fake.url)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("no backup found in s3://bucket/some/prefix"),
    });
    const bare = await formflag(["backup", "list", fake.url]);
    expect(bare).toMatchObject({ code: 4, stderr: expect.stringContaining("set AWS_ACCESS_KEY_ID") });
  });

  test("that arrives with other bytes than were stored is not kept", async () => {
    const made = await run("backup", "create", "-o", fake.url);
    expect(made.code).toBe(0);
    const { bytes } = fake.objects.get(names()[0]!)!;
    bytes[bytes.length >> 1]! ^= 1;
    const folder = tempDirectory();
    const { code, stdout, stderr } = await run("backup", "copy", fake.url, folder);
    expect([code, stdout, readdirSync(folder)]).toEqual([6, "", []]);
    expect(stderr).toContain("returned other bytes of formflag-backup-");
  });

  test.each(["POST", "PUT"])(
    "is not made in a storage without a kind of %s, which is said",
    async (lacking) => {
      fake.fault = ({ method }) => (method === lacking ? s3Error(501, "NotImplemented") : undefined);
      const name = "formflag-backup-20200101T000000Z.tar.unverified-00000000";
      fake.objects.set(`some/prefix/${name}`, { bytes: Buffer.from(""), sha256: null, at: 0 });
      const { code, stderr } = await run("backup", "create", "-o", fake.url);
      expect(code).toBe(6);
      expect(stderr).toContain("error: the object storage does not support a request that formflag needs\n");
      expect(names().filter((key) => key.endsWith(".tar"))).toEqual([]);
    },
  );

  test("of a storage that refuses it has no name, and leaves nothing", async () => {
    fake.fault = ({ method }) => (method === "PUT" ? s3Error(403, "AccessDenied") : undefined);
    const { code, stderr } = await run("backup", "create", "-o", fake.url);
    expect([code, names(), fake.uploads.size]).toEqual([4, [], 0]);
    expect(stderr).not.toContain(CREDENTIALS.AWS_SECRET_ACCESS_KEY);
  });
});

describe("an encrypted backup", () => {
  test.each([
    ["age", AGE, AGE_FILE, SSH_FILE],
    ["SSH", SSH, SSH_FILE, AGE_FILE],
  ])("for a key of %s is opened by that alone", async (_, recipient, identity, other) => {
    const made = await run("backup", "create", "-o", fake.url, "--backup-recipient", recipient);
    expect(made.stderr).toBe("");
    expect(names()).toEqual([expect.stringMatching(/\.tar\.age$/)]);
    expect(Buffer.from(fake.objects.get(names()[0]!)!.bytes).includes("ustar")).toBe(false);
    const verify = (...more: string[]) => run("backup", "verify", fake.url, ...more);
    expect((await verify("--identity-file", identity)).stdout).toContain(" is sound: ");
    expect(await verify("--identity-file", other)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`none of the identities in ${other} opens this archive`),
    });
    expect(await verify()).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("--identity-file <file>"),
    });
  });

  test("for several keys is opened by each, and compressed before", async () => {
    const folder = tempDirectory();
    const file = join(folder, "backup.tar.gz.age");
    const to = [AGE, SSH].flatMap((each) => ["--backup-recipient", each]);
    expect((await run("backup", "create", "-o", file, ...to)).code).toBe(0);
    for (const identity of [AGE_FILE, SSH_FILE])
      expect((await run("backup", "verify", file, "--identity-file", identity)).code).toBe(0);
  });

  test.each([
    ["cut short", (bytes: Buffer) => bytes.subarray(0, bytes.length - 100)],
    ["changed in its middle", (bytes: Buffer) => bytes.fill(7, bytes.length / 2, bytes.length / 2 + 3)],
    ["changed in its header", (bytes: Buffer) => bytes.fill(65, 60, 63)],
    ["without an end", (bytes: Buffer) => bytes.subarray(0, 40)],
  ])("that was %s is refused before anything is written", async (_, damage) => {
    const file = join(tempDirectory(), "backup.tar.age");
    expect((await run("backup", "create", "-o", file, "--backup-recipient", AGE)).code).toBe(0);
    writeFileSync(file, damage(readFileSync(file)));
    const into = join(tempDirectory(), "restored");
    const args = ["backup", "restore", file, "--identity-file", AGE_FILE, "--data", into];
    const { code, stderr } = await formflag(args);
    expect(code === 1 || code === 4).toBe(true);
    expect(stderr).toMatch(/damaged|none of the identities/);
    expect(existsSync(into)).toBe(false);
  });

  test.each([
    [["-o", "a.tar"], "name it a.tar.age"],
    [["-o", "a.tar.zst"], "zst"],
  ])("has no other name: %j", async (args, message) => {
    const { code, stderr } = await run("backup", "create", ...args, "--backup-recipient", AGE);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test.each([
    ["AGE-SECRET-KEY-1QQQQ", "this one is private"],
    ["age1qqqq", "has a mistake"],
    ["ssh-rsa AAAAB3NzaC1yc2E=", "is not of the type ssh-ed25519"],
    ["ssh-ed25519 AAAA", "is damaged"],
    ["ssh-ed25519", "is damaged"],
    ["ann@example.com", "is neither age1… nor ssh-ed25519 …"],
  ])("has no recipient %s", async (recipient, message) => {
    const { code, stderr } = await run("backup", "create", "-o", "-", "--backup-recipient", recipient);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test("has identities that say what is wrong with them, and never repeat it", async () => {
    const file = join(mkdtempSync(join(keys, "of-")), "key");
    const archive = join(tempDirectory(), "backup.tar.age");
    await run("backup", "create", "-o", archive, "--backup-recipient", AGE);
    const why = async (text: string) => {
      writeFileSync(file, text);
      const { code, stderr } = await run("backup", "verify", archive, "--identity-file", file);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await why("# nothing\n")).toContain("holds no identity");
    expect(await why(`${AGE}\n`)).toContain("line 1 of ");
    const secret = await why("\nAGE-SECRET-KEY-1TOP\n");
    expect(secret).toContain("line 2 of ");
    expect(secret).not.toContain("TOP");
    expect(await why("-----BEGIN AGE ENCRYPTED FILE-----\n")).toContain("is protected by a passphrase");
    expect(await why(sshKeyPair("", { cipher: "aes256-ctr" }).pem)).toContain("protected by a passphrase");
    expect(await why(sshKeyPair("", { type: "ecdsa-sha2-nistp256" }).pem)).toContain(
      "a key of the type ecdsa",
    );
    expect(await why(pem.slice(0, 120))).toContain("no private key of OpenSSH");
  });
});

test.skipIf(Bun.which("ssh-keygen") === null)("the keys of ssh-keygen decrypt", async () => {
  const file = join(tempDirectory(), "id");
  Bun.spawnSync(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file]);
  const recipient = readFileSync(`${file}.pub`, "utf8");
  await run("backup", "create", "-o", fake.url, "--backup-recipient", recipient);
  const verify = () => run("backup", "verify", fake.url, "--identity-file", file);
  expect((await verify()).stdout).toContain(" is sound: ");
  Bun.spawnSync(["ssh-keygen", "-q", "-p", "-N", "secret", "-f", file]);
  expect((await verify()).stderr).toContain("is protected by a passphrase");
});

test.skipIf(Bun.which("age") === null)(
  "the program age reads what is written here, and the reverse",
  async () => {
    const folder = tempDirectory();
    const [mine, theirs] = [join(folder, "mine.tar.age"), join(folder, "theirs.tar.age")];
    const to = [AGE, SSH].flatMap((each) => ["--backup-recipient", each]);
    await run("backup", "create", "-o", mine, ...to);
    for (const identity of [AGE_FILE, SSH_FILE]) {
      const tar = join(folder, "plain.tar");
      expect(Bun.spawnSync(["age", "-d", "-i", identity, "-o", tar, mine]).exitCode).toBe(0);
      expect((await run("backup", "verify", tar)).code).toBe(0);
      const recipients = ["-r", identity === SSH_FILE ? SSH : AGE];
      expect(Bun.spawnSync(["age", ...recipients, "-o", theirs, tar]).exitCode).toBe(0);
      expect((await run("backup", "verify", theirs, "--identity-file", identity)).code).toBe(0);
    }
    const armored = Bun.spawnSync(["age", "-a", "-r", AGE, "-o", theirs, join(folder, "plain.tar")]);
    expect(armored.exitCode).toBe(0);
    expect((await run("backup", "verify", theirs, "--identity-file", AGE_FILE)).stderr).toContain("armor");
  },
);
