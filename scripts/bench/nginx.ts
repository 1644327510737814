import { join } from "node:path";
import { type Server, freePort, startServer } from "./process.ts";

/** nginx that answers everything with 200 and these bytes, in one process; undefined if it is not installed. */
export async function startNginx(
  directory: string,
  headers: Record<string, string>,
  body: string,
): Promise<Server | undefined> {
  const nginx = Bun.which("nginx", { PATH: `${process.env["PATH"]}:/usr/sbin` });
  // A text in its configuration has a maximum length.
  if (!nginx || body.length > 4000 || body.includes("$")) return undefined;
  const port = freePort();
  const { "content-type": type = "text/plain", ...others } = headers;
  const added = Object.entries(others).map(([name, value]) => `add_header ${name} '${value}';`);
  const file = join(directory, "nginx.conf");
  await Bun.write(
    file,
    `daemon off;
master_process off;
pid ${join(directory, "nginx.pid")};
error_log stderr crit;
events {}
http {
  access_log off;
  keepalive_requests 100000000;
  default_type ${type};
  ${["body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind === "body" ? "client_body" : kind}_temp_path ${join(directory, kind)};`).join("\n  ")}
  server {
    listen 127.0.0.1:${port};
    ${added.join("\n    ")}
    return 200 '${body.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}';
  }
}
`,
  );
  return startServer([nginx, "-e", "stderr", "-c", file], port);
}
