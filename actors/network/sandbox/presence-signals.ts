import { userJid } from '../jid.ts';
import type { Presence } from '../port.ts';
import { numberAt } from './addresses.ts';
import type { Read } from './connection.ts';
import type { LinkedDevice } from './devices.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

export class PresenceSignals {
  readonly #sandboxDeps: SandboxDeps;

  constructor(sandboxDeps: SandboxDeps) {
    this.#sandboxDeps = sandboxDeps;
  }

  markRead(device: LinkedDevice, messages: readonly Read[]): void {
    const { phones, journal, soon } = this.#sandboxDeps;
    for (const { netId, from } of messages) {
      const digits = from && numberAt(from);
      if (!digits) continue;
      journal.note({ what: 'seen', phone: digits, netId });
      soon.run(() => phones.named(digits).markSeen(netId, device.phone));
    }
  }

  presence(device: LinkedDevice, chat: string, state: Presence): void {
    const { phones, journal, soon } = this.#sandboxDeps;
    const isGroup = chat.endsWith('@g.us');
    for (const digits of this.#readersOf(device, chat)) {
      journal.note({ what: 'presence', phone: digits, to: chat, reason: state });
      soon.run(() => phones.named(digits).see({ from: device.phone, chat: isGroup ? chat : userJid(device.phone), state }));
    }
  }

  #readersOf({ phone }: LinkedDevice, chat: string): readonly string[] {
    if (chat.endsWith('@g.us')) return this.#sandboxDeps.groups.othersIn(chat, phone) ?? [];
    const digits = numberAt(chat);
    return digits && this.#sandboxDeps.phones.isOnNetwork(digits) ? [digits] : [];
  }
}
