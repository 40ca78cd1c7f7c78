import type { GroupMetadata } from '@whiskeysockets/baileys';
import type { Mappings } from '../inbound/mappings.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import type { Address } from './address.ts';
import { notInGroup, Refused } from './refused.ts';

/** Throws if the person is not on the network, because the library would send only to our own phone. */
export async function assertOnNetwork(
  { library, socket, creds, account }: Pick<ConnectionContext, 'library' | 'socket' | 'creds' | 'account'>,
  to: string,
): Promise<void> {
  const user = library.jidDecode(to)?.user;
  if (user && account.devices.get<readonly unknown[]>(user)?.length) return;
  // Use our own address in the same form, because the network does not accept a mixture of forms.
  const me = library.jidNormalizedUser((library.isLidUser(to) && creds.me.lid) || creds.me.id);
  if (library.areJidsSameUser(to, me)) return;
  const devices = await socket.getUSyncDevices([me, to], true, false);
  if (devices.some((device) => device.user === user)) return;
  if (user && account.unresolved.get(user)) throw new Error('the network did not return their devices');
  throw new Refused('not_on_network');
}

export type AssertWanted = (netId: string, chat: string, address: Address) => Promise<void>;

/** Checks consent again if a lookup reveals another address of the person, which may have opted out. */
export const assertWantedBy =
  ({ whyNot }: Pick<ConnectionContext, 'whyNot'>, mappings: Pick<Mappings, 'newOf'>): AssertWanted =>
  async (netId, chat, { to, lid, pn }) => {
    const facts = mappings.newOf([chat, to, lid, pn]);
    const reason = facts.length > 0 ? await whyNot(netId, facts) : null;
    if (reason !== null) throw new Refused(reason);
  };

const ours = new WeakSet<GroupMetadata>();

export async function assertMember({ account, socket, library, creds }: ConnectionContext, group: string): Promise<void> {
  const known = account.groups.get(group);
  if (known && ours.has(known)) return;
  const found = known ?? (await socket.groupMetadata(group).catch((cause) => notInGroup(cause)));
  const isMe = (jid: string | undefined): boolean =>
    library.areJidsSameUser(jid, creds.me.id) || library.areJidsSameUser(jid, creds.me.lid);
  if (!found.participants.some(({ id, phoneNumber, lid }) => isMe(id) || isMe(phoneNumber) || isMe(lid))) throw new Refused('not_in_group');
  ours.add(found);
  account.groups.set(group, found);
}
