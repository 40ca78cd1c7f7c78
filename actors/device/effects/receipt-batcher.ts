import { inChunks } from '../../../runtime/in-chunks.ts';
import { at as entry } from '../../../runtime/invariant.ts';
import type { Owner } from '../../../store/messaging/messages.ts';
import type { GivenNames, StatusUpdate, StatusUpdates } from '../../../store/messaging/status-updates.ts';
import { addressesOfChats, type FormsOfPeople } from '../../services/messaging/receipt-chats.ts';
import type { Receipt } from '../protocol.ts';

export interface StoredReceipt {
  readonly connectionId: number;
  readonly receipt: Receipt;
}

interface Ack extends GivenNames {
  readonly id: string;
  readonly at: number;
}

interface PendingReceipt {
  readonly sent: Ack[];
  readonly receipts: StoredReceipt[];
}

const MAX_CONCURRENT = 1_000;

type Write = (work: () => Promise<readonly StoredReceipt[]>) => void;

/** Writes acks and receipts together, because the commit is most of a write's cost. */
export class ReceiptBatcher {
  readonly #messages: Pick<StatusUpdates, 'mark'>;
  readonly #owner: Owner;
  readonly #write: Write;
  readonly #formsOf: FormsOfPeople;
  #waiting: PendingReceipt | null = null;

  constructor(messages: Pick<StatusUpdates, 'mark'>, owner: Owner, write: Write, formsOf: FormsOfPeople) {
    this.#formsOf = formsOf;
    this.#messages = messages;
    this.#owner = owner;
    this.#write = write;
  }

  sent(id: string, at: number, { serverId, wireId }: GivenNames = {}): void {
    this.#next().sent.push({ id, at, ...(serverId !== undefined && { serverId }), ...(wireId !== undefined && { wireId }) });
  }

  receipt(receipt: Receipt, connectionId: number): void {
    this.#next().receipts.push({ connectionId, receipt });
  }

  #next(): PendingReceipt {
    if (this.#waiting) return this.#waiting;
    const word: PendingReceipt = { sent: [], receipts: [] };
    this.#waiting = word;
    this.#write(() => this.#mark(word));
    return word;
  }

  /** Stores acks before receipts, because an ack no longer applies to a message marked as delivered. */
  async #mark({ sent, receipts }: PendingReceipt): Promise<readonly StoredReceipt[]> {
    this.#waiting = null;
    const plain = Map.groupBy(
      sent.filter((ack) => !isNamed(ack)),
      ({ at }) => at,
    );
    const named = sent.filter(isNamed).map(({ id, ...names }): StatusUpdate => ({ status: 'sent', ids: [id], ...names }));
    const acks = [...[...plain].map(([at, same]) => ({ status: 'sent', ids: same.map(({ id }) => id), at }) as const), ...named];
    const from = receipts.flatMap(({ receipt }) => receipt.chats ?? []);
    const chats = await addressesOfChats(from, this.#formsOf);
    await this.#messages.mark(this.#owner, [...acks, ...wordsOf(receipts, 'delivered', chats), ...wordsOf(receipts, 'read', chats)]);
    return receipts;
  }
}

const isNamed = ({ serverId, wireId }: GivenNames): boolean => serverId !== undefined || wireId !== undefined;

type Chats = ReadonlyMap<string, readonly string[]>;

function wordsOf(receipts: readonly StoredReceipt[], status: Receipt['status'], chats: Chats): readonly StatusUpdate[] {
  const own = receipts.filter(({ receipt }) => receipt.status === status);
  const moment = ({ receipt }: StoredReceipt): string => `${receipt.at} ${receipt.chats !== undefined}`;
  return [...Map.groupBy(own, moment).values()].flatMap((same) => {
    const all = same.flatMap(({ receipt: { netIds, chats: from } }) => netIds.map((netId, nth) => ({ netId, from: from?.[nth] })));
    const { at } = entry(same, 0).receipt;
    return inChunks(all, MAX_CONCURRENT).map((some) => ({
      status,
      at,
      netIds: some.map(({ netId }) => netId),
      ...(some.every(({ from }) => from !== undefined) && { chats: some.map(({ from = '' }) => chats.get(from) ?? [from]) }),
    }));
  });
}
