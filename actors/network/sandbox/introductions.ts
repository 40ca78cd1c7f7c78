import { phoneOf, userJid } from '../jid.ts';
import type { IdentityFact, IdentitySource } from '../port.ts';
import { lidOf } from './addresses.ts';
import type { LinkedDevice } from './devices.ts';
import type { Inboxes } from './inboxes.ts';
import type { Phone } from './phones.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

/** A device asks again whether it may write to somebody of whom it was told something within this time. */
const NEW_MS = 60_000;

/** Tells linked devices which addresses are one person's: when they ask about a number, and when the person or the network says so. */
export class Introductions {
  readonly #sandboxDeps: SandboxDeps;
  readonly #inboxes: Inboxes;

  constructor(sandboxDeps: SandboxDeps, inboxes: Inboxes) {
    this.#sandboxDeps = sandboxDeps;
    this.#inboxes = inboxes;
  }

  /** Devices that know only its hidden address learn whose it is. */
  tellNumber(phone: Phone): void {
    for (const device of phone.strangers) this.#tellAddress(device, lidOf(phone.digits), phone.digits);
    phone.strangers.clear();
  }

  /** The devices of a number, which know only the hidden address, learn whose it is; false: none of them is such a one. */
  shareNumber(phone: Phone, to: string): boolean {
    const told = this.#sandboxDeps.devices.of(to).filter((device) => phone.strangers.delete(device));
    for (const device of told) this.#tellAddress(device, lidOf(phone.digits), phone.digits);
    return told.length > 0;
  }

  /** The person who had these (digits, or hidden addresses) has the number `phone` now. */
  announceChange(device: LinkedDevice, former: readonly string[], phone: string): void {
    for (const one of former) this.#tellAddress(device, one.includes('@') ? one : userJid(one), phone, 'notice');
  }

  /** A device that asks about a number is told the registered one, and the hidden address of whoever writes from it. */
  introduce(device: LinkedDevice, to: string): void {
    const { phones } = this.#sandboxDeps;
    const dialled = phoneOf(to);
    if (dialled === null || dialled === device.phone) return;
    const registered = phones.registered(dialled);
    const addresses = [...(dialled === registered ? [] : [userJid(dialled)]), ...(phones.seen(registered)?.lid ? [lidOf(registered)] : [])];
    for (const address of addresses) {
      if (device.introduced.get(address) === registered) continue;
      device.introduced.set(address, registered);
      const fact = this.#tellAddress(device, address, registered);
      device.newlyIntroduced.set(registered, [...this.newOf(device, to), fact]);
    }
  }

  /** What the device was told lately of whoever is dialled by this address. */
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
