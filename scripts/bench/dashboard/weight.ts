import type { Show } from "../figure.ts";
import type { MeasuredPage } from "./pages.ts";
import { type Site, load } from "./session.ts";

const KIB = 1024;

/** How much a browser loads for the first page and for the next one, in bodies, and how much it has to lay out. */
export async function measureWeight(site: Site, pages: MeasuredPage[], show: Show): Promise<void> {
  const sizes: { name: string; next: number; elements: number }[] = [];
  const files = new Map<string, { type: string; size: number }>();
  let requests = 0;
  for (const { name, paths } of pages) {
    const { bytes } = await load(site, paths[0]!);
    const text = new TextDecoder().decode(Bun.gunzipSync(Uint8Array.from(bytes)));
    const found = filesOf(text);
    for (const path of found) {
      if (files.has(path)) continue;
      const file = await load(site, path);
      files.set(path, { type: file.type, size: file.bytes.length });
    }
    requests = Math.max(requests, 1 + found.length + (text.includes("data-events") ? 1 : 0));
    sizes.push({ name, next: bytes.length, elements: text.match(/<[a-z]/g)?.length ?? 0 });
  }
  const most = sizes.toSorted((a, b) => b.next - a.next)[0]!;
  const largest = sizes.toSorted((a, b) => b.elements - a.elements)[0]!;
  const sizeOf = (type: string) =>
    [...files.values()].filter((file) => file.type.startsWith(type)).reduce((sum, { size }) => sum + size, 0);
  const figure = (name: string, goal: string, value: number, detail: string, unit = " KiB") =>
    show({ part: "dashboard", name, goal, value, spread: [value, value], unit, detail });
  const all = most.next + sizeOf("");
  figure("first page, compressed", "≤ 35", all / KIB, `the largest: ${most.name}`);
  figure("next page, compressed", "≤ 15", most.next / KIB, listOf(sizes));
  figure("JavaScript, compressed", "≤ 10", sizeOf("text/javascript") / KIB, "");
  figure("style sheet, compressed", "≤ 9", sizeOf("text/css") / KIB, "");
  figure("requests of the first page", "≤ 5", requests, "with the stream of events", "");
  figure("elements of a page", "≤ 1500", largest.elements, `the most: ${largest.name}`, "");
}

/** The style sheets, scripts and icons of a page. */
function filesOf(html: string): string[] {
  const found = html.matchAll(/<(?:link|script|img)\b[^>]*?(?:href|src)="([^"]+)"/g);
  return [...new Set([...found].map(([, path]) => path!))];
}

function listOf(sizes: { name: string; next: number }[]): string {
  return sizes.map(({ name, next }) => `${name} ${(next / KIB).toFixed(1)}`).join(", ");
}
