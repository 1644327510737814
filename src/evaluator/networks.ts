/** An address as a number of 128 bits; IPv4 is the part of IPv6 that maps it. Undefined for what is none. */
export function addressOf(text: string): bigint | undefined {
  if (text.length > 45) return undefined;
  const v4 = bitsOfV4(text);
  if (v4 !== undefined) return MAPPED | v4;
  return text.includes(":") ? bitsOfV6(text) : undefined;
}

/** The first `bits` of an address belong to the network. */
export type Network = { start: bigint; bits: number };

/**
 * Parses a network such as `10.0.0.0/8` or `2001:db8::/32`, or a single address. Returns undefined for any other text.
 */
export function networkOf(text: string): Network | undefined {
  const [address = "", length, ...more] = text.split("/", 3);
  const start = addressOf(address);
  if (start === undefined || more.length > 0) return undefined;
  const most = address.includes(":") ? 128 : 32;
  if (length === undefined) return { start, bits: 128 };
  if (!/^(?:0|[1-9]\d{0,2})$/.test(length) || Number(length) > most) return undefined;
  return { start, bits: Number(length) + 128 - most };
}

/** Networks in which an address is found in as many steps as they have different lengths. */
export class Networks {
  /** The beginnings of networks, by the bits that they leave out. */
  readonly #starts = new Map<bigint, Set<bigint>>();

  constructor(networks: readonly Network[]) {
    for (const { start, bits } of networks) {
      const shift = BigInt(128 - bits);
      const starts = this.#starts.get(shift) ?? new Set();
      this.#starts.set(shift, starts.add(start >> shift));
    }
  }

  /** Whether one of them holds an address. A network of IPv6 holds none of IPv4, which IPv6 maps to a part of its own. */
  has(address: bigint): boolean {
    const isV4 = address >> 32n === MAPPED >> 32n;
    for (const [shift, starts] of this.#starts)
      if (starts.has(address >> shift) && (!isV4 || shift <= 32n)) return true;
    return false;
  }
}

const MAPPED = 0xffff_0000_0000n;

function bitsOfV4(text: string): bigint | undefined {
  if (!/^(?:(?:0|[1-9]\d{0,2})(?:\.(?!$)|$)){4}$/.test(text)) return undefined;
  const bytes = text.split(".").map(Number);
  if (bytes.length !== 4 || bytes.some((byte) => byte > 255)) return undefined;
  return bytes.reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
}

function bitsOfV6(text: string): bigint | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half, at) => groupsOf(half, at === halves.length - 1));
  if (!head) return undefined;
  if (halves.length === 1) return head.length === 8 ? joined(head) : undefined;
  if (!tail || head.length + tail.length > 7) return undefined;
  return joined([...head, ...Array<bigint>(8 - head.length - tail.length).fill(0n), ...tail]);
}

/** Groups of 16 bits; the last two may be an IPv4 address. */
function groupsOf(text: string, isLast: boolean): bigint[] | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  const v4 = isLast ? bitsOfV4(parts.at(-1)!) : undefined;
  const groups = v4 === undefined ? parts : parts.slice(0, -1);
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return undefined;
  return [
    ...groups.map((group) => BigInt(`0x${group}`)),
    ...(v4 === undefined ? [] : [v4 >> 16n, v4 & 0xffffn]),
  ];
}

function joined(groups: readonly bigint[]): bigint {
  return groups.reduce((bits, group) => (bits << 16n) | group, 0n);
}
