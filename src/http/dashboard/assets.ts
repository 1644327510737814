import { bundleBrowserCode } from "./bundle.ts" with { type: "macro" };
import mark from "./mark.svg" with { type: "text" };
import kit from "./style/kit.css" with { type: "text" };
import pages from "./style/pages.css" with { type: "text" };
import tokens from "./style/tokens.css" with { type: "text" };

export type Asset = { path: string; type: string; bytes: Uint8Array; gzipped: Uint8Array };

export type AssetName = "style" | "script" | "passkeys" | "mark";

const SCRIPT: string = bundleBrowserCode("dashboard/browser/main.ts");
const PASSKEYS: string = bundleBrowserCode("dashboard/browser/passkeys.ts");

/** The files that pages refer to, compressed once, at paths that change with their content. `root` is the dashboard's path. */
export function createAssets(root: string): Record<AssetName, Asset> {
  const assetOf = (name: string, type: string, text: string): Asset => {
    const bytes = Buffer.from(text);
    const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 16);
    const gzipped = Bun.gzipSync(bytes, { level: 12, library: "libdeflate" });
    return { path: `${root}/assets/${hash}/${name}`, type, bytes, gzipped };
  };
  return {
    style: assetOf("dashboard.css", "text/css; charset=utf-8", withoutSpace(`${tokens}\n${kit}\n${pages}`)),
    script: assetOf("dashboard.js", "text/javascript; charset=utf-8", SCRIPT),
    passkeys: assetOf("passkeys.js", "text/javascript; charset=utf-8", PASSKEYS),
    mark: assetOf("mark.svg", "image/svg+xml", mark),
  };
}

/** A style without comments, and without the space that says nothing. */
function withoutSpace(style: string): string {
  return style.replaceAll(
    /("[^"]*")|\/\*.*?\*\/|\s*([{};,>])\s*|: |\s+/gs,
    (all, text?: string, sign?: string) =>
      text ?? sign ?? (all === ": " ? ":" : all.startsWith("/") ? "" : " "),
  );
}

/** Answers with an asset, which never changes at its path. */
export function answerAsset({ type, bytes, gzipped }: Asset, acceptEncoding = ""): Response {
  const isGzip = /\bgzip\b/.test(acceptEncoding);
  return new Response(isGzip ? gzipped : bytes, {
    headers: {
      "Content-Type": type,
      "Cache-Control": "public, max-age=31536000, immutable",
      Vary: "Accept-Encoding",
      ...(isGzip && { "Content-Encoding": "gzip" }),
    },
  });
}
