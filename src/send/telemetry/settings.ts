/** Where one kind of observations goes. */
export type ServerAddress = {
  url: string;
  /** Headers of each request, which may hold a secret. */
  headers: Record<string, string>;
  timeoutMs: number;
  isGzip: boolean;
};

/** The part of traces that is recorded, of traces that begin here and of traces that a caller began. */
export type Sampling = {
  /** From 0 to 1. */
  ratio: number;
  /** Whether a caller that begins a trace decides. */
  followsParent: boolean;
};

export type TelemetrySettings = {
  traces: ServerAddress;
  logs: ServerAddress;
  sampling: Sampling;
  /** The part of evaluations that is recorded, from 0 to 1. */
  evaluations: number;
  resource: Record<string, string>;
};
