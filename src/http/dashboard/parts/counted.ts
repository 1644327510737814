/** `1 submission`, `1,200 submissions`. */
export function counted(count: number, noun = "submission", nouns = `${noun}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : nouns}`;
}
