import { projectManifest } from "../../flags/manifest/manifests.ts";
import { noun } from "../operation.ts";

/** The flags of a project for the OpenFeature command line, which generates code of them. */
export const manifest = noun("flags", () => import("./manifest-schema.ts"), {
  get: {
    method: "GET",
    path: "/projects/:project/manifest",
    summary: "Get the flags of a project with their types and default values, by key",
    scope: "flags:read",
    place: "project",
    levels: 2,
    run: async ({ app, names }) => ({ flags: await projectManifest(app, names.project) }),
  },
});
