import type { BinaryNode } from '../library.ts';
import { only } from './stanzas.ts';

/** As in the network's own client. */
const REFILL = 50;

/** The library publishes only five keys when few are left. `upload` runs before its own. */
export function fewKeys(stanza: BinaryNode, upload: (count: number) => Promise<void>): void {
  if (stanza.tag !== 'notification' || stanza.attrs['type'] !== 'encrypt') return;
  const left = only(stanza, 'count')?.attrs['value'];
  // While an upload is in progress, the library waits for it and starts no other.
  if (left !== undefined && Number(left) < REFILL) upload(REFILL).catch(() => {});
}
