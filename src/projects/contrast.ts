/** The least contrast of a colour that marks controls and links (WCAG 2.2, 1.4.11). */
export const LEAST_CONTRAST = 3;

/** The contrast of a colour, as `#rrggbb`, with white (WCAG 2.2, contrast ratio): from 1 to 21. */
export function contrastOnWhite(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red! + 0.7152 * green! + 0.0722 * blue! + 0.05);
}
