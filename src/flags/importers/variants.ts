/** Names for the values of variants: `on` and `off`, a short text or a number itself, else by their place. */
export function namesOf(values: readonly unknown[]): string[] {
  const texts = values.map((value, at) => {
    if (typeof value === "boolean") return value ? "on" : "off";
    const isShort = typeof value === "number" || (typeof value === "string" && /^[\w.+-]{1,50}$/.test(value));
    return isShort ? String(value) : `variant-${at}`;
  });
  const taken = new Set(["__proto__"]);
  return texts.map((text, at) => {
    const name = taken.has(text) ? `variant-${at}` : text;
    taken.add(name);
    return name;
  });
}
