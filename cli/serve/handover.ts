import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { dlopen, ptr } from "bun:ffi";

/** From Linux's `asm-generic/socket.h`. */
const SOL_SOCKET = 1;
const SO_ATTACH_REUSEPORT_CBPF = 51;
/** The instruction of a packet filter that returns a constant: https://docs.kernel.org/networking/filter.html */
const BPF_RET_K = 0x06;

/** The C library of glibc, and those of musl. */
const LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

type SetSocketOption = (descriptor: number, level: number, name: number, value: Uint8Array) => boolean;

/**
 * Routes every new connection at a port that several sockets share (`SO_REUSEPORT`) to the socket at `index`, in the
 * order in which they began to listen. Connections that another socket has begun to accept stay there. `opened` is the
 * descriptor of any of the sockets. Returns false if the kernel does not support it.
 */
export function steerConnections(opened: number, index: number): boolean {
  const set = (setSocketOption ??= loadSetSocketOption());
  const filter = new ArrayBuffer(8);
  const instruction = new DataView(filter);
  instruction.setUint16(0, BPF_RET_K, true);
  instruction.setUint32(4, index, true);
  const program = new ArrayBuffer(16);
  const fields = new DataView(program);
  fields.setUint16(0, 1, true);
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
