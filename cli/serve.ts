import { AppError } from "../src/errors.ts";
import { createAddressList, isAddressRange } from "../src/http/address.ts";
import { createFlagsService } from "../src/http/flags.ts";
import { createFormsService } from "../src/http/forms.ts";
import { createLinks } from "../src/http/links.ts";
import { createSite, type Services, type Site } from "../src/http/site.ts";
import { recoverUploads } from "../src/submissions.ts";
import type { Io } from "./io.ts";
import { createLog, type Log } from "./log.ts";
import { lockData, openApp } from "./open.ts";
import { listenValue, usage, type Listen } from "./values.ts";
import { VERSION } from "./version.ts";

/** What `serve` was told, checked. */
export type ServeConfig = {
  data: string;
  listen: Listen;
  formsListen: Listen | null;
  flagsListen: Listen | null;
  adminListen: Listen | null;
  publicUrl: string | null;
  trustedProxies: string[];
};

/** How long requests under way may take to finish once the server is told to stop, in milliseconds. */
const GRACE = 10_000;

/** The longest that Bun allows a connection to be silent, in seconds; less would cut slow senders off. */
const IDLE_TIMEOUT = 255;

/** Bodies are counted as they are read; the runtime's own limit would answer without a body. */
const MAX_BODY = Number.MAX_SAFE_INTEGER;

/** Serves until SIGTERM or SIGINT. Throws `unavailable`, `forbidden` or `unsupported` where it cannot start. */
export async function serve(config: ServeConfig, io: Io): Promise<void> {
  const log = createLog(io);
  const app = openApp(config.data, "thread");
  const servers: Bun.Server<undefined>[] = [];
  let unlock: (() => void) | undefined;
  try {
    unlock = lockData(config.data);
    const recovered = await recoverUploads(app);
    if (recovered > 0) log.line(`removed ${recovered} files of submissions that a crash cut off`);
    for (const { listen, site } of placeServices(config, app, log)) servers.push(listenOn(listen, site, log));
    const stopped = stopSignal();
    // In plain words in either format: scripts wait for it.
    for (const server of servers) io.err(`listening on ${originOf(server)}\n`);
    log.line(`stopping on ${await stopped}`);
    const finished = Promise.all(servers.map((server) => server.stop()));
    await Promise.race([finished, Bun.sleep(GRACE)]);
  } finally {
    await Promise.all(servers.map((server) => server.stop(true)));
    await app.store.close();
    unlock?.();
    log.flush();
    await io.settle();
  }
  process.exit(0);
}

/** Which services stand at which address: all at `--listen` but those that were given one of their own. */
function placeServices(
  config: ServeConfig,
  app: ReturnType<typeof openApp>,
  log: Log,
): { listen: Listen; site: Site }[] {
  const { report } = log;
  const links = createLinks(config.publicUrl, app.random);
  const all = {
    forms: createFormsService(app, links, report),
    flags: createFlagsService(app, report),
    admin: async () => {
      const { createAdminApp } = await import("../src/http/admin.ts");
      return createAdminApp(app, { version: VERSION, report });
    },
  };
  const own = { forms: config.formsListen, flags: config.flagsListen, admin: config.adminListen };
  const placed = new Map<string, { listen: Listen; services: Services }>();
  for (const name of ["forms", "flags", "admin"] as const) {
    const listen = own[name] ?? config.listen;
    // Port 0 is another port each time it is asked for by name.
    const key = `${listen.hostname} ${listen.port === 0 && own[name] ? name : listen.port}`;
    const place = placed.get(key) ?? { listen, services: {} };
    placed.set(key, { ...place, services: { ...place.services, [name]: all[name] } });
  }
  const isTrustedProxy = createAddressList(config.trustedProxies);
  return [...placed.values()].map(({ listen, services }) => ({
    listen,
    site: createSite(services, { app, isTrustedProxy, log: log.request, report }),
  }));
}

function listenOn({ hostname, port }: Listen, site: Site, log: Log): Bun.Server<undefined> {
  type Server = Bun.Server<undefined>;
  const peerOf = (request: Request, server: Server) => () => server.requestIP(request)?.address ?? "";
  const routes = Object.fromEntries(
    site.hot.map(({ path, parameter, handle }) => [
      path,
      (request: Bun.BunRequest, server: Server) =>
        handle(request, (request.params as Record<string, string>)[parameter] ?? "", peerOf(request, server)),
    ]),
  );
  try {
    return Bun.serve({
      hostname,
      port,
      routes,
      development: false,
      reusePort: false,
      idleTimeout: IDLE_TIMEOUT,
      maxRequestBodySize: MAX_BODY,
      fetch: (request, server) => site.fetch(request, peerOf(request, server)),
      error(error) {
        log.report(error);
        return Response.json({ error: true, code: 500, message: "internal error" }, { status: 500 });
      },
    });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const reason = {
      EADDRINUSE: "is in use",
      EACCES: "may not be used",
      EADDRNOTAVAIL: "is none of this machine",
      EINVAL: "is none of this machine",
    }[code];
    if (reason === undefined) throw error;
    throw new AppError("unavailable", `the address ${hostname}:${port} ${reason}`, {
      hint: "choose another with --listen, or stop what uses it",
    });
  }
}

/** Not by way of `server.url`, which takes as long as starting to listen. */
function originOf({ hostname = "", port }: Bun.Server<undefined>): string {
  return `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

/** Fulfils with the first signal to stop; a second one ends the process at once. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const [signal, code] of [
      ["SIGTERM", 143],
      ["SIGINT", 130],
    ] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(code));
        resolve(signal);
      });
    }
  });
}

/** The options of `serve` as a configuration. Throws `invalid`. */
export function readServeConfig(options: Record<string, unknown>): ServeConfig {
  const given = options as ServeOptions;
  const publicUrl = given.publicUrl ?? null;
  if (publicUrl !== null && !(URL.canParse(publicUrl) && /^https?:$/.test(new URL(publicUrl).protocol))) {
    throw usage(`--public-url ${publicUrl} is no web address`, "it looks like https://forms.example.com");
  }
  const trustedProxies = given.trustedProxy ?? [];
  for (const range of trustedProxies) {
    if (!isAddressRange(range))
      throw usage(`--trusted-proxy ${range} is no address range`, "it looks like 10.0.0.0/8");
  }
  const own = (text: string | undefined, option: string) =>
    text === undefined ? null : listenValue(text, option);
  return {
    data: given.data,
    listen: listenValue(given.listen, "--listen"),
    formsListen: own(given.formsListen, "--forms-listen"),
    flagsListen: own(given.flagsListen, "--flags-listen"),
    adminListen: own(given.adminListen, "--admin-listen"),
    publicUrl,
    trustedProxies,
  };
}

type ServeOptions = {
  data: string;
  listen: string;
  formsListen?: string;
  flagsListen?: string;
  adminListen?: string;
  publicUrl?: string;
  trustedProxy?: string[];
};
