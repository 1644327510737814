/** Command that the completion scripts call with the words of the command line: see complete.ts. */
export const COMPLETE = "__complete";
