import type { BinaryNode, Library } from '../library.ts';
import { isOfDevices } from './own-device.ts';
import { inside, only, type Self } from './stanzas.ts';

interface Lists {
  del(user: string): unknown;
}

/** Applies a notice about the device list of one address to the person's other address, too. */
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
