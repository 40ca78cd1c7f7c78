import type { InboundMessage } from '../port.ts';
import type { LinkedDevice, Login } from './devices.ts';
import type { Ground } from './ground.ts';

/** Unacknowledged messages on their way to one login; more wait, so that a slow gateway is not flooded. */
const WINDOW = 200;

/** Hands linked devices what was written to them, and hands it over again in each login until they say that it is stored. */
export class Inboxes {
  readonly #ground: Ground;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  put(device: LinkedDevice, message: InboundMessage): void {
    device.waiting.set(message.netId, message);
    this.hand(device);
  }

  /** Hands over what waits, as far as the window allows. */
  hand(device: LinkedDevice): void {
    if (!device.login || this.#ground.faults.isOn(device.phone, 'silent')) return;
    for (const message of device.waiting.values()) {
      if (device.handed.size >= WINDOW) return;
      device.waiting.delete(message.netId);
      device.handed.set(message.netId, message);
      this.#ground.journal.note({ what: 'received', phone: device.phone, device: device.number, netId: message.netId });
      device.login.say({ type: 'received', message });
    }
  }

  acknowledge(device: LinkedDevice, netId: string): void {
    if (!device.handed.delete(netId) && !device.waiting.delete(netId)) return;
    this.#ground.journal.note({ what: 'received-acked', phone: device.phone, device: device.number, netId });
    this.hand(device);
  }

  /** The login ended: what was handed over and not acknowledged comes again, in its old place. */
  takeBack(device: LinkedDevice): void {
    device.waiting = new Map([...device.handed, ...device.waiting]);
    device.handed.clear();
  }

  /** Adds a receipt to what the device will hear; those of one moment come together. */
  receipt(device: LinkedDevice, status: 'delivered' | 'read', netId: string): void {
    device.receipts[status].push(netId);
    this.tellReceipts(device);
  }

  tellReceipts(device: LinkedDevice): void {
    const { login } = device;
    if (!login || device.receiptsDue === login) return;
    device.receiptsDue = login;
    this.#ground.soon.run(() => {
      if (device.receiptsDue !== login) return;
      device.receiptsDue = null;
      if (device.login === login) this.#tell(device, login);
    });
  }

  /** Told at once and not said: a receipt in flight when the login ends would be lost for good. */
  #tell(device: LinkedDevice, login: Login): void {
    const { faults, clock } = this.#ground;
    if (faults.isOn(device.phone, 'silent') || faults.isOn(device.phone, 'slow')) return;
    const { receipts } = device;
    device.receipts = { delivered: [], read: [] };
    for (const status of ['delivered', 'read'] as const) {
      if (receipts[status].length > 0) login.tell({ type: 'receipt', netIds: receipts[status], status, at: clock.now() });
    }
  }
}
