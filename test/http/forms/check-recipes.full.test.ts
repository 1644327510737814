import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { clientAt } from "../../support/app.ts";
import { eventually } from "../../support/eventually.ts";
import { file, json, multipart, noise, text } from "../../support/inbox.ts";
import { programAt } from "../../support/needs.ts";
import { openRecipes } from "../../support/peers/check-recipe.ts";
import { canConnect, freePort } from "../../support/peers/ports.ts";
import { tempDirectory } from "../../support/temp.ts";

const { forms, checkedBy, refused, stored } = openRecipes();
const RSPAMD = programAt("rspamd", "the recipe for rspamd");
const CLAMD = programAt("clamd", "the recipe for ClamAV");

/** A daemon that ends with the scope. */
function daemon(command: string[]) {
  const child = Bun.spawn(command, { stdout: "ignore", stderr: "ignore" });
  return {
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

/** The configuration of Debian's package, but for its address, name servers, and lists that take long to load. */
function rspamdIn(directory: string, port: number): string[] {
  for (const name of ["local.d", "run", "db", "log"]) mkdirSync(join(directory, name));
  // It drops the rights of root.
  for (const name of [".", "run", "db", "log"]) chmodSync(join(directory, name), 0o777);
  const local = (name: string, content: string) => writeFileSync(join(directory, "local.d", name), content);
  writeFileSync(join(directory, "tld.dat"), "com\nexample\norg\n");
  local("worker-normal.inc", `bind_socket = "127.0.0.1:${port}"; count = 1;`);
  local("worker-controller.inc", "enabled = false;");
  local("worker-proxy.inc", "enabled = false;");
  local(
    "options.inc",
    `url_tld = "${directory}/tld.dat"; disable_hyperscan = true; dns { nameserver = ["127.0.0.1:1"]; timeout = 100ms; retransmits = 1; }`,
  );
  const places = { LOCAL_CONFDIR: ".", RUNDIR: "run", DBDIR: "db", LOGDIR: "log" };
  const vars = Object.entries(places).map(([name, place]) => `--var=${name}=${join(directory, place)}`);
  return [RSPAMD!, "--insecure", "-f", ...vars];
}

describe("the recipe of a check", () => {
  test.skipIf(RSPAMD === null)(
    "for rspamd files as spam what a real one would reject",
    async () => {
      const port = freePort();
      await using _rspamd = daemon(rspamdIn(tempDirectory(), port));
      await eventually("rspamd listens", () => canConnect(port));
      await using check = await checkedBy("rspamd", { RSPAMD: `http://127.0.0.1:${port}/checkv2` });
      const sent = (message: string) => json({ name: "Ann", email: "ann@example.com", message });
      expect(await stored(check.form, sent("When are you open on Saturday?"))).toMatchObject({
        state: "inbox",
      });
      const gtube = "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X";
      expect((await stored(check.form, sent(gtube))).spam).toBe("check:rspamd: 15 points");
    },
    120_000,
  );

  test.skipIf(CLAMD === null)(
    "for ClamAV refuses a file in which a real one finds something, and stores the others",
    async () => {
      const directory = tempDirectory();
      const [database, socket, config] = ["db", "clamd.ctl", "clamd.conf"].map((name) =>
        join(directory, name),
      ) as [string, string, string];
      mkdirSync(database);
      // The signatures of ClamAV cannot be had offline: this is one, of the file that every scanner is tried with.
      writeFileSync(join(database, "own.hdb"), "44d88612fea8a8f36de82e1278abb02f:68:Eicar-Test\n");
      writeFileSync(config, `DatabaseDirectory ${database}\nLocalSocket ${socket}\nForeground yes\n`);
      await using _clamd = daemon([CLAMD!, "-c", config]);
      await eventually("clamd listens", () => existsSync(socket));
      const client = clientAt("127.0.0.1");
      const site = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: (asked) => forms.routes.fetch(asked, { client }),
      });
      const env = { CLAMD: socket, FORMS_URL: site.url.href };
      await using check = await checkedBy("clamav", env, { uploads: true });
      const eicar = ["X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-", "STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"].join("");
      const fine = file("fine.bin", noise(300_000));
      expect((await stored(check.form, multipart(text("a", "1"), fine, file("empty.txt", "")))).state).toBe(
        "inbox",
      );
      const message = await refused(check.form, multipart(fine, file("cv.txt", eicar)), 403);
      expect(message).toBe("this submission was refused: cv.txt has Eicar-Test.UNOFFICIAL");
      expect(await stored(check.form, json({ a: 1 }))).toMatchObject({ state: "inbox" });
      await site.stop(true);
    },
    120_000,
  );
});
