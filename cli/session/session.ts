import { Failed } from "../exit.ts";
import { noSuchField } from "../output/field.ts";
import { type Printer, createPrinter } from "../output/printer.ts";
import type { Io } from "../output/terminal.ts";
import { type Client, type Explanation, type Transport, clientOn, confirming } from "./client.ts";
import type { Config } from "./config.ts";
import { canPrompt } from "./input.ts";
import { withoutKept } from "./kept/without-kept.ts";
import { usage } from "./usage.ts";

/** Environment of a command: the admin API, a printer and confirmation prompts. */
export type Session = Printer & {
  config: Config;
  io: Io;
  client: Client;
  /** Whether the command says where its data is. */
  namesPlace: boolean;
  /** Whether the user can be prompted. */
  canPrompt: () => boolean;
  /** Returns if the person confirms. Throws `Failed` if not, and `Cancelled` if the person leaves the question. */
  confirm: (question: string) => Promise<void>;
  /** As `confirm`, by typing the name. Returns with `--yes`, and throws `invalid` if the user cannot be prompted. */
  confirmDelete: (kind: string, name: string, more?: string) => Promise<void>;
};

/** A transport that throws `invalid` before a change whose answer lacks the field that is printed. */
function checkingField(transport: Transport, field: string | undefined): Transport {
  if (field === undefined) return transport;
  return {
    ...transport,
    async send(operation, sent) {
      if (operation.method !== "GET") {
        const { mayHave, namesOf, shapeOf } = await import("./shape.ts");
        const shape = await shapeOf(operation);
        if (shape !== null && !mayHave(shape, field)) throw noSuchField(field, namesOf(shape));
      }
      return transport.send(operation, sent);
    },
  };
}

/**
 * A session on `bare`, the operations of a server or of this process, with the values of `--field` and `--why`. `namesPlace`:
 * whether the command says where its data is.
 */
export function openSession(
  io: Io,
  config: Config,
  bare: Transport,
  { field, namesPlace, ...explanation }: Explanation & { field: string | undefined; namesPlace: boolean },
): Session {
  const requireYes = (isConfirmed: boolean) => {
    if (isConfirmed) return;
    io.note("Nothing was changed.\n");
    throw new Failed();
  };
  const confirm = async (question: string) => {
    const { promptConfirm } = await import("./prompts.ts");
    requireYes(await promptConfirm(question));
  };
  const printer = createPrinter(io, { ...config, field });
  const short = (text: string) => (namesPlace ? text : withoutKept(text));
  const confirmations = {
    locked: config.confirm,
    yes: config.yes,
    confirm: canPrompt(io, config) ? confirm : null,
    note: printer.note,
  };
  return {
    ...printer,
    note: (text, options) => printer.note(short(text), options),
    suggest: (text) => printer.suggest(short(text)),
    namesPlace,
    config,
    io,
    client: clientOn(checkingField(confirming(bare, confirmations, explanation), field)),
    canPrompt: () => canPrompt(io, config),
    confirm,
    async confirmDelete(kind, name, more = "") {
      // A proposal deletes nothing.
      if (config.yes || config.propose !== undefined) return;
      const what = `${kind} ${name}${more}`;
      if (!canPrompt(io, config))
        throw usage(`${what} would be deleted, and confirming needs a terminal`, "add --yes to delete it");
      const { promptName } = await import("./prompts.ts");
      requireYes(await promptName(`Delete ${what}?`, name));
    },
  };
}
