/** The migrations in a text of `packedMigrations`. */
export function unpackMigrations(packed: string): readonly string[] {
  const json = Bun.gunzipSync(Buffer.from(packed, "base64"));
  return JSON.parse(new TextDecoder().decode(json)) as string[];
}
