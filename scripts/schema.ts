import { documentJsonSchema } from "../src/documents/document-schema.ts";

// What `formflag apply --schema` prints; a test finds it out of date.
await Bun.write("docs/formflag.schema.json", `${JSON.stringify(documentJsonSchema(), null, 2)}\n`);
