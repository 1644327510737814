/** The environment of the process, which no other file reads. */
export const env: Readonly<Record<string, string | undefined>> = process.env;

/** Takes over variables that are not set, for the rest of this process. */
export function adopt(variables: Record<string, string>): void {
  for (const [name, value] of Object.entries(variables)) process.env[name] ??= value;
}
