import { AppError } from "../errors.ts";

/** Decodes bytes with a decoder that is fatal. Throws `invalid` with the message given for what it cannot decode. */
export function decodeText(decoder: TextDecoder, bytes: Uint8Array, broken: string): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw new AppError("invalid", broken, { cause: error });
  }
}
