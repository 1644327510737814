/** Files that are imported as text. The package declares some languages as modules, which would win over the pattern. */

declare module "*/altcha.min.js" {
  const text: string;
  export default text;
}

declare module "*/setup.js" {
  const text: string;
  export default text;
}

declare module "altcha/altcha.css" {
  const text: string;
  export default text;
}

declare module "altcha/workers/*" {
  const text: string;
  export default text;
}

declare module "altcha/i18n/*" {
  const text: string;
  export default text;
}

declare module "altcha/i18n/de" {
  export { default } from "altcha/i18n/*";
}

declare module "altcha/i18n/it" {
  export { default } from "altcha/i18n/*";
}

declare module "altcha/i18n/ja" {
  export { default } from "altcha/i18n/*";
}

declare module "altcha/i18n/nl" {
  export { default } from "altcha/i18n/*";
}

declare module "altcha/i18n/pl" {
  export { default } from "altcha/i18n/*";
}
