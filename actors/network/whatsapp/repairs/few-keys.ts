import type { BinaryNode } from '../library.ts';
import { only } from './stanzas.ts';

/** As the network's own client has it. */
const REFILL = 50;

/** When few one-time keys are left, the library publishes five: four contacts later it happens again. `upload` goes before it. */
export function fewKeys(stanza: BinaryNode, upload: (count: number) => Promise<void>): void {
  if (stanza.tag !== 'notification' || stanza.attrs['type'] !== 'encrypt') return;
  const left = only(stanza, 'count')?.attrs['value'];
  // The library waits for an upload that is under way, and makes no other.
  if (left !== undefined && Number(left) < REFILL) upload(REFILL).catch(() => {});
}
