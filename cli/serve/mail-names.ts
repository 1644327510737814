import { hostname } from "node:os";
import { wholeAddress } from "../../src/base/network.ts";
import type { Mailbox } from "../../src/delivery/message.ts";
import { usage } from "../session/usage.ts";

/** A domain, or an address in brackets (RFC 5321, 4.1.3). */
const HELO = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|\[[0-9a-z.:]+\])$/i;
/** An address in place of a name, as the host of a URL. */
const ADDRESS = /^[\d.]+$|^\[/;
/** Domains of private networks. */
const PRIVATE = /\.(?:localdomain|local|internal|home\.arpa)$/;

/**
 * The name that mail servers are greeted with. Many refuse one without a dot, which most machines and every container have:
 * then it is that of the site or of the sender. Null if these have none either.
 */
export function heloOf(
  { mailHelo, publicUrl }: { mailHelo?: string; publicUrl?: string },
  { address }: Mailbox,
  option: string,
): string | null {
  if (mailHelo !== undefined) {
    if (mailHelo.length <= 255 && HELO.test(mailHelo)) return mailHelo;
    throw usage(
      `${option} ${mailHelo} is not a host name`,
      "it looks like mail.example.com, or [192.0.2.1] for an address",
    );
  }
  const urls = [`http://${hostname()}`, publicUrl ?? "", `http://${address.split("@").at(-1)}`];
  const names = urls.map((url) => (URL.canParse(url) ? new URL(url).hostname : ""));
  return (
    names.find(
      (name) => name.includes(".") && HELO.test(name) && !ADDRESS.test(name) && !PRIVATE.test(name),
    ) ?? null
  );
}

/** The name server of `FORMFLAG_DNS`: an IP address, with a port or without. Null for none. Throws `invalid`. */
export function nameServerOf(text: string | undefined): string | null {
  if (!text) return null;
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/.exec(text) ?? [];
  if (wholeAddress(bracketed ?? plain ?? text) !== null) return text;
  throw usage(`FORMFLAG_DNS=${text} is not an address and a port`, "write 192.0.2.53:53");
}
