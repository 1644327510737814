/** The environment of the process, which no other file reads. */
export const env: Readonly<Record<string, string | undefined>> = process.env;
