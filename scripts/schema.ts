import { documentJsonSchema } from "../src/documents/document-schema.ts";

// Writes the output of `formflag apply --schema`; a test fails while it is out of date.
await Bun.write("docs/formflag.schema.json", `${JSON.stringify(documentJsonSchema(), null, 2)}\n`);
