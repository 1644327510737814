import { addressSpellings } from "../../base/address-spelling.ts";
import { createTurns } from "../../base/event-loop.ts";
import { childrenOf } from "../../base/json.ts";
import { type ControlFields, isHoneypotFilled } from "../intake/control-fields.ts";
import { MAX_SPAM_PATTERN } from "../limits.ts";
import { foldText, isJoinedInWord } from "../words.ts";
import { compilePatterns } from "./wildcards.ts";

/** Spam rules of a form's settings, besides honeypots. */
export type SpamRules = {
  /** Words or phrases; `*` stands for any characters within a word. */
  spamWords: readonly string[];
  /** Addresses; `*` stands for any characters. */
  spamEmails: readonly string[];
  /** Most links of a submission; null for any number. */
  spamLinks: number | null;
  /** Whether addresses at disposable mail services are spam. */
  spamDisposable: boolean;
};

/**
 * Why a submission is spam: `honeypot`, `email`, `word:` and the word as configured, `links` or `disposable`; null if
 * it is not. `data` is the submission without its control fields, as an object of parsed JSON.
 */
export type FindSpam = (data: object, control: ControlFields) => Promise<string | null> | string | null;

/**
 * Compiles rules into a check. Compile them once for a form: it costs up to a few milliseconds. The list of disposable
 * mail services is loaded with the first rules that need it. The check takes time linear in the submission, in turns with
 * other work.
 */
export async function compileSpamRules(rules: SpamRules): Promise<FindSpam> {
  const checks = [
    emailCheck(rules.spamEmails),
    wordCheck(rules.spamWords),
    linkCheck(rules.spamLinks),
    await disposableCheck(rules.spamDisposable),
  ].filter((check) => check !== null);
  return (data, control) => {
    if (isHoneypotFilled(control)) return "honeypot";
    if (checks.length === 0) return null;
    const content: Content = { texts: [], addresses: [] };
    collect(data, content);
    return firstReason(checks, content);
  };
}

async function firstReason(checks: readonly Check[], content: Content): Promise<string | null> {
  for (const check of checks) {
    const reason = await check(content);
    if (reason !== null) return reason;
  }
  return null;
}

/** Whether a text can be a spam word: 1 to 100 characters on one line, of which one is neither `*` nor a space. */
export function isSpamWord(text: string): boolean {
  if (text.length > MAX_SPAM_PATTERN || /\p{Cc}/u.test(text) || !text.isWellFormed()) return false;
  return foldText(text).replaceAll(/[* ]/g, "") !== "";
}

/**
 * Whether a text can be a pattern for addresses such as `*@spam.example` or `*.ru`: at most 100 characters without
 * spaces, and either with a wildcard beside other characters or an address.
 */
export function isEmailPattern(text: string): boolean {
  if (text.length > MAX_SPAM_PATTERN || /[\p{Cc}\s]/u.test(text) || !text.isWellFormed()) return false;
  const at = text.indexOf("@");
  if (text.replaceAll(/[*@.]/g, "") === "" || at !== text.lastIndexOf("@")) return false;
  // Without a wildcard beside it, an empty name or domain matches no address.
  return at === -1 ? text.includes("*") : at > 0 && at < text.length - 1;
}

/** Searched parts of a submission. */
type Content = {
  /** Every text at any depth, and numbers and booleans as text. */
  texts: string[];
  /** The texts that are one address, in lower case. */
  addresses: string[];
};

type Check = (content: Content) => Promise<string | null> | string | null;

function emailCheck(patterns: readonly string[]): Check | null {
  if (patterns.length === 0) return null;
  const find = compilePatterns(
    patterns.map((pattern) => pattern.toLowerCase()),
    () => true,
  );
  return async ({ addresses }) => {
    const takeTurns = createTurns();
    for (const address of addresses) if ((await find(address, takeTurns)) !== -1) return "email";
    return null;
  };
}

function wordCheck(words: readonly string[]): Check | null {
  if (words.length === 0) return null;
  const find = compilePatterns(words.map(foldText), isJoinedInWord);
  return async ({ texts }) => {
    let first = words.length;
    const takeTurns = createTurns();
    for (const text of texts) {
      const turn = takeTurns();
      if (turn !== undefined) await turn;
      const found = await find(foldText(text), takeTurns);
      if (found !== -1 && found < first) first = found;
    }
    return first === words.length ? null : `word:${words[first]}`;
  };
}

function linkCheck(most: number | null): Check | null {
  if (most === null) return null;
  return ({ texts }) => {
    let count = 0;
    for (const text of texts) if (text.includes("://")) count += text.match(/https?:\/\//gi)?.length ?? 0;
    return count > most ? "links" : null;
  };
}

async function disposableCheck(isOn: boolean): Promise<Check | null> {
  if (!isOn) return null;
  const { isDisposable } = await import("./disposable.ts");
  const isSpam = (address: string) => isDisposable(address.slice(address.indexOf("@") + 1));
  return ({ addresses }) => (addresses.some(isSpam) ? "disposable" : null);
}

function collect(value: unknown, content: Content): void {
  if (typeof value === "object" && value !== null) {
    for (const child of childrenOf(value)) collect(child, content);
  } else if (value !== null) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    content.texts.push(text);
    const address = addressIn(text);
    if (address === null) return;
    // A pattern may name a domain in ASCII or in Unicode, whatever the sender wrote.
    content.addresses.push(...new Set([address, ...addressSpellings(address)]));
  }
}

/** The longest local part, `@` and the longest domain (RFC 5321, 4.5.3.1). */
const MAX_ADDRESS = 64 + 1 + 255;

/**
 * The address in lower case, without the dot at the end of a fully qualified domain, of a text that is one address with
 * nothing but spaces around it; null for any other text. It accepts more than mail servers do: a name and a domain around
 * one `@`.
 */
function addressIn(text: string): string | null {
  // Longer texts are no address, whatever spaces surround it.
  if (!text.includes("@") || text.length > 2 * MAX_ADDRESS) return null;
  const trimmed = text.trim().toLowerCase();
  const address = trimmed.endsWith(".") ? trimmed.slice(0, -1) : trimmed;
  const at = address.indexOf("@");
  const isOne = at > 0 && at < address.length - 1 && at === address.lastIndexOf("@");
  return isOne && address.length <= MAX_ADDRESS && !/[\s,;<>]/.test(address) ? address : null;
}
