/**
 * Reads the lists of words/: data only, one text each, so that `npm run bench -- --only ai` can measure
 * what the reader does without one of them.
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
