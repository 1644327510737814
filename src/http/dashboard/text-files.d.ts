declare module "*.svg" {
  const text: string;
  // The bundler gives a file's text as its default export.
  // oxlint-disable-next-line import/no-default-export
  export default text;
}

declare module "*.css" {
  const text: string;
  // oxlint-disable-next-line import/no-default-export
  export default text;
}
