import type { BinaryNode } from '../library.ts';
import { only } from './stanzas.ts';

/** The minimum number of keys and the size of an upload, as in the network's own client. */
const REFILL = 50;

/** The library publishes only five pre-keys. `upload` runs before the library's own upload. */
export function fewKeys(stanza: BinaryNode, upload: (count: number) => Promise<void>): void {
  if (stanza.tag !== 'notification' || stanza.attrs['type'] !== 'encrypt') return;
  const left = only(stanza, 'count')?.attrs['value'];
  // The library waits for a running upload and does not start a second one.
  if (left !== undefined && Number(left) < REFILL) upload(REFILL).catch(() => {});
}
