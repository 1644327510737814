/** A line of a scenario, and the rows of the table below it as cells. */
export type Step = { text: string; table: string[][] };

/** `row` is the one of the examples; empty for a scenario that has none. */
export type Scenario = { feature: string; name: string; row: string; tags: string[]; steps: Step[] };

type Outline = Scenario & { examples: string[][][] };

/**
 * The scenarios of a feature file: its background stands before the steps of each, and an outline is a scenario for each row of
 * its examples. Throws for a line that is none of Gherkin's.
 */
export function parseFeature(text: string, file: string): Scenario[] {
  const reader = new FeatureReader(file);
  for (const [index, line] of text.split("\n").entries()) reader.take(line.trim(), index + 1);
  return reader.outlines.flatMap((outline) => expand(outline, reader.background));
}

class FeatureReader {
  readonly background: Step[] = [];
  readonly outlines: Outline[] = [];
  readonly #file: string;
  #feature = "";
  #featureTags: string[] = [];
  #tags: string[] = [];
  #steps: Step[] = this.background;
  #table: string[][] | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  take(line: string, number: number): void {
    if (line === "" || line.startsWith("#")) return;
    if (line.startsWith("@")) return void this.#tags.push(...line.split(/\s+/));
    if (line.startsWith("|")) return void this.#table?.push(cellsOf(line));
    const [, keyword, rest = ""] =
      /^(Feature|Background|Scenario Outline|Scenario|Examples):\s*(.*)$/.exec(line) ?? [];
    if (keyword !== undefined) return this.#open(keyword, rest);
    const [, step] = /^(?:Given|When|Then|And|But)\s+(.+)$/.exec(line) ?? [];
    if (step === undefined) throw new Error(`${this.#file}:${number}: this is no line of Gherkin: ${line}`);
    this.#table = [];
    this.#steps.push({ text: step, table: this.#table });
  }

  #open(keyword: string, name: string): void {
    const tags = this.#tags.splice(0);
    this.#table = null;
    if (keyword === "Feature") {
      this.#feature = name;
      this.#featureTags = tags;
    } else if (keyword === "Background") {
      this.#steps = this.background;
    } else if (keyword === "Examples") {
      this.#table = [];
      this.outlines.at(-1)?.examples.push(this.#table);
    } else {
      this.#steps = [];
      const own = { feature: this.#feature, name, row: "", tags: [...this.#featureTags, ...tags] };
      this.outlines.push({ ...own, steps: this.#steps, examples: [] });
    }
  }
}

function cellsOf(row: string): string[] {
  return row
    .slice(1, row.lastIndexOf("|"))
    .split("|")
    .map((cell) => cell.trim());
}

function expand({ examples, ...scenario }: Outline, background: readonly Step[]): Scenario[] {
  const whole = { ...scenario, steps: [...background, ...scenario.steps] };
  if (examples.length === 0) return [whole];
  return examples.flatMap(([names = [], ...rows]) =>
    rows.map((row) => {
      const fill = (text: string) =>
        text.replaceAll(/<([^>]+)>/g, (_, name: string) => row[names.indexOf(name)] ?? "");
      const steps = whole.steps.map(({ text, table }) => ({
        text: fill(text),
        table: table.map((cells) => cells.map(fill)),
      }));
      return { ...whole, row: row.filter((cell) => cell !== "").join(", "), steps };
    }),
  );
}
