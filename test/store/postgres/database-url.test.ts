import { describe, expect, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import { describeDatabase, parseDatabaseUrl } from "../../../src/store/postgres/database-url.ts";

describe("the URL of a database", () => {
  test("is read as libpq reads it", () => {
    expect(
      parseDatabaseUrl("postgresql://ann%40x:p%2Fw%3A%C3%A9@db.example:6432/forms?sslmode=verify-full"),
    ).toEqual({
      host: "db.example",
      port: 6432,
      user: "ann@x",
      password: "p/w:é",
      database: "forms",
      sslMode: "verify-full",
      sslRootCert: null,
      channelBinding: "disable",
      prepare: true,
    });
    expect(parseDatabaseUrl("postgres://ann@[2001:db8::1]")).toMatchObject({
      host: "2001:db8::1",
      port: 5432,
      password: "",
      database: "ann",
    });
    expect(parseDatabaseUrl("postgres://ann@/forms?host=/run/postgresql&prepare=false")).toMatchObject({
      host: "/run/postgresql",
      sslMode: "disable",
      prepare: false,
    });
    expect(parseDatabaseUrl("postgres://ann@%2Frun%2Fpostgresql/forms").host).toBe("/run/postgresql");
  });

  test.each([
    ["127.0.0.1", "", "disable"],
    ["localhost", "?sslmode=allow", "prefer"],
    ["[::1]", "?sslmode=require", "require"],
    ["db.example", "", "require"],
    ["127.0.0.1.example", "", "require"],
    ["10.0.0.7", "?sslmode=prefer", "require"],
    ["10.0.0.7", "?sslmode=disable", "disable"],
    ["10.0.0.7", "?sslrootcert=/etc/ca.pem", "require"],
  ])("of %s%s has TLS: %s", (host, query, mode) => {
    expect(parseDatabaseUrl(`postgres://ann@${host}/forms${query}`).sslMode).toBe(mode as never);
  });

  test.each([
    ["", "start with postgres://"],
    ["db.example/forms", "start with postgres://"],
    ["mysql://ann:secret@db/forms", "mysql://"],
    ["postgres://ann:sec@ret@db/forms", "malformed"],
    ["postgres://ann:sec/ret@db/forms", "malformed"],
    ["postgres://ann:secret@db1,db2/forms", "one host"],
    ["postgres://ann:secret@db:port/forms", "malformed"],
    ["postgres://ann:secret@db:70000/forms", "port"],
    ["postgres://ann:secret@db/forms/more", "malformed"],
    ["postgres://ann:secret@db/forms#x", "malformed"],
    ["postgres://db/forms", "no user"],
    ["postgres://ann:secret%zz@db/forms", "password"],
    ["postgres://ann:secret%00@db/forms", "NUL"],
    ["postgres://ann:secret@db/forms?sslmode=on", "sslmode"],
    ["postgres://ann:secret@db/forms?prepare=no", "prepare"],
    ["postgres://ann:secret@db/forms?sslmod=require", "sslmod"],
    ["postgres://ann:secret@db/forms?sslmode=disable&sslrootcert=x", "sslrootcert"],
  ])("%s is refused, without its password", (url, message) => {
    let error: unknown;
    try {
      parseDatabaseUrl(url);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(AppError);
    expect((error as AppError).code).toBe("invalid");
    expect((error as AppError).message).toContain(message);
    expect((error as AppError).message).not.toMatch(/secret|sec@|ret/);
  });

  test("is described without its password", () => {
    const describe = (url: string) => describeDatabase(parseDatabaseUrl(url));
    expect(describe("postgres://ann:secret@db.example/forms?prepare=false")).toBe(
      "postgres://ann@db.example:5432/forms",
    );
    expect(describe("postgres://ann:secret@[::1]:6432/forms")).toBe("postgres://ann@[::1]:6432/forms");
    expect(describe("postgres://ann@/forms?host=/run/postgresql")).toBe(
      "postgres://ann@/forms?host=/run/postgresql",
    );
  });
});
