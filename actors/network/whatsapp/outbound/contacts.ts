import { isLid, phoneOf } from '../../jid.ts';
import type { BinaryNode } from '../library.ts';
import { inside, only } from '../repairs/stanzas.ts';
import type { ConnectionContext } from '../session/connection-context.ts';

export interface Contact {
  readonly isOnNetwork: boolean;
  readonly lid: string | null;
  /** The registered form of the number, which may differ from the typed form. */
  readonly pn: string | null;
}

const NOBODY: Contact = { isOnNetwork: false, lid: null, pn: null };

/** Matches results by the typed number, because an address may contain another form of the number. */
export async function contactsOf(context: Asking, digits: readonly string[]): Promise<readonly Contact[]> {
  const users = digits.map((each) => ({ tag: 'user', attrs: {}, content: [{ tag: 'contact', attrs: {}, content: `+${each}` }] }));
  const told = (await usersIn(context, users)).map(({ attrs: { jid = '', pn_jid: number }, content }) => {
    const contact = Array.isArray(content) ? content.find(({ tag }) => tag === 'contact') : undefined;
    const pn = [number, jid].find((one) => one !== undefined && phoneOf(one) !== null) ?? null;
    const found: Contact = { isOnNetwork: contact?.attrs['type'] === 'in', lid: isLid(jid) ? jid : null, pn };
    return [typedIn(contact), found] as const;
  });
  const byText = new Map(told);
  return digits.map((each) => byText.get(each) ?? NOBODY);
}

type Asking = Pick<ConnectionContext, 'socket' | 'library'>;

export async function usersIn(
  { socket, library }: Asking,
  users: readonly BinaryNode[],
  more: readonly BinaryNode[] = [],
): Promise<readonly BinaryNode[]> {
  const query = { tag: 'query', attrs: {}, content: [{ tag: 'contact', attrs: { addressing_mode: 'lid' } }, ...more] };
  const attrs = { sid: socket.generateMessageTag(), mode: 'query', last: 'true', index: '0', context: 'interactive' };
  const answer = await socket.query({
    tag: 'iq',
    attrs: { to: library.S_WHATSAPP_NET, type: 'get', xmlns: 'usync' },
    content: [{ tag: 'usync', attrs, content: [query, { tag: 'list', attrs: {}, content: [...users] }] }],
  });
  if (!answer) throw new Error('the network did not respond to a query about numbers');
  return inside(only(only(answer, 'usync'), 'list'), 'user');
}

export const typedIn = (contact: BinaryNode | undefined): string => textOf(contact?.content).replace(/^\+|@.*$/g, '');

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return content instanceof Uint8Array ? Buffer.from(content).toString() : '';
}
