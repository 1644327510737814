import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { isAllowedOrigin, isOriginPattern } from "../../src/base/origins.ts";

describe("an allowed origin", () => {
  test("is compared as a whole, whatever the case of the host", () => {
    const allowed = ["https://example.com", "http://localhost:3000"];
    for (const origin of ["https://example.com", "https://EXAMPLE.com", "http://localhost:3000"]) {
      expect([origin, isAllowedOrigin(origin, allowed)]).toEqual([origin, true]);
    }
    const others = [
      "http://example.com",
      "https://example.com:8443",
      "https://www.example.com",
      "https://example.com.evil.example",
      "https://example.co",
      "http://localhost",
      "null",
      "",
    ];
    for (const origin of others) expect([origin, isAllowedOrigin(origin, allowed)]).toEqual([origin, false]);
  });

  test("with a wildcard is every subdomain at any depth, not the domain itself", () => {
    const allowed = ["https://*.example.com"];
    const subdomains = ["www", "a.b.c", "xn--mnchen-3ya", "my_host", "WWW", "1", "a-b"];
    for (const name of subdomains) {
      expect([name, isAllowedOrigin(`https://${name}.example.com`, allowed)]).toEqual([name, true]);
    }
    expect(isAllowedOrigin("https://example.com", allowed)).toBe(false);
  });

  test("with a wildcard keeps scheme and port", () => {
    expect(isAllowedOrigin("http://a.example.com", ["https://*.example.com"])).toBe(false);
    expect(isAllowedOrigin("https://a.example.com:8443", ["https://*.example.com"])).toBe(false);
    expect(isAllowedOrigin("https://a.example.com", ["https://*.example.com:8443"])).toBe(false);
    expect(isAllowedOrigin("https://a.example.com:8443", ["https://*.example.com:8443"])).toBe(true);
    expect(isAllowedOrigin("http://a.localhost:5173", ["http://*.localhost:5173"])).toBe(true);
  });

  test.each([
    "https://evilexample.com",
    "https://.example.com",
    "https://a..example.com",
    "https://evil.example/.example.com",
    "https://evil.example?.example.com",
    "https://evil.example#.example.com",
    "https://evil.example:80.example.com",
    "https://user@a.example.com",
    "https://evil.example\\.example.com",
    "https://a.example.com.evil.example",
    "https://a.example.com/",
    "https://a.example.com.",
    "https://a b.example.com",
    "https://*.example.com.example.com/*.example.com",
    "https://é.example.com",
    "https:.example.com",
    "null",
  ])("with a wildcard is not %s", (origin) => {
    expect(isAllowedOrigin(origin, ["https://*.example.com"])).toBe(false);
  });

  test("with a wildcard is a host below the domain, for any text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl(), fc.string(), fc.domain()), (text) => {
        const origin = `https://${text}.example.com`;
        const isBelow = URL.canParse(origin) && new URL(origin).origin === origin.toLowerCase();
        if (isAllowedOrigin(origin, ["https://*.example.com"]))
          expect(isBelow || text.length > 200).toBe(true);
      }),
    );
  });

  test("is not given by an entry with a star elsewhere, which older versions stored", () => {
    for (const entry of [
      "https://*",
      "https://*.",
      "https://*.com",
      "https://a*.example.com",
      "https://*.*.com",
    ]) {
      expect([entry, isAllowedOrigin("https://ab.example.com", [entry])]).toEqual([entry, false]);
    }
  });

  test("is never in an empty list", () => {
    expect(isAllowedOrigin("https://example.com", [])).toBe(false);
  });
});

describe("the setting of allowed origins", () => {
  test.each([
    "https://example.com",
    "http://localhost:3000",
    "http://192.0.2.1:8080",
    "http://[2001:db8::1]",
    "https://*.example.com",
    "https://*.shop.example.co.uk:8443",
    "http://*.example.com",
    "http://*.localhost:3000",
    "https://*.xn--mnchen-3ya.de",
  ])("takes %s", (text) => {
    expect(isOriginPattern(text)).toBe(true);
  });

  test.each([
    "",
    "*",
    "example.com",
    "*.example.com",
    "https://example.com/",
    "https://example.com/path",
    "https://EXAMPLE.com",
    "https://example.com:443",
    "https://*",
    "https://*.",
    "https://*.com",
    "https://*.com.",
    "https://*..com",
    "https://*.*.com",
    "https://a.*.com",
    "https://*example.com",
    "https://a*.example.com",
    "https://www.*",
    "https://*.example.com/",
    "https://*.example.com/path",
    "https://*.example.com?q",
    "https://*.example.com#a",
    "https://*.user@example.com",
    "https://*.user:password@example.com",
    "https://user@*.example.com",
    "https://*.example.com:443",
    "https://*.example.com:65536",
    "https://*.example.com:*",
    "https://*.example.com:",
    "https://*.EXAMPLE.com",
    "https://*.münchen.de",
    "https://*.192.0.2.1",
    "https://*.[2001:db8::1]",
    "https://*.a..example.com",
    "https://*.example.com.",
    "https://*. example.com",
    "https://*.example.com\n",
    "ws://*.example.com",
    "ftp://*.example.com",
    "javascript://*.example.com",
    "null",
  ])("does not take %j", (text) => {
    expect(isOriginPattern(text)).toBe(false);
  });

  test("matches subdomains of whatever wildcard it takes", () => {
    fc.assert(
      fc.property(fc.domain(), fc.constantFrom("", ":8443"), (domain, port) => {
        fc.pre(isOriginPattern(`https://${domain}${port}`));
        const pattern = `https://*.${domain}${port}`;
        expect(isOriginPattern(pattern)).toBe(true);
        expect(isAllowedOrigin(`https://a.b.${domain}${port}`, [pattern])).toBe(true);
        expect(isAllowedOrigin(`https://${domain}${port}`, [pattern])).toBe(false);
      }),
    );
  });
});
