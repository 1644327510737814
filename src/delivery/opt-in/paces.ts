import { DAY_MS } from "../../base/days.ts";
import { sha256 } from "../../base/sum.ts";
import { mailboxOf } from "../address.ts";
import type { Pace } from "../delivery.ts";
import { CONFIRMATION_LIMITS } from "../limits.ts";

const { ofForm, ofMailbox, apart } = CONFIRMATION_LIMITS;

/** How often a form asks senders to confirm, so that a stranger does not mail many addresses through it. */
export function paceOfForm(formKey: string): Pace {
  const hash = sha256(JSON.stringify(["confirmations of", formKey]));
  return { hash, most: ofForm, within: 3_600_000, apart: 0, waits: true };
}

/** How often the mailbox of an address is asked to confirm, over all forms. */
export function paceTo(address: string): Pace {
  return { hash: hashOf("confirmation", address), most: ofMailbox, within: DAY_MS, apart: apart * 1000 };
}

/** The same for what is sent, which may have waited for a mail server until then. */
export function paceOfSending(address: string): Pace {
  return { ...paceTo(address), hash: hashOf("confirmation sent", address), waits: true };
}

/** The hashes by which an address is known that was asked to confirm, in hex. */
export function paceHashes(address: string): string[] {
  return [paceTo(address).hash, paceOfSending(address).hash];
}

function hashOf(what: string, address: string): string {
  return sha256(JSON.stringify([what, mailboxOf(address)]));
}
