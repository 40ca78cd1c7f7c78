import type { SerialQueue } from '../../../runtime/serial-queue.ts';
import type { Messages, Owner } from '../../../store/messaging/messages.ts';
import type { GivenNames, StatusUpdate } from '../../../store/messaging/status-updates.ts';
import type { Store } from '../../../store/port.ts';
import type { OutboxProcessor } from '../../services/messaging/outbox-processor.ts';
import type { FormsOfPeople } from '../../services/messaging/receipt-chats.ts';
import type { Receipt } from '../protocol.ts';
import { ReceiptBatcher, type StoredReceipt } from './receipt-batcher.ts';

export interface MarkingDeps {
  readonly store: Pick<Store, 'soon'>;
  readonly messages: Messages;
  readonly owner: Owner;
  readonly ledger: SerialQueue;
  readonly outboxProcessor: Pick<OutboxProcessor, 'processOutbox' | 'storeAtOnce'>;
  readonly stored: (receipts: readonly StoredReceipt[]) => void;
  readonly failed: (cause: unknown) => void;
  readonly formsOf: FormsOfPeople;
}

/** Stores acks and receipts after a short delay, so that many of them can share a transaction. */
export class Marking {
  readonly #deps: MarkingDeps;
  readonly #batcher: ReceiptBatcher;
  #unstored: Promise<unknown> = Promise.resolve();
  #begin = (): void => {};

  constructor(deps: MarkingDeps) {
    this.#deps = deps;
    const { owner, formsOf } = deps;
    this.#batcher = new ReceiptBatcher({ mark: (_owner, words) => this.#mark(words) }, owner, (work) => this.#enter(work), formsOf);
  }

  sent(id: string, at: number, names: GivenNames = {}): void {
    this.#batcher.sent(id, at, names);
  }

  receipt(receipt: Receipt, connectionId: number): void {
    this.#batcher.receipt(receipt, connectionId);
  }

  hurry(): void {
    this.#begin();
  }

  behind<T>(work: () => Promise<T>): Promise<T> {
    return this.#unstored.then(work);
  }

  #enter(work: () => Promise<readonly StoredReceipt[]>): void {
    const { store, ledger, stored, failed } = this.#deps;
    if (!store.soon) return void ledger.run(work).then(stored, failed);
    let hasBegun = false;
    this.#begin = () => {
      if (hasBegun) return;
      hasBegun = true;
      const begun = ledger.run(async () => {
        const marked = this.#unstored.then(work);
        this.#unstored = marked.catch(() => {});
        return { marked };
      });
      begun.then(({ marked }) => marked).then(stored, failed);
    };
    void this.#unstored.then(() => store.soon?.()).then(this.#begin);
  }

  async #mark(words: readonly StatusUpdate[]): Promise<void> {
    const { messages, owner, outboxProcessor } = this.#deps;
    if (await this.#storedAtOnce(words)) return;
    await messages.mark(owner, words);
    outboxProcessor.processOutbox();
  }

  async #storedAtOnce(words: readonly StatusUpdate[]): Promise<boolean> {
    const { store, messages, owner, outboxProcessor } = this.#deps;
    const moves = store.soon ? await messages.moves(owner, words) : null;
    if (!moves) return false;
    return moves.length === 0 || outboxProcessor.storeAtOnce(moves).catch(() => false);
  }
}
