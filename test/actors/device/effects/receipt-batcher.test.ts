import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ReceiptBatcher, type StoredReceipt } from '../../../../actors/device/effects/receipt-batcher.ts';
import type { Receipt } from '../../../../actors/device/protocol.ts';
import { addressOf } from '../../../../actors/network/subject.ts';
import type { Forms } from '../../../../actors/services/identities/forms.ts';
import { safeTexts } from '../../../../runtime/safe-text.ts';
import { SerialQueue } from '../../../../runtime/serial-queue.ts';
import { type MessageRow, messagesIn, type Owner } from '../../../../store/messaging/messages.ts';
import type { StatusUpdates } from '../../../../store/messaging/status-updates.ts';
import { rowOf } from '../../../support/rows.ts';
import { eachStore, type StoreKind } from '../../../support/stores.ts';

const OWNER: Owner = { tenantId: 't', sessionId: 's', epoch: 1 };

/** A ledger over the kind's own store, and how many words were written to its rows. */
async function aLedger(kind: StoreKind, t: Parameters<StoreKind['fresh']>[0], forms: Forms = new Map()) {
  const store = await kind.fresh(t);
  const messages = messagesIn(store);
  await store.prepare();
  let words = 0;
  const counted: Pick<StatusUpdates, 'mark'> = {
    mark(owner, said) {
      words += said.length;
      return messages.mark(owner, said);
    },
  };
  const ledger = new SerialQueue();
  const stored: StoredReceipt[] = [];
  const marks = new ReceiptBatcher(
    counted,
    OWNER,
    (work) => void ledger.run(work).then((marked) => stored.push(...marked)),
    async () => forms,
  );
  for (const id of ['a', 'b', 'c'])
    await messages.accept({ ...rowOf(id, 1), status: 'sending', epoch: 1, chat_id: addressOf(ALL[id] ?? '') });
  const rows = async (): Promise<readonly (MessageRow | null)[]> => {
    await ledger.run(async () => {});
    return Promise.all(['a', 'b', 'c'].map((id) => messages.find('t', 's', id)));
  };
  return { marks, ledger, stored, rows, words: () => words };
}

const [DIALLED, HIDDEN, REGISTERED] = ['6281211110091', '99123456789@lid', '6281211110001'];
const ALL: Readonly<Record<string, string>> = { a: DIALLED, b: HIDDEN, c: '6281211110002' };

const receiptOf = (netId: string, status: Receipt['status'], at: number): Receipt =>
  safeTexts({ type: 'receipt', token: `${netId} ${status}`, netIds: [netId], status, at });

const times = (row: MessageRow | null) => [row?.status, row?.sent_at, row?.delivered_at, row?.read_at];

eachStore('receipts and acks', (kind) => {
  it('are written in one batch while earlier writes are pending, but keep their own times', async (t) => {
    const { marks, ledger, rows, words, stored } = await aLedger(kind, t);
    const busy = Promise.withResolvers<void>();
    void ledger.run(() => busy.promise);
    for (const id of ['a', 'b', 'c']) {
      marks.sent(id, 10);
      marks.receipt(receiptOf(id, 'delivered', 20), 1);
      marks.receipt(receiptOf(id, 'read', id === 'c' ? 31 : 30), 1);
    }
    busy.resolve();
    assert.deepEqual((await rows()).map(times), [
      ['read', 10, 20, 30],
      ['read', 10, 20, 30],
      ['read', 10, 20, 31],
    ]);
    assert.equal(words(), 4, 'sent, delivered, read, and read a second later');
    assert.equal(stored.length, 6);
  });

  it('keep their own times if several acks arrive together', async (t) => {
    const { marks, rows } = await aLedger(kind, t);
    marks.sent('a', 5);
    marks.sent('b', 9);
    assert.deepEqual(
      (await rows()).map((row) => row?.sent_at),
      [5, 9, null],
    );
  });

  it('are applied after the ack of the same message, even while earlier receipts wait to be written', async (t) => {
    const { marks, ledger, rows } = await aLedger(kind, t);
    const busy = Promise.withResolvers<void>();
    void ledger.run(() => busy.promise);
    marks.receipt(receiptOf('a', 'delivered', 20), 1);
    marks.sent('b', 10);
    marks.receipt(receiptOf('b', 'delivered', 20), 1);
    busy.resolve();
    assert.deepEqual((await rows()).map(times), [
      ['delivered', null, 20, null],
      ['delivered', 10, 20, null],
      ['sending', null, null, null],
    ]);
  });
});

eachStore('a receipt', (kind) => {
  it('applies only to the messages that it lists, whichever address of the person it comes from', async (t) => {
    const all = [REGISTERED, DIALLED, HIDDEN];
    const { marks, rows } = await aLedger(kind, t, new Map([[REGISTERED, { phone: REGISTERED, all }]]));
    const netIds = ['a', 'b', 'c'];
    const chats = netIds.map(() => addressOf(REGISTERED));
    marks.receipt(safeTexts({ type: 'receipt', token: 'of all', netIds, chats, status: 'delivered', at: 20 }), 1);
    assert.deepEqual(
      (await rows()).map((row) => row?.delivered_at),
      [20, 20, null],
    );
  });
});

it('a receipt batch that could not be stored is not reported as stored', async () => {
  const failed = new Error('the store is gone');
  const gone = { mark: () => Promise.reject(failed) };
  const outcomes: unknown[] = [];
  const ledger = new SerialQueue();
  const marks = new ReceiptBatcher(
    gone,
    OWNER,
    (work) =>
      void ledger.run(work).then(
        () => outcomes.push('stored'),
        (cause) => outcomes.push(cause),
      ),
    async () => new Map(),
  );
  marks.receipt(receiptOf('a', 'read', 30), 1);
  await ledger.run(async () => {});
  marks.sent('b', 10);
  await ledger.run(async () => {});
  assert.deepEqual(outcomes, [failed, failed]);
});
