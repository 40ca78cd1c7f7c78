import type { BinaryNode } from '../library.ts';
import { inside } from './stanzas.ts';

const LOGGED_OUT = '401';

/** Adds a code, without which the library would assume that another login replaced this one. */
export function removed(stanza: BinaryNode): void {
  if (stanza.tag !== 'stream:error' || stanza.attrs['code']) return;
  const isRemoval = inside(stanza, 'conflict').some(({ attrs }) => attrs['type'] === 'device_removed');
  if (isRemoval) stanza.attrs['code'] = LOGGED_OUT;
}
