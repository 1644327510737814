import type { Command } from "commander";
import { forms as operations } from "../../../src/operations/forms.ts";
import type { Io } from "../../output/terminal.ts";
import { formProjectOption } from "../../session/config.ts";
import { whyOption } from "../../session/why.ts";
import { addDelete, named } from "../verbs.ts";

export function addDeleteCommand(forms: Command, io: Io): void {
  addDelete(forms, io, {
    argument: ["[form]", "slug or key of the form"],
    description: "delete a form, its submissions and their files",
    options: [formProjectOption(), whyOption()],
    help: "\nExample:\n  formflag forms delete contact --yes\n",
    parse: named("form"),
    operations,
    names: (form) => ({ form }),
    kind: "form",
    id: (_, { slug }) => ({ slug }),
    more: () => " with all its submissions and files",
  });
}
