import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A small change to a copy of the product, and the test that has to find it. */
export type PlantedFault = {
  name: string;
  file: string;
  from: string;
  to: string;
  test: "program" | "world" | "statements" | "histories" | "kills" | "relay" | "archives";
};

/** The reason why a fault cannot be planted: the text that it replaces has to be in the product once. */
export function outdatedIn(root: string, { name, file, from }: PlantedFault): string[] {
  const path = join(root, file);
  const count = existsSync(path) ? readFileSync(path, "utf8").split(from).length - 1 : 0;
  return count === 1 ? [] : [`"${name}" replaces what is ${count} times in ${file}`];
}
