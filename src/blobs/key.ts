/** The folder a file stands in: two hex characters from the random end of the id in its key. */
export function shardOf(key: string): string {
  const id = key.slice(0, key.lastIndexOf("."));
  return id.slice(-2);
}

/** The key of a submission's file: its id and the number of the file. Others' files in the upload directory have none. */
export const FILE_KEY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.\d{1,3}$/;

/** Where the file of that number, from 1, is kept. */
export function blobKey(id: string, position: number): string {
  return `${id}.${position}`;
}
