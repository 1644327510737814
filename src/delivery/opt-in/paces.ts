import { DAY_MS, HOUR_MS } from "../../base/days.ts";
import { sha256 } from "../../base/sum.ts";
import { mailboxOf } from "../address.ts";
import type { Pace } from "../delivery.ts";
import { AUTOREPLY_LIMITS, CONFIRMATION_LIMITS } from "../limits.ts";

const { ofForm, ofMailbox, apart } = CONFIRMATION_LIMITS;

/** How often a form asks senders to confirm, so that a stranger does not mail many addresses through it. */
export function paceOfForm(formKey: string): Pace {
  const hash = sha256(JSON.stringify(["confirmations of", formKey]));
  return { hash, most: ofForm, within: HOUR_MS, apart: 0, waits: true };
}

/** How often the mailbox of an address is asked to confirm, over all forms. */
export function paceTo(address: string): Pace {
  return { hash: hashOf("confirmation", address), most: ofMailbox, within: DAY_MS, apart: apart * 1000 };
}

/** The same for what is sent, which may have waited for a mail server until then. */
export function paceOfSending(address: string): Pace {
  return { ...paceTo(address), hash: hashOf("confirmation sent", address), waits: true };
}

/** How often a form replies by itself, as it is sent: replies may have waited for a mail server until then. */
export function paceOfReplies(formKey: string): Pace {
  const hash = sha256(JSON.stringify(["automatic replies of", formKey]));
  return { hash, most: AUTOREPLY_LIMITS.ofForm, within: HOUR_MS, apart: 0, waits: true };
}

/** The hash of the mailbox of an address that was sent an automatic reply of a form, in hex. */
export function sentReplyHash(formKey: string, address: string): string {
  return sha256(JSON.stringify(["automatic reply sent", formKey, mailboxOf(address)]));
}

/** The hashes by which an address is known that was asked to confirm, in hex. */
export function paceHashes(address: string): string[] {
  return [paceTo(address).hash, paceOfSending(address).hash];
}

function hashOf(what: string, address: string): string {
  return sha256(JSON.stringify([what, mailboxOf(address)]));
}
