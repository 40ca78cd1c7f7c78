import type { BinaryNode } from '../library.ts';
import { only } from './stanzas.ts';

/** Number of pre-keys below which more are published, as in the network's own client. */
const REFILL = 50;

/**
 * Publishes more pre-keys when few are left; the library publishes only five. `upload` runs before
 * the library's own upload.
 */
export function fewKeys(stanza: BinaryNode, upload: (count: number) => Promise<void>): void {
  if (stanza.tag !== 'notification' || stanza.attrs['type'] !== 'encrypt') return;
  const left = only(stanza, 'count')?.attrs['value'];
  // While an upload is in progress, the library waits for it and does not start another one.
  if (left !== undefined && Number(left) < REFILL) upload(REFILL).catch(() => {});
}
