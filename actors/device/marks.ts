import type { Messages, Owner } from '../../store/messages.ts';
import type { Receipt } from './protocol.ts';

/** A receipt, and the line that told it. */
export interface Marked {
  readonly dial: number;
  readonly receipt: Receipt;
}

/** The network's word on messages of ours, as far as it is not in their rows yet. */
interface Word {
  readonly sent: { readonly id: string; readonly at: number }[];
  readonly receipts: Marked[];
}

/** Of messages in one write: whoever was away for long hears of very many. */
const MOST_AT_ONCE = 1_000;

/** Resolves with these receipts once they are stored. */
type Write = (work: () => Promise<readonly Marked[]>) => void;

/**
 * Acks and receipts on their way to the rows of their messages. What comes while the ledger is busy waits for its turn together, and is
 * written together: they come in swarms, and most of the price of a write is its commit.
 */
export class Marks {
  readonly #messages: Pick<Messages, 'markSent' | 'markReceipt'>;
  readonly #owner: Owner;
  readonly #write: Write;
  #waiting: Word | null = null;

  /** `write` takes each piece of work to the ledger, which does one after the other. */
  constructor(messages: Pick<Messages, 'markSent' | 'markReceipt'>, owner: Owner, write: Write) {
    this.#messages = messages;
    this.#owner = owner;
    this.#write = write;
  }

  sent(id: string, at: number): void {
    this.#next().sent.push({ id, at });
  }

  receipt(receipt: Receipt, dial: number): void {
    this.#next().receipts.push({ dial, receipt });
  }

  #next(): Word {
    if (this.#waiting) return this.#waiting;
    const word: Word = { sent: [], receipts: [] };
    this.#waiting = word;
    this.#write(() => this.#mark(word));
    return word;
  }

  /** Sent comes first: only what is not delivered yet is marked so. */
  async #mark(word: Word): Promise<readonly Marked[]> {
    this.#waiting = null;
    const { sent, receipts } = word;
    const ids = sent.map(({ id }) => id);
    if (ids.length > 0) await this.#messages.markSent(this.#owner, ids, sent[0]!.at);
    for (const status of ['delivered', 'read'] as const) {
      const own = receipts.filter(({ receipt }) => receipt.status === status);
      for (const [at, same] of Map.groupBy(own, ({ receipt }) => receipt.at)) {
        const netIds = same.flatMap(({ receipt }) => receipt.netIds);
        for (let from = 0; from < netIds.length; from += MOST_AT_ONCE)
          await this.#messages.markReceipt(this.#owner, netIds.slice(from, from + MOST_AT_ONCE), status, at);
      }
    }
    return receipts;
  }
}
