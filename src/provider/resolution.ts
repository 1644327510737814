import type { Evaluation, Metadata } from "./flags.ts";

/** The result for an SDK: without a value of the type, the default of the code. */
export type Resolution<T> = {
  value: T;
  variant?: string;
  reason: string;
  /** One of the codes of OpenFeature, of which each SDK has a type of its own. */
  errorCode?: never;
  errorMessage?: string;
  flagMetadata: Metadata;
};

export function resolved<T>(evaluation: Evaluation, key: string, fallback: T, type: string): Resolution<T> {
  const { value, variant, reason, errorCode, errorMessage = errorCode, metadata } = evaluation;
  const failed = (code: string, message: string | undefined) =>
    ({
      value: fallback,
      reason: "ERROR",
      errorCode: code,
      errorMessage: message,
      flagMetadata: metadata,
    }) as unknown as Resolution<T>;
  if (errorCode !== undefined) return failed(errorCode, errorMessage);
  if (value === undefined) return { value: fallback, reason, flagMetadata: metadata };
  if (typeof value !== type)
    return failed("TYPE_MISMATCH", `the flag ${key} is of the type ${typeof value}, not ${type}`);
  return { value: value as T, ...(variant !== undefined && { variant }), reason, flagMetadata: metadata };
}
