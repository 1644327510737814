import { env } from "../../../session/env.ts";

/** Starts git in a folder; null if git is not installed. */
export function startGit(folder: string, args: string[]) {
  const git = Bun.which("git");
  if (git === null) return null;
  // The variables of a hook may name another work tree, and fsmonitor is a program that the repository's settings
  // choose.
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("GIT_")));
  return Bun.spawn([git, "-c", "core.fsmonitor=false", ...args], {
    cwd: folder,
    env: own,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
}

/** A folder in a git work tree; what git does not know is null. */
export type WorkTree = {
  /** The path of the folder in the work tree, empty or with a slash at its end. */
  prefix: string;
  /** The branch that is checked out. */
  branch: string | null;
  /** The commit that is checked out. */
  commit: string | null;
  /** The web address of the remote `origin`, without credentials. */
  repositoryUrl: string | null;
};

export async function readWorkTree(folder: string): Promise<WorkTree> {
  const [prefix, branch, commit, remote] = await Promise.all([
    lineOf(folder, ["rev-parse", "--show-prefix"]),
    lineOf(folder, ["symbolic-ref", "--short", "--quiet", "HEAD"]),
    lineOf(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]),
    lineOf(folder, ["remote", "get-url", "origin"]),
  ]);
  return { prefix, branch: branch || null, commit: commit || null, repositoryUrl: webAddressOf(remote) };
}

/** Output of a git command without the line end; empty if it fails. */
async function lineOf(folder: string, args: string[]): Promise<string> {
  const child = startGit(folder, args);
  if (child === null) return "";
  const text = await child.stdout.text();
  return (await child.exited) === 0 ? text.replace(/\r?\n$/, "") : "";
}

/** The web address of a repository by the address of a remote, of which ssh addresses name the host and the path too. */
function webAddressOf(remote: string): string | null {
  const [, host, path] = /^[\w.-]+@([\w.-]+):(.+)$/.exec(remote) ?? [];
  if (host !== undefined) return `https://${host}/${path}`;
  const url = URL.parse(remote);
  if (url === null || url.hostname === "") return null;
  if (url.protocol === "ssh:") return `https://${url.hostname}${url.pathname}`;
  return /^https?:$/.test(url.protocol) ? `${url.origin}${url.pathname}` : null;
}
