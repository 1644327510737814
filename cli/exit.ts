/** Exit codes of the command line itself; main.ts has those of the errors of the product. */
export const EXIT = {
  failure: 1,
  usage: 2,
  unavailable: 6,
  difference: 9,
  interrupted: 130,
  terminated: 143,
} as const;

/** Thrown by a command that has printed why it ends so: the problems it found, or that a person declined. */
export class Failed extends Error {
  readonly exitCode: number;

  constructor(exitCode: number = EXIT.failure) {
    super();
    this.exitCode = exitCode;
  }
}

/** An internal error of the server: exit code 1. */
export class RemoteError extends Error {}

/** Thrown when a person leaves a prompt with Ctrl-C or Escape: exit code 130. */
export class Cancelled extends Error {}
