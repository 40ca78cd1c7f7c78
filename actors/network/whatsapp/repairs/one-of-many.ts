import type { BinaryNode } from '../library.ts';
import { inside, keep, only } from './stanzas.ts';

export interface Unresolved {
  set(user: string, isUntold: true): void;
  delete(user: string): void;
}

const hasError = (node: BinaryNode): boolean => only(node, 'error') !== undefined;

/** Removes failed entries. Because of a single one, the library would treat the response as failed. */
export function oneOfMany(stanza: BinaryNode, unresolved: Unresolved): void {
  if (stanza.tag !== 'iq' || stanza.attrs['type'] !== 'result') return;
  keep(only(stanza, 'list'), (user) => user.tag !== 'user' || !hasError(user));
  for (const user of inside(only(only(stanza, 'usync'), 'list'), 'user')) {
    const name = user.attrs['jid']?.split(/[:@]/)[0] ?? '';
    if (inside(user, 'devices').some(hasError)) unresolved.set(name, true);
    else if (only(user, 'devices')) unresolved.delete(name);
    keep(user, (told) => !hasError(told));
  }
}
