import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { dlopen, ptr } from "bun:ffi";

/** From Linux's `asm-generic/socket.h`. */
const SOL_SOCKET = 1;
const SO_ATTACH_REUSEPORT_CBPF = 51;
/** Instructions of a packet filter, as code and constant: https://docs.kernel.org/networking/filter.html */
type Instruction = [code: number, constant: number];
const returnConstant = (constant: number): Instruction => [0x06, constant];
/** A random number (`SKF_AD_OFF + SKF_AD_RANDOM`), its remainder by `count`, that plus `first`, and the return of it. */
const returnOneOf = (first: number, count: number): Instruction[] => [
  [0x20, 0xff_ff_f0_38],
  [0x94, count],
  [0x04, first],
  [0x16, 0],
];

/** The C library of glibc, and those of musl. */
const LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

type SetSocketOption = (descriptor: number, level: number, name: number, value: Uint8Array) => boolean;

/**
 * Routes every new connection at a port that several sockets share (`SO_REUSEPORT`) to one of `count` sockets from `first`
 * on, in the order in which they began to listen. Connections that another socket has begun to accept stay there. `opened`
 * is the descriptor of any of the sockets. Returns false if the kernel does not support it.
 */
export function steerConnections(opened: number, first: number, count = 1): boolean {
  const set = (setSocketOption ??= loadSetSocketOption());
  const instructions = count === 1 ? [returnConstant(first)] : returnOneOf(first, count);
  const filter = new ArrayBuffer(8 * instructions.length);
  const view = new DataView(filter);
  for (const [index, [code, constant]] of instructions.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint32(index * 8 + 4, constant, true);
  }
  const program = new ArrayBuffer(16);
  const fields = new DataView(program);
  fields.setUint16(0, instructions.length, true);
  fields.setBigUint64(8, BigInt(ptr(filter)), true);
  return set(opened, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, new Uint8Array(program));
}

let setSocketOption: SetSocketOption | undefined;

function loadSetSocketOption(): SetSocketOption {
  for (const library of LIBRARIES) {
    try {
      const { symbols } = dlopen(library, {
        setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" },
      });
      return (descriptor, level, name, value) =>
        symbols.setsockopt(descriptor, level, name, ptr(value), value.byteLength) === 0;
    } catch {
      // Not the library of this system: the next one may be.
    }
  }
  return () => false;
}

/** The sockets of this process: a name that is never used again, with the descriptor. Empty on systems other than Linux. */
export function openSockets(): Map<string, number> {
  const sockets = new Map<string, number>();
  if (!existsSync(DESCRIPTORS)) return sockets;
  for (const descriptor of readdirSync(DESCRIPTORS)) {
    const name = nameOf(descriptor);
    if (name.startsWith("socket:")) sockets.set(name, Number(descriptor));
  }
  return sockets;
}

const DESCRIPTORS = "/proc/self/fd";

function nameOf(descriptor: string): string {
  try {
    return readlinkSync(join(DESCRIPTORS, descriptor));
  } catch (error) {
    // The descriptor of the listing itself is closed by now.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}
