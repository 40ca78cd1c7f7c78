/**
 * Parses the word lists in words/. Each list is a single string, so that `npm run bench -- --only
 * ai` can measure the reader without the list.
 */

export const linesOf = (list: string): readonly string[] => list.split('\n').filter((line) => line !== '');

export const wordsIn = (list: string): ReadonlySet<string> => new Set(linesOf(list).flatMap((line) => line.split(' ')));

export const entriesOf = (list: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    linesOf(list).map((line) => {
      const [first = '', ...others] = line.split(' ');
      return [first, others];
    }),
  );
