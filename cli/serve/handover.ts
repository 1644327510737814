import { type Instruction, setFilter } from "./socket-options.ts";

/** From Linux's `asm-generic/socket.h`. */
const SO_ATTACH_REUSEPORT_CBPF = 51;

const returnConstant = (constant: number): Instruction => [0x06, constant];
/** A random number (`SKF_AD_OFF + SKF_AD_RANDOM`), its remainder by `count`, that plus `first`, and the return of it. */
const returnOneOf = (first: number, count: number): Instruction[] => [
  [0x20, 0xff_ff_f0_38],
  [0x94, count],
  [0x04, first],
  [0x16, 0],
];

/**
 * Routes every new connection at a port that several sockets share (`SO_REUSEPORT`) to one of `count` sockets from `first`
 * on, in the order in which they began to listen. Connections that another socket has begun to accept stay there. `opened`
 * is the descriptor of any of the sockets. Returns false if the kernel does not support it.
 */
export function steerConnections(opened: number, first: number, count = 1): boolean {
  const instructions = count === 1 ? [returnConstant(first)] : returnOneOf(first, count);
  return setFilter(opened, SO_ATTACH_REUSEPORT_CBPF, instructions);
}
