const SHORT = 8;

/** Variables that are close to one of ours and are none, as a sentence each: `MONGO_URL` was meant as `MONGODB_URL`, and is not read. */
export function misspelled(env: Readonly<Record<string, string | undefined>>, known: readonly string[]): string[] {
  return Object.keys(env)
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = known.find((one) => distance(name, one) <= (one.length < SHORT ? 1 : 2));
      return meant ? [`The environment variable ${name} is not read: did you mean ${meant}?`] : [];
    });
}

/** Letters to put in, take out or change (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length]!;
}
