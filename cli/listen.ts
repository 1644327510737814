import { AppError } from "../src/errors.ts";
import type { Site } from "../src/http/site.ts";
import type { Listen } from "./values.ts";

/** A certificate chain and its private key, in PEM. */
export type Tls = { cert: string; key: string };

/** An address that is listened on. */
export type Listener = {
  /** `http://HOST:PORT`, or https. */
  origin: string;
  /** Listens at the same address with another certificate; what is under way goes on with the old one. */
  renew: (tls: Tls) => void;
  /** Takes no more connections; fulfils when the requests under way are answered. */
  stop: () => Promise<void>;
  /** Ends every connection. */
  end: () => Promise<void>;
};

/** The longest that Bun allows a connection to be silent, in seconds; less would cut slow senders off. */
const IDLE_TIMEOUT = 255;

/** Bodies are counted as they are read; the runtime's own limit would answer without a body. */
const MAX_BODY = Number.MAX_SAFE_INTEGER;

/** Serves a site at an address. Throws `unavailable` where it cannot be listened at. */
export function listen(
  { hostname, port }: Listen,
  site: Site,
  tls: Tls | null,
  report: (error: unknown) => void,
): Listener {
  type Server = Bun.Server<undefined>;
  const peerOf = (request: Request, server: Server) => () => server.requestIP(request)?.address ?? "";
  const routes = Object.fromEntries(
    site.hot.map(({ path, parameter, handle }) => [
      path,
      (request: Bun.BunRequest, server: Server) =>
        handle(request, (request.params as Record<string, string>)[parameter] ?? "", peerOf(request, server)),
    ]),
  );
  const serve = (port: number, tls: Tls | null) =>
    Bun.serve({
      hostname,
      port,
      ...(tls ? { tls } : {}),
      routes,
      development: false,
      reusePort: false,
      idleTimeout: IDLE_TIMEOUT,
      maxRequestBodySize: MAX_BODY,
      fetch: (request, server) => site.fetch(request, peerOf(request, server)),
      error(error) {
        report(error);
        return Response.json({ error: true, code: 500, message: "internal error" }, { status: 500 });
      },
    });
  let current: Server;
  try {
    current = serve(port, tls);
  } catch (error) {
    throw addressError(error, `${hostname}:${port}`);
  }
  const { port: bound = port } = current;
  /** Those that only finish what is under way, the current one among them once it is told to stop. */
  const stopping = new Map<Server, Promise<void>>();
  const stop = (server: Server) => {
    const stopped = server.stop().then(() => void stopping.delete(server));
    stopping.set(server, stopped);
  };
  return {
    origin: `${tls ? "https" : "http"}://${originOf(current)}`,
    renew(tls) {
      if (stopping.has(current)) return;
      stop(current);
      current = serve(bound, tls);
    },
    async stop() {
      stop(current);
      await Promise.all(stopping.values());
    },
    end: async () =>
      void (await Promise.all([current, ...stopping.keys()].map((server) => server.stop(true)))),
  };
}

function addressError(error: unknown, address: string): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reason = {
    EADDRINUSE: "is in use",
    EACCES: "may not be used",
    EADDRNOTAVAIL: "is none of this machine",
    EINVAL: "is none of this machine",
  }[code];
  if (reason === undefined) return error;
  return new AppError("unavailable", `the address ${address} ${reason}`, {
    hint: "choose another with --listen, or stop what uses it",
  });
}

/** Not by way of `server.url`, which takes as long as starting to listen. */
function originOf({ hostname = "", port }: Bun.Server<undefined>): string {
  return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

/** Reads a certificate and its key. Throws `forbidden` for files that cannot be read, `invalid` for what is in them. */
export async function readTls(files: Tls): Promise<Tls> {
  const [cert, key] = await Promise.all([readPem(files.cert, "--tls-cert"), readPem(files.key, "--tls-key")]);
  try {
    process.getBuiltinModule("node:tls").createSecureContext({ cert, key });
  } catch (error) {
    throw new AppError("invalid", `${files.cert} and ${files.key} are no certificate with its private key`, {
      hint: "both have to be in PEM, and belong together",
      cause: error,
    });
  }
  return { cert, key };
}

async function readPem(file: string, option: string): Promise<string> {
  try {
    return await Bun.file(file).text();
  } catch (error) {
    throw new AppError("forbidden", `${option}: the file ${file} cannot be read`, { cause: error });
  }
}
