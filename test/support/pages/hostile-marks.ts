const every = (property: RegExp): string[] => {
  const found: string[] = [];
  for (let code = 0x80; code < 0xe1000; code += 1) {
    const character = String.fromCodePoint(code);
    if (property.test(character)) found.push(character);
  }
  return found;
};

/** Whether normalizing orders the one before the other. */
const isOrdered = (mark: string, other: string) => {
  const forms = [mark + other, other + mark].map((marks) => `a${marks}`.normalize("NFD"));
  return forms[0] === forms[1];
};

/** A mark of each canonical combining class, of which any two are ordered by normalizing. */
export const COMBINING_MARKS: readonly string[] = every(/\p{M}/u)
  .filter((mark) => mark.normalize("NFD") === mark)
  .reduce<string[]>((marks, mark) => {
    if (marks.every((other) => isOrdered(mark, other))) marks.push(mark);
    return marks;
  }, []);

/** Characters that are ignored where they are shown: the first of each block, and some of the others. */
export const INVISIBLE_CHARACTERS: readonly string[] = every(/\p{Default_Ignorable_Code_Point}/u).filter(
  (character, index, all) =>
    index === 0 ||
    character.codePointAt(0)! >> 8 !== all[index - 1]!.codePointAt(0)! >> 8 ||
    index % 64 === 0,
);
