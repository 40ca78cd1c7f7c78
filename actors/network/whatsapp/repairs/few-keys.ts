import type { BinaryNode } from '../library.ts';
import { only } from './stanzas.ts';

/** With fewer pre-keys left, uploads this many new ones, as the network's own client does. */
const REFILL = 50;

/** Uploads more pre-keys than the library, which publishes only five. Starts before the library does. */
export function fewKeys(stanza: BinaryNode, upload: (count: number) => Promise<void>): void {
  if (stanza.tag !== 'notification' || stanza.attrs['type'] !== 'encrypt') return;
  const left = only(stanza, 'count')?.attrs['value'];
  // If an upload is running, the library waits for it instead of starting its own.
  if (left !== undefined && Number(left) < REFILL) upload(REFILL).catch(() => {});
}
