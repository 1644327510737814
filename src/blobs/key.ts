/** The shard of a file: the last two hex characters of the id in its key, which are random. */
export function shardOf(key: string): string {
  return idOf(key).slice(-2);
}

/** The id of the submission that a file belongs to. */
export function idOf(key: string): string {
  return key.slice(0, key.lastIndexOf("."));
}

/** The format of {@link blobKey}; other names in the upload directory belong to foreign files. */
export const FILE_KEY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.\d{1,3}$/;

/** The key of a file of a submission, by its number from 1. */
export function blobKey(id: string, position: number): string {
  return `${id}.${position}`;
}
