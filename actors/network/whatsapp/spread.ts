import type { BinaryNode } from './library.ts';
import type { Wires } from './wires.ts';

type Status = 'delivered' | 'read';

/** How far a message to a group came: the members, each under all of its addresses, that have not got it, and that have not read it. */
interface Spread {
  readonly at: number;
  readonly delivered: readonly (readonly string[])[];
  readonly read: readonly (readonly string[])[];
}

const SPREAD = 'spread';
/** Members who have not read a message by then are not waited for. */
const WAITED_FOR_MS = 7 * 86_400_000;

/** Before a message goes to a group it is noted who has to get it, so that the receipt of the last one can be told. */
export function expect(wires: Wires, netId: string, group: string): void {
  const { account, library, creds, keyring, clock } = wires;
  const isMe = (jid: string): boolean => library.areJidsSameUser(jid, creds.me?.id) || library.areJidsSameUser(jid, creds.me?.lid);
  const members = (account.groups.get(group)?.participants ?? [])
    .map(({ id, phoneNumber, lid }) => [id, phoneNumber, lid].filter((jid): jid is string => !!jid))
    .filter((addresses) => !addresses.some(isMe));
  keyring.set(SPREAD, { [netId]: { at: clock.now(), delivered: members, read: members } satisfies Spread });
}

/** Those of these messages that the last member has now got, or read; the others are only noted. */
export async function spread(wires: Wires, node: BinaryNode, netIds: readonly string[], status: Status): Promise<readonly string[]> {
  const { keyring } = wires;
  const known = await keyring.get(SPREAD, netIds);
  const by = node.attrs['participant'] ?? '';
  const complete = netIds.filter((netId) => {
    const before = known[netId] as Spread | undefined;
    if (!before) return false;
    const after = without(wires, before, by, status);
    keyring.set(SPREAD, { [netId]: after.read.length > 0 ? after : null });
    return after[status].length === 0;
  });
  await keyring.durable();
  return complete;
}

function without({ library }: Wires, before: Spread, by: string, status: Status): Spread {
  const others = (members: Spread['read']) => members.filter((addresses) => !addresses.some((jid) => library.areJidsSameUser(jid, by)));
  return { ...before, delivered: others(before.delivered), read: status === 'read' ? others(before.read) : before.read };
}

/** Forgets messages that somebody never read. */
export async function forgetOld({ keyring, clock }: Wires): Promise<void> {
  for (const [netId, kept] of await keyring.all(SPREAD)) {
    if ((kept as Spread).at < clock.now() - WAITED_FOR_MS) keyring.set(SPREAD, { [netId]: null });
  }
}
