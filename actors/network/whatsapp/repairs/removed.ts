import type { BinaryNode } from '../library.ts';
import { inside } from './stanzas.ts';

const LOGGED_OUT = '401';

/** Adds the code missing after an unlink. Otherwise, the library would assume that a login replaced ours. */
export function removed(stanza: BinaryNode): void {
  if (stanza.tag !== 'stream:error' || stanza.attrs['code']) return;
  const isRemoval = inside(stanza, 'conflict').some(({ attrs }) => attrs['type'] === 'device_removed');
  if (isRemoval) stanza.attrs['code'] = LOGGED_OUT;
}
