import type { MemberReceipt } from '../member-receipts.ts';
import { type KeptEvent, tokenOf, type Whereabouts } from '../port.ts';
import type { LinkedDevice, Login } from './devices.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

/** Maximum number of unacknowledged events per login, so that a slow gateway is not flooded. */
const WINDOW = 200;

/** Sends events again at each login until the device acknowledges them. */
export class Inboxes {
  readonly #sandboxDeps: SandboxDeps;

  constructor(sandboxDeps: SandboxDeps) {
    this.#sandboxDeps = sandboxDeps;
  }

  put(device: LinkedDevice, told: KeptEvent): void {
    const event = this.#withOwnToken(device, told);
    device.waiting.set(tokenOf(event), event);
    this.hand(device);
  }

  /** If another chat has an event with the same network id, gives this event a token of its own. */
  #withOwnToken(device: LinkedDevice, event: KeptEvent): KeptEvent {
    const other = device.waiting.get(tokenOf(event)) ?? device.handed.get(tokenOf(event));
    if (!other || placeOf(other) === placeOf(event)) return event;
    const token = device.token();
    return 'message' in event ? { ...event, message: { ...event.message, token } } : { ...event, token };
  }

  hand(device: LinkedDevice): void {
    const { faults } = this.#sandboxDeps;
    if (!device.login || faults.isOn(device.phone, 'silent')) return;
    const isSlow = faults.isOn(device.phone, 'slow');
    for (const [token, event] of device.waiting) {
      if (device.handed.size >= WINDOW) return;
      if (isSlow && isReceipt(event)) continue;
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

  takeBack(device: LinkedDevice): void {
    device.waiting = new Map([...device.handed, ...device.waiting]);
    device.handed.clear();
  }

  receipt(device: LinkedDevice, status: 'delivered' | 'read', netId: string): void {
    device.receipts[status].push(netId);
    this.tellReceipts(device);
  }

  memberReceipt(device: LinkedDevice, receipt: MemberReceipt): void {
    device.memberReceipts.push(receipt);
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
    const { receipts, memberReceipts } = device;
    device.receipts = { delivered: [], read: [] };
    device.memberReceipts = [];
    if (memberReceipts.length > 0) this.#say(device, login, { type: 'memberReceipts', token: device.token(), receipts: memberReceipts });
    for (const status of ['delivered', 'read'] as const) {
      if (receipts[status].length === 0) continue;
      this.#say(device, login, { type: 'receipt', token: device.token(), netIds: receipts[status], status, at: clock.now() });
    }
  }

  #say(device: LinkedDevice, login: Login, event: KeptEvent): void {
    device.handed.set(tokenOf(event), event);
    login.tell(event);
  }

  #note(what: 'received' | 'received-acked', { phone, number: device }: LinkedDevice, event: KeptEvent): void {
    if (isReceipt(event)) return;
    this.#sandboxDeps.journal.note({ what, phone, device, netId: tokenOf(event) });
  }
}

const isReceipt = ({ type }: KeptEvent): boolean => type === 'receipt' || type === 'memberReceipts';

function placeOf(event: KeptEvent): string {
  const { chat = '', from = '' }: Partial<Whereabouts> = 'message' in event ? event.message : 'from' in event ? event : {};
  return `${chat} ${from}`;
}
