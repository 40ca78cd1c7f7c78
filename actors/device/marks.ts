import type { MessageMarks, Word } from '../../store/message-marks.ts';
import type { Owner } from '../../store/messages.ts';
import type { Receipt } from './protocol.ts';

/** A receipt, and the line that told it. */
export interface Marked {
  readonly dial: number;
  readonly receipt: Receipt;
}

/** The network's word on messages of ours, as far as it is not in their rows yet. */
interface Waiting {
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
  readonly #messages: MessageMarks;
  readonly #owner: Owner;
  readonly #write: Write;
  #waiting: Waiting | null = null;

  /** `write` takes each piece of work to the ledger, which does one after the other. */
  constructor(messages: MessageMarks, owner: Owner, write: Write) {
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

  #next(): Waiting {
    if (this.#waiting) return this.#waiting;
    const word: Waiting = { sent: [], receipts: [] };
    this.#waiting = word;
    this.#write(() => this.#mark(word));
    return word;
  }

  /** Sent comes first: only what is not delivered yet is marked so. */
  async #mark({ sent, receipts }: Waiting): Promise<readonly Marked[]> {
    this.#waiting = null;
    const [first] = sent;
    const acks = first ? [{ status: 'sent', ids: sent.map(({ id }) => id), at: first.at } as const] : [];
    await this.#messages.mark(this.#owner, [...acks, ...wordsOf(receipts, 'delivered'), ...wordsOf(receipts, 'read')]);
    return receipts;
  }
}

/** Those of one moment are one word. */
function wordsOf(receipts: readonly Marked[], status: Receipt['status']): readonly Word[] {
  const own = receipts.filter(({ receipt }) => receipt.status === status);
  return [...Map.groupBy(own, ({ receipt }) => receipt.at)].flatMap(([at, same]) => {
    const all = same.flatMap(({ receipt }) => receipt.netIds);
    const starts = Array.from({ length: Math.ceil(all.length / MOST_AT_ONCE) }, (_, nth) => nth * MOST_AT_ONCE);
    return starts.map((from) => ({ status, netIds: all.slice(from, from + MOST_AT_ONCE), at }));
  });
}
