import type { BinaryNode, Library } from '../library.ts';
import { isOfDevices } from './own-device.ts';
import { inside, only, type Self } from './stanzas.ts';

/** The known devices of people, by user. */
interface Lists {
  del(user: string): unknown;
}

/**
 * Makes a change of a person's devices apply to both of their addresses. The device list is stored
 * under both, but the network announces a change once: by number, with the hidden address as an
 * attribute. The library changes only the one list; here the other is named, too. For our own
 * account the network sends the whole list, which the library does not read: it is dropped, and
 * requested with the next message.
 */
export function bothLists(stanza: BinaryNode, library: Library, self: Self, lists: Lists): void {
  if (isOfDevices(stanza)) {
    const hidden = library.jidDecode(stanza.attrs['lid']);
    for (const change of inside(stanza))
      if (Array.isArray(change.content)) change.content = change.content.flatMap((one) => both(one, hidden));
  } else if (stanza.tag === 'notification' && stanza.attrs['type'] === 'account_sync' && only(stanza, 'devices')) {
    for (const own of [self.id, self.lid]) {
      const user = library.jidDecode(own)?.user;
      if (user) void Promise.resolve(lists.del(user)).catch(() => {});
    }
  }

  function both(device: BinaryNode, hidden: { readonly user: string } | undefined): BinaryNode[] {
    const number = library.jidDecode(device.attrs['jid']);
    if (device.tag !== 'device' || !number || number.server === 'lid') return [device];
    const lid = device.attrs['lid'] ?? (hidden && library.jidEncode(hidden.user, 'lid', number.device));
    return lid ? [device, { ...device, attrs: { ...device.attrs, jid: lid } }] : [device];
  }
}
