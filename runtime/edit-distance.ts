/** Returns the Damerau–Levenshtein distance in which each letter is edited at most once. */
export function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, nth) => nth);
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let col = 1; col <= other.length; col += 1) {
      const change = one[row - 1] === other[col - 1] ? 0 : 1;
      let least = Math.min(above[col]! + 1, line[col - 1]! + 1, above[col - 1]! + change);
      const isSwap = row > 1 && col > 1 && one[row - 1] === other[col - 2] && one[row - 2] === other[col - 1];
      if (isSwap) least = Math.min(least, before[col - 2]! + 1);
      line.push(least);
    }
    [before, above] = [above, line];
  }
  return above[other.length]!;
}
