import { join } from "node:path";
import { Glob } from "bun";
import { expect, test } from "bun:test";
import { RARE } from "../../scripts/rare.ts";

const ROOT = join(import.meta.dir, "../..");

test("the executable has every name of a rare library that formflag imports", async () => {
  const missing: string[] = [];
  for await (const file of new Glob("{src,cli}/**/*.{ts,tsx}").scan(ROOT)) {
    const text = await Bun.file(join(ROOT, file)).text();
    const imports = [
      ...text.matchAll(/\b(?:import|export) \{([^}]*)\} from "([^"]+)"/g),
      ...text.matchAll(/const \{([^}]*)\} = await import\("([^"]+)"\)/g),
    ];
    for (const [, names, library] of imports) {
      const exported = RARE[library!];
      if (exported === undefined || exported === "*") continue;
      for (const name of names!.split(",").map((each) => each.trim()))
        if (name !== "" && !name.startsWith("type ") && !exported.match(/\w+/g)!.includes(name))
          missing.push(`${file}: ${name} of ${library}`);
    }
  }
  expect(missing).toEqual([]);
});
