export const KiB = 1024;

export const MiB = 1024 * KiB;

/** Bytes as a person writes them: `1 MB`, `1.5 MB`, `300 bytes`. A MB is 1,048,576 bytes. */
export function formatBytes(bytes: number): string {
  const units = [
    ["GB", 1024 * MiB],
    ["MB", MiB],
    ["KB", KiB],
  ] as const;
  for (const [unit, size] of units) {
    if (bytes >= size) return `${Number((bytes / size).toFixed(bytes % size === 0 ? 0 : 1))} ${unit}`;
  }
  return `${bytes} byte${bytes === 1 ? "" : "s"}`;
}

/**
 * The inverse of {@link formatBytes}: `10MB`, `1.5 MB`, `500k`, `2048`. Returns undefined if the text is not a size, and
 * for a number below 1 KB without a unit: `10` is meant as 10 MB.
 */
export function parseBytes(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([kmg]?)(i?b|bytes?)?$/i.exec(text.trim());
  if (!match) return undefined;
  const number = Number(match[1]);
  if (!match[2] && !match[3] && number > 0 && number < KiB) return undefined;
  const unit = { "": 1, k: KiB, m: MiB, g: 1024 * MiB }[match[2]?.toLowerCase() ?? ""];
  return unit === undefined ? undefined : Math.floor(number * unit);
}
