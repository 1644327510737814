import { systemCode } from "../../src/base/errors.ts";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { dlopen, ptr } from "bun:ffi";

/** From Linux's `asm-generic/socket.h`. */
export const SOL_SOCKET = 1;
export const IPPROTO_TCP = 6;

/** `AF_INET` and `AF_INET6`. */
const INTERNET: ReadonlySet<number> = new Set([2, 10]);

/** The C library of glibc, and those of musl. */
const LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

type Options = {
  set: (descriptor: number, level: number, name: number, value: Uint8Array) => boolean;
  /** Reads an option into `value`. */
  get: (descriptor: number, level: number, name: number, value: Uint8Array) => boolean;
  /** The port of this side; null for a socket that has none. */
  portOf: (descriptor: number) => number | null;
};

let options: Options | undefined;

/** The options of sockets. `set` and `get` return false if the kernel does not support one. */
export function socketOptions(): Options {
  return (options ??= load());
}

function load(): Options {
  for (const library of LIBRARIES) {
    try {
      const { symbols } = dlopen(library, {
        setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" },
        getsockname: { args: ["i32", "ptr", "ptr"], returns: "i32" },
        getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
      });
      return {
        set: (descriptor, level, name, value) =>
          symbols.setsockopt(descriptor, level, name, ptr(value), value.byteLength) === 0,
        get: (descriptor, level, name, value) =>
          symbols.getsockopt(
            descriptor,
            level,
            name,
            ptr(value),
            ptr(new Uint32Array([value.byteLength])),
          ) === 0,
        portOf(descriptor) {
          const address = new Uint8Array(128);
          if (symbols.getsockname(descriptor, ptr(address), ptr(new Uint32Array([128]))) !== 0) return null;
          const view = new DataView(address.buffer);
          const isInternet = INTERNET.has(view.getUint16(0, true));
          return isInternet ? view.getUint16(2) : null;
        },
      };
    } catch {
      // Not the library of this system: the next one may be.
    }
  }
  return { set: () => false, get: () => false, portOf: () => null };
}

/** Instructions of a packet filter, as code and constant: https://docs.kernel.org/networking/filter.html */
export type Instruction = [code: number, constant: number];

/** Sets an option of a socket whose value is a packet filter. */
export function setFilter(descriptor: number, name: number, instructions: Instruction[]): boolean {
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
  return socketOptions().set(descriptor, SOL_SOCKET, name, new Uint8Array(program));
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
    if (systemCode(error) === "ENOENT") return "";
    throw error;
  }
}
