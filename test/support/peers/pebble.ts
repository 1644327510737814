import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "bun:test";
import { eventually } from "../eventually.ts";
import { programAt } from "../needs.ts";
import { tempDirectory } from "../temp.ts";
import { canConnect, freePort } from "./ports.ts";

const TLS = join(import.meta.dir, "../tls");
const CERT = join(TLS, "one.cert.pem");
const KEY = join(TLS, "one.key.pem");

/** The key of an account that pebble knows, for authorities that bind accounts. */
export const BINDING = {
  id: "kid-1",
  key: "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W",
};

const pebble = programAt("pebble", "certificates by ACME");
const dns = programAt("pebble-challtestsrv", "certificates by ACME");

/** Whether the test authority of Let's Encrypt is installed. */
export const hasPebble = pebble !== null && dns !== null;

export type Pebble = {
  /** The directory, behind a proxy that sees every request. */
  directory: string;
  /** The file of the certificate of that address. */
  ca: string;
  /** Where it looks for answers to challenges. */
  httpPort: number;
  /** The certificate that those it issues lead to, in PEM. */
  root: () => Promise<string>;
  /** The address of every name; none with an empty text. */
  resolve: (address: string) => Promise<void>;
  /** The text record of a name. */
  text: (name: string, value: string) => Promise<void>;
  /** Paths of requests, in their order. */
  requests: string[];
  /** Looks at each request before it goes on; an answer is given in place of that of the authority. */
  intercept: (request: Request) => Response | null | Promise<Response | null>;
  /** When the authority suggests to renew, as it stands in the answer; null for an authority without suggestions. */
  window: { start: string; end: string } | null;
};

/**
 * Starts pebble with its DNS server. `valid` are the seconds for which certificates are valid, `httpPort` is the port on which it
 * looks for answers.
 */
export async function startPebble({
  valid = 7_776_000,
  binds = false,
  httpPort = freePort(),
  dnsPort = freePort(),
} = {}): Promise<Pebble> {
  const [port, management, dnsManagement] = Array.from({ length: 3 }, freePort);
  const file = join(tempDirectory(), "pebble.json");
  const config = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: CERT,
    privateKey: KEY,
    httpPort,
    tlsPort: freePort(),
    certificateValidityPeriod: valid,
    externalAccountBindingRequired: binds,
    externalAccountMACKeys: { [BINDING.id]: BINDING.key },
  };
  writeFileSync(file, JSON.stringify({ pebble: config }));
  const env = { ...process.env, PEBBLE_VA_NOSLEEP: "1", PEBBLE_AUTHZREUSE: "0" };
  const none = ["http01", "https01", "tlsalpn01"].flatMap((name) => [`-${name}`, ""]);
  const resolver = ["-dns01", `127.0.0.1:${dnsPort}`, "-management", `127.0.0.1:${dnsManagement}`];
  const children = [
    Bun.spawn([dns!, ...none, ...resolver, "-defaultIPv4", "127.0.0.1", "-defaultIPv6", ""], {
      stderr: "ignore",
    }),
    Bun.spawn([pebble!, "-config", file, "-strict", "-dnsserver", `127.0.0.1:${dnsPort}`], {
      env,
      stderr: "ignore",
    }),
  ];
  afterAll(() => {
    for (const child of children) child.kill("SIGKILL");
  });
  for (const each of [port, management, dnsManagement])
    await eventually("pebble listens", () => canConnect(each!));
  const tls = { ca: readFileSync(CERT, "utf8") };
  const manage = async (what: string, body: object) => {
    await fetch(`http://127.0.0.1:${dnsManagement}/${what}`, { method: "POST", body: JSON.stringify(body) });
  };
  const authority: Pebble = {
    directory: "",
    ca: CERT,
    httpPort,
    requests: [],
    intercept: () => null,
    window: null,
    root: async () => (await fetch(`https://127.0.0.1:${management}/roots/0`, { tls })).text(),
    resolve: (ip) => manage("set-default-ipv4", { ip }),
    text: (name, value) => manage("set-txt", { host: `${name}.`, value }),
  };
  const proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: { cert: readFileSync(CERT), key: readFileSync(KEY) },
    async fetch(request) {
      const { pathname, host } = new URL(request.url);
      authority.requests.push(pathname);
      const instead = await authority.intercept(request);
      if (instead !== null) return instead;
      if (pathname.startsWith("/renewal-info/")) return Response.json({ suggestedWindow: authority.window });
      const { method, headers } = request;
      // The authority writes addresses with the host that it was asked at.
      const body = method === "POST" ? await request.arrayBuffer() : null;
      const answer = await fetch(`https://127.0.0.1:${port}${pathname}`, {
        method,
        headers: { ...Object.fromEntries(headers), host },
        body,
        tls,
      });
      if (pathname !== "/dir" || authority.window === null) return answer;
      const directory = (await answer.json()) as object;
      return Response.json({ ...directory, renewalInfo: `https://${host}/renewal-info` });
    },
  });
  afterAll(() => proxy.stop(true));
  authority.directory = `https://127.0.0.1:${proxy.port}/dir`;
  return authority;
}
