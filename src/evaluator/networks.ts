/** The address part that IPv6 maps IPv4 to. */
const MAPPED = "0".repeat(80) + "1".repeat(16);

/** The bits of an address, as a text; IPv4 is the part of IPv6 that maps it. Undefined for what is none. */
export function addressOf(text: string): string | undefined {
  if (text.length > 45) return undefined;
  const whole = text.replace(/(^|:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, colon: string, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.slice(0, 4).map(byteOf) as [number, number, number, number];
    return `${colon || "::ffff:"}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const halves = whole.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const [head = [], tail = []] = halves;
  const gap = 8 - head.length - tail.length;
  if (halves.length > 2 || (halves.length === 2 ? gap < 1 : gap !== 0)) return undefined;
  const groups = [...head, ...Array<string>(gap).fill("0"), ...tail];
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return undefined;
  return groups.map((group) => Number(`0x${group}`).toString(2).padStart(16, "0")).join("");
}

/** A part of an address of IPv4; not a number for what is none. */
function byteOf(text: string): number {
  return /^0\d/.test(text) || Number(text) > 255 ? Number.NaN : Number(text);
}

/**
 * The bits that addresses of a network such as `10.0.0.0/8` or `2001:db8::/32` begin with, or all of a single address. Undefined
 * for any other text.
 */
export function networkOf(text: string): string | undefined {
  const [address = "", length, ...more] = text.split("/", 3);
  const bits = addressOf(address);
  if (length === undefined || bits === undefined) return bits;
  const most = address.includes(":") ? 128 : 32;
  if (more.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(length) || Number(length) > most) return undefined;
  return bits.slice(0, 128 - most + Number(length));
}

/** Networks in which an address is found in as many steps as they have different lengths. */
export class Networks {
  readonly #networks: ReadonlySet<string>;
  readonly #lengths: ReadonlySet<number>;

  constructor(networks: readonly string[]) {
    this.#networks = new Set(networks);
    this.#lengths = new Set(networks.map(({ length }) => length));
  }

  /** Whether one of them holds an address. A network of IPv6 holds none of IPv4, which IPv6 maps to a part of its own. */
  has(address: string): boolean {
    const least = address.startsWith(MAPPED) ? MAPPED.length : 0;
    for (const length of this.#lengths)
      if (length >= least && this.#networks.has(address.slice(0, length))) return true;
    return false;
  }
}
