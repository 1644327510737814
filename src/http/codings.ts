/** Whether a list of codings takes gzip (RFC 9110, 12.5.3). */
export function acceptsGzip(codings: string | null): boolean {
  return /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i.test(
    (codings ?? "").slice(0, 1000),
  );
}
