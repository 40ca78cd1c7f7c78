/** The known name that was most likely meant; null: none is close. `chatId` is close to `chat_id`, `captoin` to `caption`. */
export function closestTo(name: string, known: readonly string[]): string | null {
  const plain = plainOf(name.slice(0, 64));
  const allowed = Math.min(2, Math.floor(plain.length / 3));
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const one of known) {
    const distance = distanceOf(plain, plainOf(one));
    if (distance <= allowed && (best === null || distance < best.distance)) best = { name: one, distance };
  }
  return best?.name ?? null;
}

const plainOf = (name: string): string => name.toLowerCase().replace(/[_\-\s]/g, '');

/** Letters to change, add, take away or swap with their neighbour. */
function distanceOf(one: string, other: string): number {
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
