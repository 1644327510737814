import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "bun:test";
import { eventually } from "../eventually.ts";
import { programAt } from "../needs.ts";
import { canConnect, freePort } from "./ports.ts";

const PROGRAM = programAt("nginx", "tests behind a balancer");

/** Whether nginx is installed. */
export const HAS_BALANCER = PROGRAM !== null;

export type Balancer = {
  url: string;
  /** Sends further requests to these ports alone, as a balancer does that checks `/readyz`. */
  route: (ports: number[]) => void;
};

/** Starts nginx before servers of this machine, which it asks in turns. It ends after the test file. */
export async function startBalancer(ports: number[]): Promise<Balancer> {
  const directory = mkdtempSync(join(tmpdir(), "formflag-nginx-"));
  const port = freePort();
  const file = join(directory, "nginx.conf");
  const write = (ports: number[]) => writeFileSync(file, configuration(directory, port, ports));
  write(ports);
  const child = Bun.spawn([PROGRAM!, "-e", "stderr", "-c", file], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  afterAll(async () => {
    child.kill("SIGTERM");
    await child.exited;
    rmSync(directory, { recursive: true });
  });
  await eventually("nginx", () => canConnect(port));
  return {
    url: `http://127.0.0.1:${port}`,
    route(ports) {
      write(ports);
      child.kill("SIGHUP");
    },
  };
}

/** A request is sent to another server where one refuses the connection, and not if it may have been received. */
function configuration(directory: string, port: number, ports: number[]): string {
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${join(directory, kind)};`,
  );
  return `daemon off;
${process.getuid?.() === 0 ? "user root;" : ""}
worker_processes 1;
pid ${join(directory, "nginx.pid")};
error_log stderr crit;
events { worker_connections 4096; }
http {
  access_log off;
  keepalive_requests 1000000;
  ${paths.join("\n  ")}
  upstream replicas {
    ${ports.map((each) => `server 127.0.0.1:${each} max_fails=1 fail_timeout=1s;`).join("\n    ")}
    keepalive 32;
  }
  server {
    listen 127.0.0.1:${port} backlog=1024;
    client_max_body_size 0;
    location / {
      proxy_pass http://replicas;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_buffering off;
      proxy_read_timeout 60s;
    }
  }
}
`;
}
