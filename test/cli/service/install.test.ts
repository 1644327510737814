import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { installService, uninstallService } from "../../../cli/commands/service/install.ts";
import type { Machine } from "../../../cli/commands/service/machine.ts";
import type { Service } from "../../../cli/commands/service/systemd.ts";
import { AppError } from "../../../src/base/errors.ts";
import { formflag } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

/** A machine on which root runs, and programs do nothing but what `answers` says. */
function openMachine(more: Partial<Machine> = {}, answers: Record<string, number> = {}) {
  const root = tempDirectory();
  const executable = join(root, "formflag");
  writeFileSync(executable, "an executable");
  chmodSync(executable, 0o700);
  const ran: string[] = [];
  const machine: Machine = {
    hasSystemd: true,
    isRoot: true,
    unitsOf: (scope) => join(root, scope),
    sharedExecutable: join(root, "shared"),
    wait: async () => {},
    async run(...command) {
      const line = command.join(" ");
      ran.push(line);
      const code = Object.entries(answers).find(([start]) => line.startsWith(start))?.[1] ?? 0;
      if (line.startsWith("journalctl")) return { code, text: "listening on http://127.0.0.1:9000" };
      return { code, text: code === 0 ? "1" : "no" };
    },
    ...more,
  };
  const service: Service = {
    executable,
    args: ["--listen", "127.0.0.1:9000"],
    data: null,
    files: [],
    secrets: {},
    folders: [],
    scope: "system",
    usesLowPort: false,
    usesTemporary: false,
    hasTls: false,
  };
  const steps: string[] = [];
  const install = (changes: Partial<Service> = {}, other: Partial<Machine> = {}) =>
    installService({ ...service, ...changes }, { ...machine, ...other }, (text) => void steps.push(text));
  return { root, machine, ran, steps, install };
}

const errorOf = async (work: Promise<unknown>) => {
  const error = await work.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
};

describe("service install", () => {
  test("of the system makes its user, its executable and its unit, and starts it", async () => {
    const { root, ran, steps, install } = openMachine({}, { id: 1 });
    const unit = await install();
    expect(unit).toBe(join(root, "system/formflag.service"));
    expect(readFileSync(unit, "utf8")).toContain(
      `ExecStart=${root}/shared serve --data %S/formflag --listen 127.0.0.1:9000\n`,
    );
    expect(statSync(unit).mode & 0o777).toBe(0o644);
    expect(statSync(join(root, "shared")).mode & 0o777).toBe(0o755);
    expect(readFileSync(join(root, "shared"), "utf8")).toBe("an executable");
    expect(ran).toEqual([
      "id formflag",
      "useradd --system --user-group --home-dir /var/lib/formflag --shell /usr/sbin/nologin formflag",
      "systemctl daemon-reload",
      "systemctl enable formflag",
      "systemctl restart formflag",
      "systemctl show --property InvocationID --value formflag",
      "systemctl is-active --quiet formflag",
      "journalctl --output cat _SYSTEMD_INVOCATION_ID=1",
    ]);
    expect(steps.map((step) => step.split(" ")[0])).toEqual(["created", "copied", "wrote", "enabled"]);
  });

  test("of a user leaves the executable where it is, and says if it stops with the session", async () => {
    const { root, ran, steps, install } = openMachine({ isRoot: false }, { loginctl: 1 });
    const unit = await install({ scope: "user" });
    expect(readFileSync(unit, "utf8")).toContain(`ExecStart=${root}/formflag serve`);
    expect(ran[0]).toBe("systemctl --user daemon-reload");
    expect(steps.at(-1)).toContain("it stops when you log out");
  });

  test("is repeated to change the service, and leaves a unit that is not ours", async () => {
    const { root, install } = openMachine();
    await install();
    const unit = await install({ args: ["--listen", "127.0.0.1:9001"] });
    expect(readFileSync(unit, "utf8")).toContain("127.0.0.1:9001");
    writeFileSync(join(root, "system/formflag.service"), "[Unit]\nDescription=another\n");
    expect((await errorOf(install())).code).toBe("conflict");
    rmSync(unit);
    mkdirSync(unit);
    expect((await errorOf(install())).message).toBe(`${unit} is not a unit that formflag wrote`);
  });

  test("creates the folders that the service writes to, and changes nothing for one that it may not write to", async () => {
    const { root, ran, steps, install } = openMachine({}, { env: 1 });
    const [missing, closed] = [join(root, "missing"), join(root, "closed's")];
    mkdirSync(closed);
    await install({ folders: [missing] });
    expect(ran).toContain(`install -d -o formflag -g formflag -m 700 ${missing}`);
    expect(steps).toContain(`created ${missing}`);
    const unit = readFileSync(join(root, "system/formflag.service"), "utf8");
    ran.length = 0;
    expect(await errorOf(install({ folders: [closed] }))).toMatchObject({
      code: "forbidden",
      message: `the service could not write to ${closed}`,
      hint: `name a folder that does not exist, which is created, or let it own this one: chown formflag: '${root}/closed'\\''s'`,
    });
    expect(ran).toEqual(["id formflag", `env --chdir=${closed} runuser -u formflag -- test -w .`]);
    expect(readFileSync(join(root, "system/formflag.service"), "utf8")).toBe(unit);
  });

  test("of a user needs folders that the user may write to", async () => {
    const { root, ran, install } = openMachine({ isRoot: false });
    await install({ scope: "user", folders: [join(root, "a/b"), root] });
    expect(statSync(join(root, "a/b")).mode & 0o777).toBe(0o700);
    expect(ran.filter((line) => !line.includes(" --user"))).toEqual(["loginctl enable-linger"]);
  });

  test("leaves the service as it was if the new one does not start", async () => {
    const answers: Record<string, number> = {};
    const { install } = openMachine({}, answers);
    const unit = await install();
    const before = readFileSync(unit, "utf8");
    // systemctl fails where the unit cannot be run, and is-active where the server ends.
    for (const failing of ["systemctl restart", "systemctl is-active"]) {
      answers[failing] = 1;
      const error = await errorOf(install({ args: ["--listen", "127.0.0.1:1"] }));
      delete answers[failing];
      expect(error).toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("its former unit was put back, and does not start either"),
        hint: expect.stringContaining("journalctl -u formflag"),
      });
      expect(readFileSync(unit, "utf8")).toBe(before);
    }
  });

  test("changes nothing without systemd, or without rights", async () => {
    const without = openMachine({ hasSystemd: false });
    expect(await errorOf(without.install())).toMatchObject({
      code: "unsupported",
      message: "systemd does not run on this machine",
      hint: expect.stringContaining("--print"),
    });
    const user = openMachine({ isRoot: false });
    expect(await errorOf(user.install())).toMatchObject({
      code: "forbidden",
      hint: "put sudo before the command, or add --user for a service of your own user",
    });
    for (const { root, ran } of [without, user]) {
      expect(ran).toEqual([]);
      expect(existsSync(join(root, "system"))).toBe(false);
    }
  });

  test.each([
    ["got a certificate for forms.example.com", "got a certificate for forms.example.com"],
    ['No new certificate: \\"CAA\\".', 'No new certificate: "CAA".'],
    ["another line", "there is no certificate yet: formflag doctor says why"],
  ])("for a domain waits for the first certificate, and says what came of it: %s", async (message, said) => {
    const { machine, steps, install } = openMachine();
    const run: Machine["run"] = async (...command) => {
      const { code, text } = await machine.run(...command);
      return { code, text: text.startsWith("listening") ? `${text}\n{"message":"${message}"}` : text };
    };
    const data = tempDirectory();
    await install({ args: ["--domain", "forms.example.com"], data }, { run });
    expect(steps).toContain(said);
    steps.length = 0;
    // The server has one from before.
    mkdirSync(join(data, "certificates"));
    await install({ args: ["--domain", "forms.example.com"], data }, { run });
    expect(steps).not.toContain(said);
  });

  test("fails where systemctl fails, and where the server ends at its start", async () => {
    const enabling = openMachine({}, { "systemctl enable": 1 });
    expect((await errorOf(enabling.install())).message).toBe("systemctl enable formflag failed: no");
    const ended = openMachine({}, { "systemctl is-active": 3 });
    expect(await errorOf(ended.install())).toMatchObject({
      code: "unavailable",
      hint: expect.stringContaining("journalctl -u formflag"),
    });
  });

  test.skipIf(existsSync("/run/systemd/system"))("says on a machine without systemd what to do", async () => {
    for (const args of [["install"], ["install", "--user"], ["uninstall"]]) {
      const { code, stdout, stderr } = await formflag(["service", ...args]);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain("systemd does not run on this machine\nhint: --print prints the unit");
    }
  });
});

describe("service uninstall", () => {
  test("stops the service and removes its unit", async () => {
    const { machine, ran, install } = openMachine();
    const unit = await install();
    ran.length = 0;
    expect(await uninstallService("system", machine)).toBe(unit);
    expect(existsSync(unit)).toBe(false);
    expect(ran).toEqual(["systemctl disable --now formflag", "systemctl daemon-reload"]);
  });

  test("says where there is none, and leaves one that is not ours", async () => {
    const { root, machine, ran } = openMachine();
    expect((await errorOf(uninstallService("system", machine))).code).toBe("not_found");
    mkdirSync(join(root, "system"));
    writeFileSync(join(root, "system/formflag.service"), "[Unit]\nDescription=another\n");
    expect((await errorOf(uninstallService("system", machine))).code).toBe("conflict");
    expect(ran).toEqual([]);
  });
});
