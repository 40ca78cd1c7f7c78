import type { BinaryNode } from '../library.ts';
import { inside, keep, only } from './stanzas.ts';

/** Users whose devices the network could not tell, until it can. */
export interface Unresolved {
  set(user: string, isUntold: true): void;
  delete(user: string): void;
}

const hasError = (node: BinaryNode): boolean => only(node, 'error') !== undefined;

/**
 * The network answers for each device, or each person, by itself; the library takes an error of one for the end of all. Those in error are
 * taken out of the answer: a device without keys gets nothing, and a person whose devices cannot be told is noted as `unresolved`.
 */
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
