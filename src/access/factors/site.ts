import { isIP } from "node:net";
import { AppError } from "../../base/errors.ts";
import { isLoopbackHost } from "../../base/network.ts";

/** The address of a dashboard in the browser: passkeys belong to its host. */
export type Site = { origin: string; host: string };

/** The site of an origin. Throws `invalid` for an address, which can have no passkeys (WebAuthn, 5.1.2). */
export function siteOf(origin: string): Site {
  const { hostname, port, protocol } = new URL(origin);
  if (isIP(hostname.replace(/^\[|\]$/g, "")) === 0) return { origin, host: hostname };
  const name = `${protocol}//localhost${port === "" ? "" : `:${port}`}`;
  const hint = isLoopbackHost(hostname)
    ? `open the dashboard at ${name}`
    : "give the server a name and HTTPS, and open the dashboard there";
  throw new AppError("invalid", `passkeys need a name, and ${hostname} is an address: ${hint}`, {
    reason: "passkey-address",
  });
}
