import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { type Service, unitText } from "../../../cli/commands/service/systemd.ts";
import { EXECUTABLE, runExecutable } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";
import { sshKeyPair } from "../../support/records/ssh-key.ts";
import { programAt } from "../../support/needs.ts";

async function printed(args: string[], env: Record<string, string> = {}): Promise<string> {
  const { code, stdout, stderr } = await runExecutable(["service", "install", "--print", ...args], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** The value of a setting, which has to stand in the unit once. */
function settingOf(unit: string, name: string): string | undefined {
  const found = [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))];
  expect(found.length).toBeLessThan(2);
  return found[0]?.[1];
}

const SERVICE: Service = {
  executable: "/usr/local/bin/formflag",
  args: [],
  data: null,
  files: [],
  secrets: {},
  folders: [],
  scope: "system",
  usesLowPort: false,
  usesTemporary: false,
  hasTls: false,
};

describe("service install", () => {
  test("prints a unit that runs this executable with what serve was told, in options or the environment", async () => {
    const unit = await printed(["--trusted-proxy", "::1,10.0.0.0/8"], { FORMFLAG_LISTEN: "0.0.0.0:9000" });
    expect(settingOf(unit, "ExecStart")).toBe(
      `${EXECUTABLE} serve --data %S/formflag --listen 0.0.0.0:9000 --trusted-proxy ::1 --trusted-proxy 10.0.0.0/8`,
    );
    expect(settingOf(unit, "StateDirectory")).toBe("formflag");
    expect(settingOf(unit, "CapabilityBoundingSet")).toBe("");
    expect(unit).not.toMatch(/^MemoryDenyWriteExecute/m);
  });

  test("prints options of files with their whole path, and lets the service at a port under 1024", async () => {
    const unit = await printed([
      "--listen",
      "443",
      "--tls-cert",
      "/etc/tls/a.pem",
      "--tls-key",
      "/etc/tls/../b.pem",
    ]);
    expect(settingOf(unit, "ExecStart")).toEndWith("--tls-cert /etc/tls/a.pem --tls-key /etc/b.pem");
    expect(settingOf(unit, "AmbientCapabilities")).toBe("CAP_NET_BIND_SERVICE");
    expect(settingOf(unit, "PrivateUsers")).toBeUndefined();
    expect(settingOf(unit, "ExecReload")).toBe("/bin/kill -HUP $MAINPID");
  });

  test("prints the settings of mail without a password, and no reload, which is of a certificate", async () => {
    const mail = ["--smtp-url", "smtp://me@mail.example.com", "--mail-from", "Shop <forms@example.com>"];
    const env = { FORMFLAG_SMTP_PASSWORD: "hunter2", FORMFLAG_RETRY_DELAYS: "5s 1m" };
    const unit = await printed([...mail, "--smtp-password-file", "/home/me/password"], env);
    expect(settingOf(unit, "ExecStart")).toEndWith(
      'serve --data %S/formflag --smtp-url smtp://me@mail.example.com --smtp-password-file ${CREDENTIALS_DIRECTORY}/smtp-password-file --mail-from "Shop <forms@example.com>" --retry-delays "5s 1m"',
    );
    // The file may belong to root.
    expect(settingOf(unit, "LoadCredential")).toBe("smtp-password-file:/home/me/password");
    expect(settingOf(unit, "EnvironmentFile")).toBe("-/etc/formflag/environment");
    expect(settingOf(unit, "ExecReload")).toBeUndefined();
    expect(unit).not.toContain("hunter2");
  });

  test("lets the service write to the folder of the file that it appends its audit log to", async () => {
    const unit = await printed(["--audit-file", "/var/log/formflag/audit.jsonl", "--backup-dir", "/mnt/b"]);
    expect(unit).toContain('ReadWritePaths="/mnt/b"\nReadWritePaths="/var/log/formflag"\n');
  });

  test.each([
    [["--listen", "nonsense"]],
    [["--backup-to", "s3://bucket/prefix"]],
    [["--backup-to", "s3://key:secret@bucket/prefix?region=eu-1"]],
    [["--backup-dir", "/mnt/b", "--backup-recipient", "AGE-SECRET-KEY-1QQQ"]],
  ])("refuses options that serve would refuse: %j", async (options) => {
    const { code, stdout, stderr } = await runExecutable(["service", "install", "--print", ...options]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).not.toMatch(/secret@|KEY-1Q/);
  });

  test("passes on where backups go and for whom they are, with a place for large files on a disk", async () => {
    const to = "s3://backups/a?endpoint=https://s3.example.com";
    const { publicKey: recipient } = sshKeyPair("ann, at home");
    const unit = await printed(["--backup-to", to, "--backup-recipient", recipient]);
    expect(settingOf(unit, "ExecStart")).toEndWith(`--backup-to "${to}" --backup-recipient "${recipient}"`);
    expect(settingOf(unit, "Environment")).toBe("TMPDIR=/var/tmp");
    expect(settingOf(unit, "PrivateTmp")).toBe("yes");
  });
});

describe("a unit", () => {
  test("holds each argument so that systemd passes on the same", () => {
    const args = [
      "--public-url",
      `https://x.example/a b%20$HOME \${USER} "q" 's' \\ back;`,
      "--name",
      "a\nb\t",
    ];
    const unit = unitText({ ...SERVICE, executable: "/opt/a b%n$X/formflag", args });
    expect(settingOf(unit, "ExecStart")).toBe(
      String.raw`"/opt/a b%%n$X/formflag" serve --data %S/formflag --public-url "https://x.example/a b%%20$$HOME $\${USER} \"q\" 's' \\ back;" --name "a\x0ab\x09"`.replace(
        String.raw`\${`,
        "${",
      ),
    );
  });

  test("shows the service what it needs where its sandbox hides the rest", () => {
    const hidden = unitText({ ...SERVICE, executable: "/home/ann/formflag", data: "/home/ann/da:ta" });
    expect(settingOf(hidden, "ProtectHome")).toBe("tmpfs");
    expect(settingOf(hidden, "BindReadOnlyPaths")).toBe('"/home/ann/formflag"');
    expect(settingOf(hidden, "BindPaths")).toBe('"/home/ann/da:ta"');
    const open = unitText({ ...SERVICE, data: "/srv/formflag" });
    expect(settingOf(open, "ProtectHome")).toBe("yes");
    expect(settingOf(open, "ReadWritePaths")).toBe('"/srv/formflag"');
    const backups = unitText({ ...SERVICE, folders: ["/mnt/backup"] });
    expect(settingOf(backups, "ReadWritePaths")).toBe('"/mnt/backup"');
    expect(settingOf(open, "StateDirectory")).toBeUndefined();
  });

  test("of a user asks for nothing that only the system's manager can set up", () => {
    const unit = unitText({ ...SERVICE, scope: "user" });
    expect(settingOf(unit, "ExecStart")).toEndWith("serve --data %h/.local/share/formflag");
    expect(settingOf(unit, "User")).toBeUndefined();
    expect(settingOf(unit, "ProtectSystem")).toBeUndefined();
    expect(settingOf(unit, "NoNewPrivileges")).toBe("yes");
  });

  test("is refused for an executable that systemd would not run", () => {
    expect(() => unitText({ ...SERVICE, executable: "/opt/it's/formflag" })).toThrow("quotes in its path");
  });

  const analyze = programAt("systemd-analyze", "units of systemd");
  test.skipIf(!analyze)("is one that systemd verifies, with little exposed", async () => {
    const file = join(tempDirectory(), "formflag.service");
    const odd = ["--public-url", `https://x.example/a b%20$HOME "q";`];
    await Bun.write(file, unitText({ ...SERVICE, executable: EXECUTABLE, args: odd, data: "/srv/da ta" }));
    const run = async (...args: string[]) => {
      const child = Bun.spawn([analyze!, ...args, file], { stdout: "pipe", stderr: "pipe" });
      const texts = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
      return { text: (await Promise.all(texts)).join(""), code: await child.exited };
    };
    // On a system without the usual tools it names /bin/kill.
    expect((await run("verify")).text.replace(/.*\/bin\/kill is not executable.*\n/, "")).toBe("");
    expect((await run("security", "--offline=true", "--threshold=20")).code).toBe(0);
  });
});
