import { phoneOf, userJid } from '../jid.ts';
import type { IdentityFact, IdentitySource } from '../port.ts';
import { lidOf } from './addresses.ts';
import type { LinkedDevice } from './devices.ts';
import type { Inboxes } from './inboxes.ts';
import type { Phone } from './phones.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

/** How long an introduction counts as new. Until then the device checks consent again before it sends. */
const NEW_MS = 60_000;

/** Reports which addresses belong to one person: after a lookup, a shared number or a number change. */
export class Introductions {
  readonly #sandboxDeps: SandboxDeps;
  readonly #inboxes: Inboxes;

  constructor(sandboxDeps: SandboxDeps, inboxes: Inboxes) {
    this.#sandboxDeps = sandboxDeps;
    this.#inboxes = inboxes;
  }

  tellNumber(phone: Phone): void {
    for (const device of phone.strangers) this.#tellAddress(device, lidOf(phone.digits), phone.digits);
    phone.strangers.clear();
  }

  /**
   * Reports the phone's number to the devices of the number `to`. Returns false if all of them
   * already know it.
   */
  shareNumber(phone: Phone, to: string): boolean {
    const told = this.#sandboxDeps.devices.of(to).filter((device) => phone.strangers.delete(device));
    for (const device of told) this.#tellAddress(device, lidOf(phone.digits), phone.digits);
    return told.length > 0;
  }

  /** Reports that the owner of the `former` numbers or hidden addresses now has `phone`. */
  announceChange(device: LinkedDevice, former: readonly string[], phone: string): void {
    for (const one of former) this.#tellAddress(device, one.includes('@') ? one : userJid(one), phone, 'notice');
  }

  /** Reports a number's registered form and its owner's hidden address to a device that looks up the number. */
  introduce(device: LinkedDevice, to: string): void {
    const { phones } = this.#sandboxDeps;
    const dialled = phoneOf(to);
    if (dialled === null || dialled === device.phone) return;
    const registered = phones.registered(dialled);
    const owner = phones.seen(registered);
    // If the network reports two numbers for a hidden address, it does not confirm either of them.
    const hidden = owner?.lid && owner.toldNumber === null ? [lidOf(registered)] : [];
    const addresses = [...(dialled === registered ? [] : [userJid(dialled)]), ...hidden];
    for (const address of addresses) {
      if (device.introduced.get(address) === registered) continue;
      device.introduced.set(address, registered);
      const fact = this.#tellAddress(device, address, registered);
      device.newlyIntroduced.set(registered, [...this.newOf(device, to), fact]);
    }
  }

  /** Returns the facts about this person that the device received within the last `NEW_MS`. */
  newOf(device: LinkedDevice, to: string): readonly IdentityFact[] {
    const { phones, clock } = this.#sandboxDeps;
    const dialled = phoneOf(to);
    if (dialled === null) return [];
    return device.newlyIntroduced.get(phones.registered(dialled))?.filter(({ at }) => at >= clock.now() - NEW_MS) ?? [];
  }

  #tellAddress(device: LinkedDevice, address: string, phone: string, source: IdentitySource = 'usync'): IdentityFact {
    const fact = { address, phone, username: null, source, at: this.#sandboxDeps.clock.now() };
    this.#inboxes.put(device, { type: 'identity', token: address, ...fact });
    return fact;
  }
}
