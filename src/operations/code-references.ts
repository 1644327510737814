import { MAX_LIST } from "../base/pages.ts";
import { pageReferences, removeReferences, uploadReferences } from "../flags/code/code-references.ts";
import { MAX_CODE_BODY } from "./limits.ts";
import { noun } from "./operation.ts";

const PLACE = "/projects/:project/code-refs";

export const codeReferences = noun("flags", () => import("./schema/code-references-schema.ts"), {
  list: {
    method: "GET",
    path: PLACE,
    summary: "List where the source code of a project names flags; a long list of references is in parts",
    scope: "flags:read",
    place: "project",
    defaults: { limit: MAX_LIST },
    run: ({ app, names, query }) => pageReferences(app, names.project, query),
  },
  upload: {
    method: "PUT",
    path: PLACE,
    summary: "Replace the code references of a project at one branch",
    scope: "flags:refs",
    place: "project",
    maxBody: MAX_CODE_BODY,
    run: ({ app, caller, names, body }) => uploadReferences(app, caller, names.project, body),
  },
  delete: {
    method: "DELETE",
    path: PLACE,
    summary: "Delete the code references of a project at a branch",
    scope: "flags:refs",
    place: "project",
    run: ({ app, caller, names, query }) => removeReferences(app, caller, names.project, query),
  },
});
