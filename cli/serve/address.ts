import { own } from "../../src/base/shapes/own.ts";
import { usage } from "../session/usage.ts";

export type Listen = { hostname: string; port: number };

/** Parses `HOST:PORT`, `:PORT`, `PORT` or `[IPv6]:PORT`. Default host: 127.0.0.1. Throws `invalid`. */
export function listenValue(text: string, option: string): Listen {
  const match = /^(?:(\[[0-9a-fA-F:.]+\]|[^\s:[\]/]*):)?(\d{1,5})$/.exec(text.replace(/^https?:\/\//, ""));
  const port = Number(match?.[2]);
  if (!match || port > 65_535)
    throw usage(
      `${option} ${text} is not an address`,
      "addresses look like 127.0.0.1:8787, [::1]:8787 or 8787",
    );
  if (match[1] === "*")
    throw usage(
      `${option} ${text} is not an address`,
      `every address of this machine is ${option} 0.0.0.0:${port}, or [::]:${port} with IPv6`,
    );
  const hostname = match[1]?.replace(/^\[|\]$/g, "") || "127.0.0.1";
  if (!isHost(hostname))
    throw usage(
      `${option} ${text} is not an address`,
      `${hostname} is not an IP address or the name of a host; addresses look like 127.0.0.1:8787, [::1]:8787 or 8787`,
    );
  return { hostname, port };
}

const LABEL = "[a-z\\d_](?:[a-z\\d_-]*[a-z\\d_])?";
const NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*\\.?$`, "i");

/** Whether a text is an IP address or a name; one whose last label is a number is an address or nothing (URL standard). */
function isHost(text: string): boolean {
  if (text.length > 253) return false;
  // The module of the runtime that knows all addresses takes long to load, for one of IPv6 alone.
  if (!NAME.test(text)) return process.getBuiltinModule("node:net").isIP(text) !== 0;
  return !/(?:^|\.)\d+\.?$/.test(text) || URL.parse(`http://${text}`)?.hostname === text;
}

/** Wildcard addresses can be listened on, but not connected to. */
const ANY: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** The host by which a program on this machine reaches an address that is listened on, as in a URL. */
export function localHost(hostname: string): string {
  return urlHost(own(ANY, hostname) ?? hostname);
}

/** A host as written in a URL: IPv6 in brackets. */
export function urlHost(hostname: string): string {
  return hostname.includes(":") ? `[${hostname}]` : hostname;
}
