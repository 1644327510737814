/** The place of a span in a trace, as the header `traceparent` carries it (W3C Trace Context). */
export type Trace = {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  /** Whether who began the trace records it. */
  isSampled: boolean;
};

/** Reads a `traceparent`; null for none and for a broken one, after which a new trace begins. */
export function readTraceparent(text: string | null): Trace | null {
  if (text === null) return null;
  const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.{0,500})?$/.exec(text);
  if (!match) return null;
  const [, version, traceId, spanId, flags, more] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
    string?,
  ];
  if (version === "ff" || (version === "00" && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function traceparentOf({ traceId, spanId, isSampled }: Trace): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** A request that was answered. */
export type Served = {
  method: string;
  /** The pattern that matched, without keys. */
  route: string;
  status: number;
  /** Milliseconds until the answer began. */
  ms: number;
};

/** A flag evaluated for a context, which is not recorded. */
type Evaluated = {
  flag: string;
  /** The project and environment: `shop/production`. */
  set: string;
  /** The body of the answer about this flag (OFREP). */
  json: string;
};

/** An attempt of a delivery, with its span for the receiver. */
type Attempting = {
  traceparent: string;
  end: (result: { code: number | null; error: string | null }) => void;
};

/** The observations that a server sends to a collector. */
export type Telemetry = {
  /** The span of a request, which begins with the first call. */
  spanOf: (request: Request) => Trace;
  /** Ends the span of a request. */
  served: (request: Request, served: Served) => void;
  /** Begins an attempt of a delivery, behind the span of the request that made it. */
  delivering: (parent: string, kind: string) => Attempting | null;
  /** Records an evaluation; null where none is recorded. */
  evaluated: ((request: Request, evaluated: Evaluated) => void) | null;
};
