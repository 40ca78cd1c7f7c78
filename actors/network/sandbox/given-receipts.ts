import type { ReceiptStage } from '../member-receipts.ts';
import { networkRefusal } from '../network-refusal.ts';
import { whereabouts } from './addresses.ts';
import type { PendingDelivery } from './deliveries.ts';
import type { Inboxes } from './inboxes.ts';
import type { Phone } from './phones.ts';
import type { NetworkMessage } from './protocol.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

export class GivenReceipts {
  readonly #sandboxDeps: SandboxDeps;
  readonly #inboxes: Inboxes;

  constructor(sandboxDeps: SandboxDeps, inboxes: Inboxes) {
    this.#sandboxDeps = sandboxDeps;
    this.#inboxes = inboxes;
  }

  delivered(pendingDelivery: PendingDelivery, phone: Phone): void {
    pendingDelivery.toDeliver -= 1;
    this.#give(pendingDelivery, phone, 'delivered', pendingDelivery.toDeliver === 0);
  }

  read(pendingDelivery: PendingDelivery, phone: Phone): void {
    pendingDelivery.toRead -= 1;
    this.#give(pendingDelivery, phone, 'read', pendingDelivery.toRead === 0);
  }

  play(phone: Phone, netId: string): void {
    const message = phone.message(netId);
    if (!message) throw networkRefusal(404, UNKNOWN);
    if (message.content.type !== 'audio' && message.content.type !== 'video') throw networkRefusal(409, SILENT);
    this.#sandboxDeps.journal.note({ what: 'did', phone: phone.digits, netId, to: message.to, reason: 'play' });
    phone.gave(netId, 'played', this.#sandboxDeps.clock.now());
    for (const device of this.#sandboxDeps.devices.of(message.from)) {
      this.#inboxes.memberReceipt(device, this.#receiptOf(message, phone, 'played'));
      if (!message.to.endsWith('@g.us')) this.#inboxes.receipt(device, 'read', netId);
    }
  }

  #give({ sender, networkMessage }: PendingDelivery, phone: Phone, what: 'delivered' | 'read', isLast: boolean): void {
    phone.gave(networkMessage.netId, what, this.#sandboxDeps.clock.now());
    if (!sender) return;
    if (networkMessage.to.endsWith('@g.us')) this.#inboxes.memberReceipt(sender, this.#receiptOf(networkMessage, phone, what));
    if (isLast) this.#inboxes.receipt(sender, what, networkMessage.netId);
  }

  #receiptOf({ netId, to }: NetworkMessage, phone: Phone, what: ReceiptStage) {
    const { chat, from: member } = whereabouts(phone, to);
    return { netId, chat, member, what, at: this.#sandboxDeps.clock.now() };
  }
}

const UNKNOWN = { en: 'the phone does not show this message', id: 'ponsel tidak menampilkan pesan ini' };
const SILENT = { en: 'that message cannot be played', id: 'pesan itu tidak dapat diputar' };
