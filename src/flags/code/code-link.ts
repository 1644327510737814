import type { CodeReference } from "./code-reference.ts";

/** How each kind of host names a line of a file, from the address of the repository on. */
const HOSTS: { host: RegExp; path: (branch: string, file: string) => string }[] = [
  { host: /(^|\.)github\./, path: (branch, file) => `/blob/${branch}/${file}` },
  { host: /(^|\.)gitlab\./, path: (branch, file) => `/-/blob/${branch}/${file}` },
  {
    host: /(^|\.)(gitea|forgejo)\.|(^|\.)codeberg\.org$/,
    path: (branch, file) => `/src/branch/${branch}/${file}`,
  },
];

/**
 * Returns a function that returns the address of the page that shows a reference; null where the host of the repository is
 * not known as GitHub, GitLab or Gitea by its name.
 */
export function createCodeLink(
  repositoryUrl: string | null,
  branch: string,
): (reference: CodeReference) => string | null {
  const url = repositoryUrl === null ? null : URL.parse(repositoryUrl);
  const known = url === null ? undefined : HOSTS.find(({ host }) => host.test(url.hostname));
  const repository = url?.pathname.replace(/\/+$/, "").replace(/\.git$/, "");
  if (!known || !url || !repository || !/^\/[^/]+\/[^/]/.test(repository)) return () => null;
  const start = `${url.origin}${repository}`;
  return ({ filePath, lineNumber }) =>
    `${start}${known.path(encodePath(branch), encodePath(filePath))}#L${lineNumber}`;
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
