import { own } from "../../src/base/shapes/own.ts";
import { AppError, systemCode } from "../../src/base/errors.ts";
import type { Site } from "../../src/http/site.ts";
import { readWhole } from "../session/read-whole.ts";
import { type Listen, localHost, urlHost } from "./address.ts";

/** A certificate chain and its private key, in PEM. */
export type Tls = { cert: string; key: string };

/** The sockets of one thread at an address, one for each recent certificate. */
export type Sockets = {
  /** Listens with another certificate too. */
  add: (tls: Tls) => Promise<void>;
  /** Makes each further answer of all but the newest the last one of its connection. */
  retireOld: () => Promise<void>;
  closeNewest: () => Promise<void>;
  closeOldest: () => Promise<void>;
};

/** An address that is listened on. */
export type Listener = {
  /** `http://HOST:PORT`, or https. */
  origin: string;
  /** The same as a program on this machine reaches it. */
  localOrigin: string;
  /** The port, also if a free one was asked for. */
  port: number;
  /** Its sockets, of which there is more than one only with certificates. */
  sockets: Sockets;
  /** Makes each further answer the last one of its connection. */
  retire: () => void;
  /** Takes no more connections; fulfils when the requests under way are answered. */
  stop: () => Promise<void>;
  /** Ends every connection. */
  end: () => Promise<void>;
};

/** The longest that Bun allows a connection to be silent, in seconds; less would cut slow senders off. */
const IDLE_TIMEOUT = 255;

/**
 * How long a socket with an old certificate serves its open connections, in milliseconds: longer than any may be idle.
 */
export const RETIREMENT = (IDLE_TIMEOUT + 5) * 1000;

/** Bodies are counted as they are read; the runtime's own limit would send an empty answer. */
const MAX_BODY = Number.MAX_SAFE_INTEGER;

type Server = Bun.Server<undefined>;

/** One listening socket: `retire` makes each further answer the last one of its connection. */
type Socket = { server: Server; retire: () => void };

/** Whether a socket listens alone at its address, or is the first or another one of several threads there. */
type Role = "alone" | "first" | "other";

/** Serves a site at an address, which `option` names. Throws `unavailable` if the address cannot be listened on. */
export function listen(
  { hostname, port }: Listen,
  site: Site,
  tls: Tls | null,
  report: (error: unknown) => void,
  role: Role = "alone",
  option = "--listen",
): Listener {
  /** The sockets that share the port, one for each recent certificate, the oldest first. */
  const sockets: Socket[] = [];
  /** Servers that take no more connections. */
  const stopping = new Map<Server, Promise<void>>();
  const scheme = tls ? "https" : "http";

  const open = (port: number, tls: Tls | null): Socket => {
    // So that the port can be listened at by other threads, and with the next certificate.
    const sharesPort = SHARES_PORTS && (tls !== null || role !== "alone");
    const socket = openSocket(hostname, port, site, { tls, sharesPort, report });
    sockets.push(socket);
    return socket;
  };
  const stop = ({ server }: Socket) => {
    stopping.set(
      server,
      server.stop().then(() => void stopping.delete(server)),
    );
  };
  let first: Server;
  try {
    if (role === "first" || (role === "alone" && tls !== null)) refuseShared(hostname, port);
    first = open(port, tls).server;
  } catch (error) {
    throw addressError(error, `${hostname}:${port}`, option);
  }
  const { port: bound = port } = first;
  return {
    origin: `${scheme}://${originOf(first)}`,
    localOrigin: `${scheme}://${localHost(hostname)}:${bound}`,
    port: bound,
    sockets: {
      async add(tls) {
        open(bound, tls);
      },
      async retireOld() {
        for (const socket of sockets.slice(0, -1)) socket.retire();
      },
      async closeNewest() {
        stop(sockets.pop()!);
      },
      async closeOldest() {
        stop(sockets.shift()!);
      },
    },
    retire() {
      for (const socket of sockets) socket.retire();
    },
    async stop() {
      for (const socket of sockets) stop(socket);
      await Promise.all(stopping.values());
    },
    async end() {
      const servers = [...sockets.map(({ server }) => server), ...stopping.keys()];
      await Promise.all(servers.map((server) => server.stop(true)));
    },
  };
}

/** As {@link listen}, with the error of {@link whyNoAddress}. */
export async function listenAt(...[address, ...rest]: Parameters<typeof listen>): Promise<Listener> {
  try {
    return listen(address, ...rest);
  } catch (error) {
    throw await whyNoAddress(error, address);
  }
}

/** The error for an address that the server cannot listen on: a host without an address has another than one in use. */
export async function whyNoAddress(
  error: unknown,
  { hostname, port }: Listen,
  option?: string,
): Promise<unknown> {
  // The runtime has one code for both.
  let cause = error;
  try {
    await process.getBuiltinModule("node:dns/promises").lookup(hostname);
  } catch (unknown) {
    cause = unknown;
  }
  return addressError(cause, `${hostname}:${port}`, option);
}

function openSocket(
  hostname: string,
  port: number,
  site: Site,
  { tls, sharesPort, report }: { tls: Tls | null; sharesPort: boolean; report: (error: unknown) => void },
): Socket {
  let isRetired = false;
  const peerOf = (request: Request): string => server.requestIP(request)?.address ?? "";
  // A request under way when the socket retires is the last of its connection too.
  const finish = (answer: Response) => (isRetired ? asLast(answer) : answer);
  const routes = Object.fromEntries(
    site.hot.map(({ method, path, parameter, handle }) => [
      path,
      {
        [method]: (request: Bun.BunRequest): Response | Promise<Response> => {
          // Reading the parameters of a path without any would create an object.
          const value = parameter === "" ? "" : (request.params as Record<string, string>)[parameter];
          return handle(request, value ?? "", peerOf, finish);
        },
      },
    ]),
  );
  const server: Server = Bun.serve({
    hostname,
    port,
    ...(tls ? { tls } : {}),
    routes,
    development: false,
    reusePort: sharesPort,
    idleTimeout: IDLE_TIMEOUT,
    maxRequestBodySize: MAX_BODY,
    fetch: async (request) => finish(await site.fetch(request, peerOf)),
    error(error) {
      report(error);
      return Response.json({ error: true, code: 500, message: "internal error" }, { status: 500 });
    },
  });
  return { server, retire: () => void (isRetired = true) };
}

function asLast(answer: Response): Response {
  answer.headers.set("Connection", "close");
  return answer;
}

/** Windows has no SIGHUP, and lets any program share a port. */
const SHARES_PORTS = process.platform !== "win32";

/** Throws if anything listens at the address, because a socket that shares its port could join another one's. */
function refuseShared(hostname: string, port: number): void {
  if (port !== 0)
    void Bun.serve({ hostname, port, reusePort: false, fetch: () => new Response() }).stop(true);
}

const ADDRESS_ERRORS: Readonly<Record<string, string>> = {
  ENOTFOUND: "has no address here: no such host is known",
  EAI_AGAIN: "has no address here: no name server answers",
  EADDRINUSE: "is in use",
  EACCES: "may not be used",
  EADDRNOTAVAIL: "is not an address of this machine",
  EINVAL: "is not an address of this machine",
};

/** The error of an address that cannot be listened on, which `option` names. */
export function addressError(error: unknown, address: string, option = "--listen"): unknown {
  const code = systemCode(error);
  const reason = own(ADDRESS_ERRORS, code);
  if (reason === undefined) return error;
  const isLow = code === "EACCES" && Number(/\d+$/.exec(address)?.[0]) < 1024;
  return new AppError("unavailable", `the address ${address} ${reason}`, {
    hint: isLow
      ? "ports under 1024 are for root, and for the service that formflag service install makes"
      : `choose another with ${option}, or stop what uses it`,
  });
}

/** Avoids `server.url`, which takes as long as starting to listen. */
function originOf({ hostname = "", port }: Bun.Server<undefined>): string {
  return `${urlHost(hostname)}:${port}`;
}

/**
 * Reads a certificate and its key. Throws `forbidden` for files that cannot be read, `invalid` if they do not belong
 * together.
 */
export async function readTls(files: Tls): Promise<Tls> {
  const [cert, key] = await Promise.all([readPem(files.cert, "--tls-cert"), readPem(files.key, "--tls-key")]);
  try {
    process.getBuiltinModule("node:tls").createSecureContext({ cert, key });
  } catch (error) {
    throw new AppError(
      "invalid",
      `${files.cert} and ${files.key} are not a certificate and its private key`,
      {
        hint: "both have to be in PEM, and belong together",
        cause: error,
      },
    );
  }
  return { cert, key };
}

async function readPem(file: string, option: string): Promise<string> {
  try {
    return await readWhole(file);
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid") throw error;
    const why = error instanceof AppError ? error.message : `the file ${file} cannot be read`;
    throw new AppError("forbidden", `${option}: ${why}`, { cause: error });
  }
}
