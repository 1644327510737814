import { describe, expect, test } from "bun:test";
import { AppError } from "../../src/base/errors.ts";
import { parseS3Url } from "../../src/blobs/s3/url.ts";

describe("the URL of a bucket", () => {
  test.each([
    ["s3://my-bucket?region=eu-west-1", "https://s3.eu-west-1.amazonaws.com", "my-bucket", "", false],
    ["S3://my-bucket/?region=cn-north-1", "https://s3.cn-north-1.amazonaws.com.cn", "my-bucket", "", false],
    ["s3://b.1/x/y_z/?region=eu-west-1", "https://s3.eu-west-1.amazonaws.com", "b.1", "x/y_z", true],
    ["s3://abc/x?endpoint=http://127.0.0.1:9000", "http://127.0.0.1:9000", "abc", "x", true],
    ["s3://abc?endpoint=https://e.example/&path-style=0", "https://e.example", "abc", "", false],
    [
      "s3://abc?endpoint=https%3A%2F%2Fe.example%2Fstorage%2Fs3%2F",
      "https://e.example/storage/s3",
      "abc",
      "",
      true,
    ],
    ["s3://abc?endpoint=http://[::1]:9000", "http://[::1]:9000", "abc", "", true],
  ])("%s", (url, endpoint, bucket, prefix, pathStyle) => {
    expect(parseS3Url(url)).toMatchObject({ endpoint, bucket, prefix, pathStyle });
  });

  test("has the region of its parameter, and us-east-1 where there is an endpoint instead", () => {
    expect(parseS3Url("s3://abc?region=eu-west-1").region).toBe("eu-west-1");
    expect(parseS3Url("s3://abc?endpoint=https://e.example&region=garage").region).toBe("garage");
    expect(parseS3Url("s3://abc?endpoint=https://e.example").region).toBe("us-east-1");
  });

  const SECRET = "hunter2";
  test.each([
    "",
    "abc",
    "https://abc.s3.amazonaws.com",
    "s3:/abc?region=eu-west-1",
    "s3://?region=eu-west-1",
    "s3://ab?region=eu-west-1",
    "s3://Abc?region=eu-west-1",
    "s3://a_bc?region=eu-west-1",
    "s3://a..b?region=eu-west-1",
    "s3://-abc?region=eu-west-1",
    "s3://10.0.0.1?region=eu-west-1",
    "s3://abc:9000?region=eu-west-1",
    `s3://key:${SECRET}@abc?region=eu-west-1`,
    `s3://${"a".repeat(64)}?region=eu-west-1`,
    "s3://abc",
    "s3://abc?region=",
    "s3://abc?region=eu west",
    "s3://abc?region=a.example/x",
    "s3://abc?region=eu-west-1&region=eu-west-2",
    `s3://abc?region=eu-west-1&secret=${SECRET}`,
    "s3://abc?region=eu-west-1#x",
    "s3://abc//x?region=eu-west-1",
    "s3://abc/x//y?region=eu-west-1",
    "s3://abc/../x?region=eu-west-1",
    "s3://abc/x/..?region=eu-west-1",
    "s3://abc/%2e%2e?region=eu-west-1",
    "s3://abc/ü?region=eu-west-1",
    "s3://abc/a b?region=eu-west-1",
    "s3://abc/x\n?region=eu-west-1",
    `s3://abc/${"x".repeat(513)}?region=eu-west-1`,
    "s3://abc?endpoint=",
    "s3://abc?endpoint=e.example",
    "s3://abc?endpoint=ftp://e.example",
    "s3://abc?endpoint=https://",
    "s3://abc?endpoint=https:///x",
    `s3://abc?endpoint=https://key:${SECRET}@e.example`,
    "s3://abc?endpoint=https://e.example?x=1",
    "s3://abc?endpoint=https://e.example%23x",
    "s3://abc?endpoint=https://e.example/%2541",
    "s3://abc?endpoint=https://e.example:0",
    "s3://abc?endpoint=https://e.example/x&path-style=0",
    "s3://abc?endpoint=https://10.0.0.1&path-style=0",
    "s3://abc?region=eu-west-1&path-style=yes",
  ])("is invalid as %j, without what it holds in the message", (url) => {
    let error: unknown;
    try {
      parseS3Url(url);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: "invalid", reason: "storage-url" });
    expect((error as AppError).message).not.toContain(SECRET);
  });
});
