/** The end of the help of the program. */
export const FIRST_STEPS = `
First steps:
  formflag serve
  formflag projects create shop
  formflag flags set new-checkout -p shop -e production --on
  formflag forms create contact
  formflag submissions list contact
`;
