import { generateKeyPairSync } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { installationFiles } from "../../scripts/publishing/files.ts";
import { readSigner } from "../../scripts/publishing/sign.ts";
import { TARGETS } from "../../scripts/publishing/targets.ts";
import { eventually } from "../support/eventually.ts";
import { EXECUTABLE } from "../support/executable.ts";
import { createCertificates, openMailSink } from "../support/peers/mail-sink.ts";
import { hasPebble, startPebble } from "../support/peers/pebble.ts";
import { type Machine, bootMachine } from "../support/systemd/machine.ts";
import { tempDirectory } from "../support/temp.ts";
import { hostsFile, isInNetwork, readPage } from "../support/tutorials/network.ts";
import { stepsOf } from "../support/tutorials/page.ts";
import { createUser, openUserTerminal } from "../support/tutorials/user.ts";
import { typePage } from "../support/tutorials/typist.ts";

const TITLE = "A contact form with mail and HTTPS";
const HOSTS = {
  "203.0.113.7": "forms.example.com",
  "203.0.113.25": "mail.example.com",
  "203.0.113.80": "downloads.example.com",
};
const [MACHINE, MAIL, DOWNLOADS] = Object.keys(HOSTS) as [string, string, string];
const PASSWORD = "swordfish";

type Certificates = Awaited<ReturnType<typeof createCertificates>>;

/** Serves the files of a signed release with this executable, and its install.sh, until the function is called. */
async function serveRelease({ here }: Certificates): Promise<() => Promise<void>> {
  const [folder, download] = [tempDirectory(), "https://downloads.example.com/formflag"];
  const target = TARGETS.find(({ name }) => name === "linux-x64")!;
  const name = `formflag-0.1.0-${target.name}`;
  await Bun.$`mkdir ${name} && ln -s ${EXECUTABLE} ${name}/formflag && tar -chf - ${name} | gzip -1 > ${name}.tar.gz && sha256sum ${name}.tar.gz > SHA256SUMS`.cwd(
    folder,
  );
  const sums = readFileSync(join(folder, "SHA256SUMS"), "utf8");
  const key = join(folder, "key.pem");
  writeFileSync(key, generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }));
  const signer = await readSigner(key);
  writeFileSync(join(folder, "SHA256SUMS.sig"), signer.sign(Buffer.from(sums)));
  const about = { version: "0.1.0", description: "Form inbox and feature flags", license: "MIT" };
  const release = { ...about, download, key: signer.publicKey, targets: [target], sums: new Map() };
  writeFileSync(join(folder, "install.sh"), (await installationFiles(release)).get("install.sh")!);
  const server = Bun.serve({
    hostname: DOWNLOADS,
    port: 443,
    tls: here,
    fetch: (request) => new Response(Bun.file(join(folder, new URL(request.url).pathname.slice(10)))),
  });
  return () => server.stop(true);
}

/** The mail server, the authority and the release of the page, which the machine trusts as it does real ones. */
async function prepare(machine: Machine) {
  const certificates = await createCertificates("DNS:mail.example.com,DNS:downloads.example.com");
  const authority = await startPebble({ httpPort: 80, dnsPort: 53 });
  await authority.resolve(MACHINE);
  await authority.text("example.com", "v=spf1 a:mail.example.com -all");
  await authority.text("_dmarc.example.com", "v=DMARC1; p=none");
  const stopServing = await serveRelease(certificates);
  const sink = await openMailSink({
    ...certificates.here,
    at: { host: MAIL, port: 587 },
    authOptional: false,
    onAuth: ({ username, password }, _, done) =>
      username === "shop@example.com" && password === PASSWORD
        ? done(null, { user: username })
        : done(new Error("535 5.7.8 wrong password")),
  });
  writeFileSync(machine.path("/etc/hosts"), hostsFile(HOSTS));
  const bundle = machine.path("/etc/ssl/certs/ca-certificates.crt");
  appendFileSync(bundle, `${certificates.ca}${await authority.root()}`);
  mkdirSync(machine.path("/etc/systemd/system/formflag.service.d"), { recursive: true });
  writeFileSync(machine.path("/etc/ssl/certs/authority.pem"), readFileSync(authority.ca));
  writeFileSync(
    machine.path("/etc/systemd/system/formflag.service.d/peers.conf"),
    `[Service]
Environment=FORMFLAG_ACME_URL=${authority.directory} FORMFLAG_ACME_CA=/etc/ssl/certs/authority.pem
Environment=FORMFLAG_SMTP_CA=/etc/ssl/certs/ca-certificates.crt
`,
  );
  return { sink, stopServing };
}

if (isInNetwork(import.meta.path, TITLE, HOSTS)) {
  const machine = await bootMachine();
  describe.skipIf(machine === null || !hasPebble)(TITLE, () => {
    test("is typed by a user with sudo", async () => {
      const { must } = machine!;
      const { sink, stopServing } = await prepare(machine!);
      await createUser(machine!, "ann");
      const terminal = await openUserTerminal(machine!, "ann", {
        FORMFLAG_DNS: "127.0.0.1:53",
        FORMFLAG_CA_FILE: "/etc/ssl/certs/ca-certificates.crt",
      });
      const log = () => must("journalctl", "-o", "cat", "-u", "formflag");
      const differences = await typePage(stepsOf(readPage("tutorials/contact-form.md")), {
        terminalsOf: () => [terminal],
        answers: { "/dev/stdin": { to: "", typed: `${PASSWORD}\n\u0004` } },
        after: {
          // The port is that of the machine of the page, too.
          "install.sh": stopServing,
        },
      });
      expect(differences).toEqual([]);
      await must("env", "--chdir=/", "formflag", "doctor");
      const notified = await eventually("the notification", () => sink.received[1]);
      expect(notified.to).toEqual(["shop@example.com"]);
      expect(notified.email.replyTo?.map(({ address }) => address)).toEqual(["ann@example.com"]);
      expect((await log()).split("\n").filter((line) => /"level":"(error|warn)"/.test(line))).toEqual([]);
    });
  });
}
