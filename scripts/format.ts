/** The format and processor of an executable file, by its first bytes. */

/** Names by the number a file format gives a processor. */
const MACHINES: Record<number, string> = { 0x3e: "x64", 0xb7: "arm64", 0x8664: "x64", 0x0100_000c: "arm64" };

/** Returns for example `ELF x64 /lib64/ld-linux-x86-64.so.2`, with the loader, `Mach-O arm64` or `PE x64`. */
export function formatOf(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const machine = (code: number) => MACHINES[code] ?? `machine 0x${code.toString(16)}`;
  const magic = view.getUint32(0);
  if (magic === 0x7f45_4c46) return `ELF ${machine(view.getUint16(18, true))} ${interpreterOf(view)}`;
  if (magic === 0xcffa_edfe) return `Mach-O ${machine(view.getUint32(4, true))}`;
  if (magic >>> 16 === 0x4d5a) {
    const header = view.getUint32(0x3c, true);
    if (view.getUint32(header) === 0x5045_0000) return `PE ${machine(view.getUint16(header + 4, true))}`;
  }
  return "no executable";
}

/** The path in the program header of type PT_INTERP. */
function interpreterOf(view: DataView): string {
  const headers = Number(view.getBigUint64(32, true));
  const size = view.getUint16(54, true);
  for (let index = 0; index < view.getUint16(56, true); index++) {
    const header = headers + index * size;
    if (view.getUint32(header, true) !== 3) continue;
    const start = Number(view.getBigUint64(header + 8, true));
    const length = Number(view.getBigUint64(header + 32, true));
    return new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + start, length - 1));
  }
  return "static";
}
