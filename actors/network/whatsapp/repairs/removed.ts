import type { BinaryNode } from '../library.ts';
import { inside } from './stanzas.ts';

const LOGGED_OUT = '401';

/** Without a code, the library would take a removal for another login in its place. */
export function removed(stanza: BinaryNode): void {
  if (stanza.tag !== 'stream:error' || stanza.attrs['code']) return;
  const isRemoval = inside(stanza, 'conflict').some(({ attrs }) => attrs['type'] === 'device_removed');
  if (isRemoval) stanza.attrs['code'] = LOGGED_OUT;
}
