import type { BinaryNode, Library } from '../library.ts';
import { inside, isThisDevice, keep, only, type Self } from './stanzas.ts';

/** Removes this device from device lists. Otherwise, the library would request this device's own keys. */
export function ownDevice(stanza: BinaryNode, library: Library, self: Self): void {
  if (stanza.tag === 'iq') {
    for (const user of inside(only(only(stanza, 'usync'), 'list'), 'user')) {
      const name = library.jidDecode(user.attrs['jid']);
      if (!name) continue;
      const isOurs = (device: BinaryNode): boolean =>
        isThisDevice(library, self, library.jidEncode(name.user, name.server, Number(device.attrs['id'])));
      keep(only(only(user, 'devices'), 'device-list'), (device) => !isOurs(device));
    }
  } else if (isOfDevices(stanza)) {
    for (const change of inside(stanza)) keep(change, ({ attrs }) => !isThisDevice(library, self, attrs['jid'] ?? ''));
  }
}

export const isOfDevices = ({ tag, attrs }: BinaryNode): boolean => tag === 'notification' && attrs['type'] === 'devices';
