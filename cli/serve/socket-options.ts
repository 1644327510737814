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

/**
 * Memory for system calls. An array that nothing but an address refers to may be collected before the call, so these live
 * as long as the process.
 */
const MEMORY = new Uint8Array(256);
const LENGTH = new Uint32Array(1);
const INSTRUCTIONS = new DataView(new ArrayBuffer(128));

type Options = {
  set: (descriptor: number, level: number, name: number, value: Uint8Array) => boolean;
  /** Reads an option into `value`. */
  get: (descriptor: number, level: number, name: number, value: Uint8Array) => boolean;
  /** The port of this side; null for a socket that has none. */
  portOf: (descriptor: number) => number | null;
};

let options: Options | undefined;

/** The options of sockets, of at most 256 bytes. `set` and `get` return false if the kernel does not support one. */
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
        set(descriptor, level, name, value) {
          MEMORY.set(value);
          return symbols.setsockopt(descriptor, level, name, ptr(MEMORY), value.byteLength) === 0;
        },
        get(descriptor, level, name, value) {
          LENGTH[0] = value.byteLength;
          if (symbols.getsockopt(descriptor, level, name, ptr(MEMORY), ptr(LENGTH)) !== 0) return false;
          value.set(MEMORY.subarray(0, value.byteLength));
          return true;
        },
        portOf(descriptor) {
          LENGTH[0] = MEMORY.byteLength;
          if (symbols.getsockname(descriptor, ptr(MEMORY), ptr(LENGTH)) !== 0) return null;
          const view = new DataView(MEMORY.buffer);
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

/** Sets an option of a socket whose value is a packet filter of at most 16 instructions. */
export function setFilter(descriptor: number, name: number, instructions: Instruction[]): boolean {
  for (const [index, [code, constant]] of instructions.entries()) {
    INSTRUCTIONS.setUint16(index * 8, code, true);
    INSTRUCTIONS.setUint32(index * 8 + 4, constant, true);
  }
  const program = new DataView(new ArrayBuffer(16));
  program.setUint16(0, instructions.length, true);
  program.setBigUint64(8, BigInt(ptr(INSTRUCTIONS)), true);
  return socketOptions().set(descriptor, SOL_SOCKET, name, new Uint8Array(program.buffer));
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
