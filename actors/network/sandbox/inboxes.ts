import { type KeptEvent, tokenOf } from '../port.ts';
import type { LinkedDevice, Login } from './devices.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

/** What may be unacknowledged on its way to one login; more waits, so that a slow gateway is not flooded. */
const WINDOW = 200;

/** Tells linked devices what concerns them, and tells it again in each login until they say that it is stored. */
export class Inboxes {
  readonly #sandboxDeps: SandboxDeps;

  constructor(sandboxDeps: SandboxDeps) {
    this.#sandboxDeps = sandboxDeps;
  }

  put(device: LinkedDevice, event: KeptEvent): void {
    device.waiting.set(tokenOf(event), event);
    this.hand(device);
  }

  /** Hands over what waits, as far as the window allows. */
  hand(device: LinkedDevice): void {
    const { faults } = this.#sandboxDeps;
    if (!device.login || faults.isOn(device.phone, 'silent')) return;
    const isSlow = faults.isOn(device.phone, 'slow');
    for (const [token, event] of device.waiting) {
      if (device.handed.size >= WINDOW) return;
      if (isSlow && event.type === 'receipt') continue;
      device.waiting.delete(token);
      device.handed.set(token, event);
      this.#note('received', device, event);
      device.login.say(event);
    }
  }

  acknowledge(device: LinkedDevice, token: string): void {
    const event = device.handed.get(token) ?? device.waiting.get(token);
    if (!event) return;
    device.handed.delete(token);
    device.waiting.delete(token);
    this.#note('received-acked', device, event);
    this.hand(device);
  }

  /** The login ended: what was handed over and not acknowledged comes again, in its old place. */
  takeBack(device: LinkedDevice): void {
    device.waiting = new Map([...device.handed, ...device.waiting]);
    device.handed.clear();
  }

  /** Adds a receipt to what the device will receive; those of one moment come together. */
  receipt(device: LinkedDevice, status: 'delivered' | 'read', netId: string): void {
    device.receipts[status].push(netId);
    this.tellReceipts(device);
  }

  tellReceipts(device: LinkedDevice): void {
    const { login } = device;
    if (!login || device.receiptsDue === login) return;
    device.receiptsDue = login;
    this.#sandboxDeps.soon.run(() => {
      if (device.receiptsDue !== login) return;
      device.receiptsDue = null;
      if (device.login === login) this.#tell(device, login);
    });
  }

  #tell(device: LinkedDevice, login: Login): void {
    const { faults, clock } = this.#sandboxDeps;
    if (faults.isOn(device.phone, 'silent') || faults.isOn(device.phone, 'slow')) return;
    const { receipts } = device;
    device.receipts = { delivered: [], read: [] };
    for (const status of ['delivered', 'read'] as const) {
      if (receipts[status].length === 0) continue;
      const event: KeptEvent = { type: 'receipt', token: device.token(), netIds: receipts[status], status, at: clock.now() };
      device.handed.set(event.token, event);
      login.tell(event);
    }
  }

  #note(what: 'received' | 'received-acked', { phone, number: device }: LinkedDevice, event: KeptEvent): void {
    if (event.type === 'receipt') return;
    this.#sandboxDeps.journal.note({ what, phone, device, netId: tokenOf(event) });
  }
}
