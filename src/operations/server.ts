import { recordEvent } from "../access/audit/audit.ts";
import { requireScope } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import { readStatus } from "../maintenance/status.ts";
import { noun } from "./operation.ts";

export const server = noun("server", async () => (await import("./schema/server-schema.ts")).server, {
  status: {
    method: "GET",
    path: "/status",
    summary: "Get the version and addresses of the server, its queue of deliveries and its last backup",
    scope: "read",
    place: "instance",
    run: async ({ app, deployment, caller }) => {
      const status = await readStatus(app, caller, await deployment.status());
      return { ...status, sendsMail: await deployment.sendsMail() };
    },
  },
  backup: {
    method: "POST",
    path: "/backups",
    summary: "Download a backup of everything stored, which is made at that moment, as a tar archive",
    scope: "admin",
    place: "instance",
    confirms: false,
    explains: false,
    media: ["application/x-tar"],
    run: async ({ app, deployment, caller }) => {
      requireScope(caller, "admin");
      if (deployment.backup !== undefined) {
        await recordEvent(app, caller, {
          action: "backup.create",
          project: null,
          object: null,
          details: { to: "download" },
        });
        return deployment.backup();
      }
      const hint = "formflag backup create makes one of the data itself";
      throw new AppError("unsupported", "only a server sends backups", { hint });
    },
  },
});
