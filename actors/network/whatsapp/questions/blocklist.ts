import { networkRefusal } from '../../network-refusal.ts';
import type { Person } from '../../person.ts';
import type { BinaryNode } from '../library.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { type Addresses, addressesOf, personOf } from './people.ts';
import { ask, child, children, el } from './query.ts';

interface Blocklist {
  readonly jids: readonly string[];
  readonly dhash: string | null;
}

const NOT_FOUND = 404;

export async function blocklist(context: ConnectionContext): Promise<readonly Person[]> {
  return peopleOn(context, await read(context));
}

/** To block, the network needs the hidden address, and also the number if it is known. */
export async function setBlocked(context: ConnectionContext, phone: string, blocked: boolean): Promise<readonly Person[]> {
  const [addresses, list] = [await addressesOf(context, phone), await read(context)];
  const entry = entryOf(list, addresses);
  if (blocked === (entry !== null)) return peopleOn(context, list);
  const item = blocked ? blockItem(addresses) : { action: 'unblock', jid: entry ?? addresses.pn ?? addresses.lid ?? '' };
  const versioned = { ...item, ...(list.dhash !== null && { dhash: list.dhash }) };
  const answer = await ask(context, { type: 'set', xmlns: 'blocklist' }, [el('item', versioned)]);
  return peopleOn(context, child(answer, 'list') ? listIn(answer) : await read(context));
}

const entryOf = ({ jids }: Pick<Blocklist, 'jids'>, { pn, lid }: Addresses): string | null =>
  jids.find((jid) => jid === pn || jid === lid) ?? null;

function blockItem({ pn, lid }: Addresses): Readonly<Record<string, string>> {
  if (lid === null) throw networkRefusal(NOT_FOUND);
  return { action: 'block', jid: lid, ...(pn !== null && { pn_jid: pn }) };
}

const read = async (context: ConnectionContext): Promise<Blocklist> => listIn(await ask(context, { type: 'get', xmlns: 'blocklist' }, []));

function listIn(answer: BinaryNode): Blocklist {
  const list = child(answer, 'list');
  return { jids: children(list, 'item').flatMap(({ attrs: { jid } }) => jid ?? []), dhash: list?.attrs['dhash'] ?? null };
}

async function peopleOn(context: ConnectionContext, { jids }: Blocklist): Promise<readonly Person[]> {
  const people = await Promise.all(jids.map((jid) => personOf(context, jid)));
  return people;
}
