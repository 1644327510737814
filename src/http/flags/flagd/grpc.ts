/**
 * Calls of gRPC over HTTP/2 that have one message, and are answered with messages and a status:
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */

/** Status codes: https://grpc.io/docs/guides/status-codes/ */
export const STATUS = {
  OK: 0,
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

export type Status = (typeof STATUS)[keyof typeof STATUS];

/** A call under way. */
export type Call = {
  message: Buffer;
  /** Metadata of the call by its lower-case name; empty for none. */
  metadata: (name: string) => string;
  /** The address of the client. */
  address: string;
  isOpen: () => boolean;
  /** Whether the client has not taken all that was sent. */
  isBehind: () => boolean;
  /** Sends a message made by {@link framed}. */
  send: (frame: Buffer) => void;
  end: (status: Status, details?: string) => void;
  /** Calls `closed` once the call is over, on whichever side it ended. */
  onClose: (closed: () => void) => void;
};

/** The methods of services, by path. */
export type Methods = ReadonlyMap<string, (call: Call) => void>;

/** A message with its length in front. */
export function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
