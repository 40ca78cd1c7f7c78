import { phoneOf, userJid } from '../jid.ts';
import type { IdentityFact, IdentitySource } from '../port.ts';
import { lidOf } from './addresses.ts';
import type { LinkedDevice } from './devices.ts';
import type { Inboxes } from './inboxes.ts';
import type { Phone } from './phones.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

/** For this long after a device learns an address, it checks consent again before it sends. */
const NEW_MS = 60_000;

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

  shareNumber(phone: Phone, to: string): boolean {
    const told = this.#sandboxDeps.devices.of(to).filter((device) => phone.strangers.delete(device));
    for (const device of told) this.#tellAddress(device, lidOf(phone.digits), phone.digits);
    return told.length > 0;
  }

  announceChange(device: LinkedDevice, former: readonly string[], phone: string): void {
    for (const one of former) this.#tellAddress(device, one.includes('@') ? one : userJid(one), phone, 'notice');
  }

  introduce(device: LinkedDevice, to: string): void {
    const { phones } = this.#sandboxDeps;
    const dialled = phoneOf(to);
    if (dialled === null || dialled === device.phone) return;
    const registered = phones.registered(dialled);
    const owner = phones.seen(registered);
    // If two numbers are reported for a hidden address, it is ambiguous, and the network confirms neither.
    const hidden = owner?.lid && owner.toldNumber === null ? [lidOf(registered)] : [];
    const addresses = [...(dialled === registered ? [] : [userJid(dialled)]), ...hidden];
    for (const address of addresses) {
      if (device.introduced.get(address) === registered) continue;
      device.introduced.set(address, registered);
      const fact = this.#tellAddress(device, address, registered);
      device.newlyIntroduced.set(registered, [...this.newOf(device, to), fact]);
    }
  }

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
