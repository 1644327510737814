import type { Command } from "commander";
import { AppError } from "../../../src/base/errors.ts";
import { createPrinter } from "../../output/printer.ts";
import type { Io } from "../../output/terminal.ts";
import { shown, table } from "../../output/text.ts";
import { localAction } from "../../session/action.ts";
import { heard } from "../../session/command-line.ts";
import { type Config, readConfig } from "../../session/config.ts";
import { env } from "../../session/env.ts";
import { usage } from "../../session/usage.ts";
import { nameIn, readPages } from "../../../src/docs/pages.ts";
import { type Hit, plainText, searchIn } from "../../../src/docs/search.ts";

export function addDocsCommand(docs: Command, io: Io): void {
  heard(docs)`
[formflag] man manual documentation guide guides readme tutorial reference: formflag docs lists the pages, formflag docs <page> shows one
list: formflag docs lists the pages
*: formflag docs <page>, or formflag docs --search <words>
`;
  docs
    .argument("[page]", "name of a page, such as forms, or a word in them (default: list them)")
    .option("--search <words>", "list the sections that have these words, in any form")
    .after(`
The documentation of this version: tutorials, guides, reference and explanations. On a terminal a page is shown by $PAGER, or less.

Examples:
  formflag docs
  formflag docs running
  formflag docs --search certificate
`)
    .action(localAction(io, parse, run));
}

type Values = { config: Config; page: string | undefined; search: string | undefined };

function parse(command: Command, page?: string): Values {
  const { search } = command.opts<{ search?: string }>();
  if (page !== undefined && search !== undefined)
    throw usage("a page and --search exclude each other", "leave one of them out");
  return { config: readConfig(command), page, search };
}

async function run(io: Io, { config, page, search }: Values): Promise<void> {
  const pages = readPages();
  const { print, suggest } = createPrinter(io, config);
  const printHits = (hits: Hit[]) =>
    print(
      hits,
      table(
        ["PAGE", "SECTION", "LINE"],
        hits.map(({ page, heading, line }) => [page, heading === null ? "" : plainText(heading), line]),
      ),
    );
  if (search !== undefined) {
    const hits = searchIn(pages, search);
    await printHits(hits);
    if (hits.length === 0) suggest("Nothing has these words: try other ones.");
    return;
  }
  if (page === undefined) {
    const list = pages.map(({ kind, name, title }) => ({ kind, name, title }));
    await print(
      list,
      table(
        ["KIND", "PAGE", "TITLE"],
        list.map(({ kind, name, title }) => [kind, name, title]),
      ),
    );
    return suggest("One of them: formflag docs <page>");
  }
  const found = pages.find(({ name }) => name === nameIn(page));
  if (!found) {
    // A program that wants a page is not given lines.
    const hits = config.json ? [] : searchIn(pages, page);
    if (hits.length > 0) {
      await printHits(hits);
      return suggest(
        shown`No page is named ${page}: these sections have the word. One of the pages: formflag docs <page>`,
      );
    }
    throw new AppError("not_found", shown`page "${page}" does not exist`, {
      hint: "formflag docs lists the pages, and formflag docs --search <words> finds a section",
    });
  }
  if (config.json || !io.outIsTerminal || !(await inPager(found.text))) await print(found, found.text);
}

/** Shows a text in the pager of the user, and returns whether there is one. */
async function inPager(text: string): Promise<boolean> {
  const [program = "less", ...args] = (env["PAGER"] || "less").split(/\s+/);
  const path = Bun.which(program);
  if (path === null) return false;
  const pager = Bun.spawn([path, ...args], { stdin: new Blob([text]), stdout: "inherit", stderr: "inherit" });
  return (await pager.exited) === 0;
}
