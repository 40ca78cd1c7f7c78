import { at } from '../../../runtime/invariant.ts';
export function shareOut<Thing, Taker>(things: readonly Thing[], takers: readonly Taker[]): ReadonlyMap<Taker, readonly Thing[]> {
  const shares = new Map<Taker, Thing[]>();
  things.forEach((thing, nth) => {
    const taker = at(takers, nth % takers.length);
    const share = shares.get(taker);
    if (share) share.push(thing);
    else shares.set(taker, [thing]);
  });
  return shares;
}
