import { existsSync, readFileSync } from "node:fs";
import { clock } from "../../src/base/clock.ts";
import {
  type Instruction,
  IPPROTO_TCP,
  SOL_SOCKET,
  openSockets,
  setFilter,
  socketOptions,
} from "./socket-options.ts";

/** From Linux's `asm-generic/socket.h` and `linux/tcp.h`. */
const [SO_ATTACH_FILTER, SO_ACCEPTCONN, SO_DOMAIN, TCP_INFO] = [26, 30, 39, 11];
const AF_INET6 = 10;
/** Places in `struct tcp_info`. Of a socket that listens, `tcpi_unacked` is how many connections wait to be accepted. */
const [TCPI_STATE, TCPI_UNACKED, TCPI_LAST_DATA_RECV, TCPI_BYTES_RECEIVED] = [0, 24, 52, 128];
const ESTABLISHED = 1;

/**
 * The flags of TCP, of which SYN and ACK are kept and SYN is turned; what is left is 0 for the first packet of a connection,
 * which is dropped, and else more than any packet has bytes, all of which are kept.
 */
const DROP_FIRST_PACKETS: Instruction[] = [
  [0x30, 13],
  [0x54, 0x12],
  [0xa4, 0x02],
  [0x24, 0x1_00_00_00],
  [0x16, 0],
];

/** How long a connection may take from its first packet to its last, or between two of a request, in milliseconds: a round trip. */
const ARRIVAL_MS = 50;

/** Every connection of this system by its state, the first packet of which is answered, but not yet the answer (proc_net_tcp). */
const [OVER_IPV4, OVER_IPV6] = ["/proc/net/tcp", "/proc/net/tcp6"];
/** How many there are, and how many of these are few. */
const [COUNTS, FEW] = ["/proc/net/sockstat", 500];
const BEGUN = /^ *\d+: [\dA-F]+:([\dA-F]{4}) [\dA-F]+:[\dA-F]{4} 03 /gm;

/** How often to check for connections without a request, and for how long at most: some clients connect and wait. */
const CHECK_MS = 10;
const MOST_MS = 500;

/**
 * Begins no more connections at any address of this process, and fulfils once the ones already begun are accepted and their
 * requests have arrived. Without this, closing a socket resets all that wait there. A client that tries then tries
 * again a second later, and is refused, or finds the next server. Does nothing if the kernel does not support it.
 */
export async function takeLastConnections(): Promise<void> {
  const listening = [...openSockets().values()].filter(isListening);
  const closed = listening.filter((each) => setFilter(each, SO_ATTACH_FILTER, DROP_FIRST_PACKETS));
  if (closed.length === 0) return;
  const ports = new Set(closed.map((each) => socketOptions().portOf(each)));
  // Each table takes milliseconds. What arrives over IPv4 at a socket of IPv6 is in that of IPv6.
  const tables = closed.some(isOverIpv6) ? [OVER_IPV4, OVER_IPV6] : [OVER_IPV4];
  for (let waited = 0; waited < MOST_MS; waited += CHECK_MS) {
    const isAwaited =
      (waited < ARRIVAL_MS && hasBegun(ports, tables)) ||
      closed.some(hasWaiting) ||
      [...openSockets().values()].some((each) => isArriving(each, ports));
    if (!isAwaited) return;
    await clock.sleep(CHECK_MS);
  }
}

/** Whether the table is read in less time than a connection takes to arrive. */
function areFew(): boolean {
  const text = existsSync(COUNTS) ? readFileSync(COUNTS, "latin1") : "";
  const counts = /^TCP: inuse (\d+) orphan \d+ tw (\d+)/m.exec(text);
  return counts !== null && Number(counts[1]) + Number(counts[2]) < FEW;
}

/** Whether a connection at one of the ports waits for the packet with which it can be accepted. */
function hasBegun(ports: ReadonlySet<number | null>, tables: readonly string[]): boolean {
  if (!tables.every((file) => existsSync(file)) || !areFew()) return true;
  return tables.some((file) => {
    const begun = readFileSync(file, "latin1").matchAll(BEGUN);
    return begun.some(([, port]) => ports.has(Number.parseInt(port!, 16)));
  });
}

function isListening(descriptor: number): boolean {
  return numberOf(descriptor, SO_ACCEPTCONN) === 1;
}

function isOverIpv6(descriptor: number): boolean {
  return numberOf(descriptor, SO_DOMAIN) === AF_INET6;
}

/** A small option of a socket; null if the kernel does not support it. */
function numberOf(descriptor: number, option: number): number | null {
  const value = new Uint8Array(4);
  return socketOptions().get(descriptor, SOL_SOCKET, option, value) ? value[0]! : null;
}

function hasWaiting(descriptor: number): boolean {
  const info = infoOf(descriptor);
  return info !== null && info.getUint32(TCPI_UNACKED, true) > 0;
}

/** Whether a socket is a connection at one of the ports that has sent nothing yet, or something a moment ago. */
function isArriving(descriptor: number, ports: ReadonlySet<number | null>): boolean {
  const info = infoOf(descriptor);
  if (info?.getUint8(TCPI_STATE) !== ESTABLISHED || !ports.has(socketOptions().portOf(descriptor)))
    return false;
  return (
    info.getBigUint64(TCPI_BYTES_RECEIVED, true) === 0n ||
    info.getUint32(TCPI_LAST_DATA_RECV, true) < ARRIVAL_MS
  );
}

function infoOf(descriptor: number): DataView | null {
  const info = new Uint8Array(256);
  return socketOptions().get(descriptor, IPPROTO_TCP, TCP_INFO, info) ? new DataView(info.buffer) : null;
}
