import { actorName } from "../../../access/source.ts";
import { parseUrl } from "../../../base/origins.ts";

/** Characters that a page must not show as they are: controls except tab and line breaks, and marks that turn the direction. */
// oxlint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** Any of those, or the CR of a line break. */
const IS_UNSEEN = new RegExp(UNSEEN.source);

/** A text with its control characters as their pictures (Unicode, U+2400 to U+2426); CR and CR LF are line breaks. */
export function visible(text: string): string {
  if (!IS_UNSEEN.test(text)) return text;
  return text.replace(/\r\n?/g, "\n").replace(UNSEEN, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : "\u2426";
  });
}

const whole = new Intl.NumberFormat("en");

/** A number with its thousands apart. Much faster than `toLocaleString`, which makes a format for each number. */
export function formatCount(value: number): string {
  return whole.format(value);
}

/** Text from elsewhere, isolated so that its writing direction does not affect the page. */
export function Foreign({ text }: { text: string }) {
  return <bdi dir="auto">{visible(text)}</bdi>;
}

/** The actor of a change, with the assistant that acted for them. */
export function Actor({ by }: { by: Parameters<typeof actorName>[0] }) {
  return <Foreign text={actorName(by)} />;
}

/** A value that was sent: a link only if all of it is an address of the web or of mail. */
export function ForeignValue({ text }: { text: string }) {
  const href = linkOf(text);
  if (href === null)
    return (
      <span class="value">
        <Foreign text={text} />
      </span>
    );
  return (
    <a class="value" href={href} rel="noopener noreferrer nofollow" target="_blank">
      <Foreign text={text} />
    </a>
  );
}

function linkOf(text: string): string | null {
  const value = text.trim();
  if (value.length > 2000 || /\s/.test(value) || !value.isWellFormed()) return null;
  if (/^[^@:/?#"<>\\]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(value)) return `mailto:${encodeURI(value)}`;
  if (!/^(https?:\/\/|mailto:)/i.test(value)) return null;
  return parseUrl(value)?.href ?? null;
}

/** `1 submission`, `1,200 submissions`. */
export function counted(count: number, noun = "submission", nouns = `${noun}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : nouns}`;
}

/** The first letters of a name in a circle; the name stands beside it. */
export function Avatar({ name }: { name: string }) {
  const letters = [...name.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu)].slice(0, 2).join("");
  return (
    <span class="avatar" aria-hidden="true">
      {letters.toUpperCase()}
    </span>
  );
}
