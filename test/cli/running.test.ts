import { describe, expect, test } from "bun:test";
import { lockData } from "../../cli/data/open.ts";
import { recordServing } from "../../cli/data/serving.ts";
import { readServeConfig } from "../../cli/serve/config.ts";
import { serveOptions } from "../../cli/serve/options.ts";
import type { Settings } from "../../cli/serve/settings.ts";
import type { Finding } from "../../src/maintenance/finding.ts";
import { formflag, onData } from "../support/commands.ts";
import { tempDirectory } from "../support/temp.ts";

/** A data directory with a form, as a server with these settings keeps it while it runs. */
async function openRunning(settings: Settings) {
  const data = tempDirectory();
  await onData(data).run("forms", "create", "contact");
  const unlock = lockData(data);
  const origin = "http://127.0.0.1:9";
  const forget = recordServing(data, {
    version: "1",
    startedAt: new Date().toISOString(),
    origin,
    dashboard: origin,
    settings: { listen: "127.0.0.1:0", ...settings },
  });
  const stop = () => {
    forget();
    unlock();
  };
  return { data, stop, [Symbol.dispose]: stop };
}

describe("a command beside a running server", () => {
  test("checks a target with the networks of the server, which will send", async () => {
    const hook = "http://192.168.7.7/hook";
    const add = (data: string, env: Record<string, string> = {}) =>
      formflag(["targets", "add", "contact", hook, "--data", data], { env });
    using without = await openRunning({});
    const refused = await add(without.data, { FORMFLAG_TARGET_NETWORK: "192.168.0.0/16" });
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("neither public nor permitted");
    using within = await openRunning({ targetNetwork: ["192.168.0.0/16"] });
    expect((await add(within.data)).code).toBe(0);
    within.stop();
    expect((await add(within.data)).code).toBe(2);
  });

  test("doctor takes over the options of the server, and names those that differ", async () => {
    using running = await openRunning({ targetNetwork: ["10.0.0.0/8"], basePath: "/formflag" });
    const doctor = async (...args: string[]) => {
      const all = ["doctor", "--data", running.data, "--json", ...args];
      const findings = JSON.parse((await formflag(all)).stdout) as Finding[];
      return (check: string) => findings.find((each) => each.check === check);
    };
    const own = await doctor();
    expect(own("options")).toMatchObject({
      status: "ok",
      message: expect.stringContaining("--base-path /formflag"),
    });
    expect(own("targets")?.message).toContain("10.0.0.0/8");
    const other = await doctor("--base-path", "/other", "--hsts", "off");
    expect(other("options")).toMatchObject({
      status: "warning",
      message:
        "the running server has others: --base-path is /other here, and /formflag in the server; --hsts is off here, and not set in the server",
    });
    running.stop();
    expect((await doctor("--listen", "127.0.0.1:0"))("options")).toBeUndefined();
  });
});

const DEFAULTS = Object.fromEntries(
  serveOptions().map((option) => [option.attributeName(), option.defaultValue as unknown]),
);

describe("a public URL with a path", () => {
  const read = (options: Record<string, unknown>) => {
    const { basePath, isBaseOptional } = readServeConfig({ ...DEFAULTS, ...options });
    return [basePath, isBaseOptional];
  };
  const publicUrl = "https://example.com/formflag/";

  test("sets the base path, which a proxy may take away", () => {
    expect(read({ publicUrl })).toEqual(["/formflag", true]);
    expect(read({ publicUrl: "https://example.com/" })).toEqual(["", false]);
  });

  test("leaves a base path that is given, also that of none", () => {
    expect(read({ publicUrl, basePath: "/inner" })).toEqual(["/inner", false]);
    expect(read({ publicUrl, basePath: "/" })).toEqual(["", false]);
    expect(read({ publicUrl, dashboardUrl: "https://flags.example.com" })).toEqual(["", false]);
  });
});
