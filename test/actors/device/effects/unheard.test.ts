import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GATES } from '../../../../actors/device/behaviour/facts.ts';
import { claimInTurn } from '../../../../actors/device/effects/claiming.ts';
import { SendScheduler, type SendSchedulerDeps } from '../../../../actors/device/effects/send-scheduler.ts';
import { Unheard } from '../../../../actors/device/effects/unheard.ts';
import { OutboxProcessor } from '../../../../actors/services/messaging/outbox-processor.ts';
import { SerialQueue } from '../../../../runtime/serial-queue.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { LANES } from '../../../../store/messaging/message-row.ts';
import type { MessageRow, Messages, Owner } from '../../../../store/messaging/messages.ts';
import { aMessageRow } from '../../../support/message-row.ts';

const OWNER: Owner = { tenantId: 't', sessionId: 's', epoch: 1 };
const [ANNA, BUDI] = ['6281211110001@s.whatsapp.net', '6281211110002@s.whatsapp.net'];
const rowOf = (_id: string, chat_id: string, lane: number): MessageRow => aMessageRow({ _id, chat_id, lane, created_at: 1 });

/** A device with an outbox whose follow-ups come when they are let. */
function aDevice() {
  const clock = new VirtualClock();
  const unheard = new Unheard(clock);
  const pending: MessageRow[] = [];
  const messages = {
    async *withOutbox() {
      yield* pending.slice();
    },
    outboxProcessed: async (rows: readonly MessageRow[]) => void pending.splice(0, rows.length),
    claim: async (_owner: Owner, rows: readonly MessageRow[]) => rows,
  } as unknown as Messages;
  let follow = Promise.withResolvers<void>();
  const step = { name: 'consent', plan: () => ({ alone: () => follow.promise }) };
  const outbox = new OutboxProcessor({ store: {}, messages, clock, outboxHandlers: [step] }, OWNER, () => {}, unheard);
  const unused = {} as Pick<SendSchedulerDeps, 'queue' | 'days'>;
  const scheduler = new SendScheduler({ ...unused, messages, unheard, timers: { of: () => null } }, OWNER);
  const left: string[] = [];
  const ledger = new SerialQueue();
  let isConnected = true;
  const claiming = {
    ...{ scheduler, unheard, clock, pauseMs: () => 0, isOver: () => !isConnected },
    inOrder: <T>(work: () => Promise<T>): Promise<T> => ledger.run(work),
  };
  const turn = { gate: GATES.campaigns, day: null, isWatched: false, campaigns: 10 };
  const claimOf = (row: MessageRow) =>
    ({ do: 'claim', connectionId: 1, limit: 10, pacing: { minDelayMs: 0, maxDelayMs: 0 }, turn, row }) as const;
  return {
    clock,
    left,
    ledger,
    disconnects() {
      isConnected = false;
    },
    starts: () => outbox.processOutbox(),
    writes(row: MessageRow) {
      pending.push(row);
      unheard.wrote(row);
      outbox.processOutbox();
    },
    leaves: (row: MessageRow) =>
      void claimInTurn(claiming, claimOf(row)).then((event) => {
        if (event?.type === 'claimed') left.push(...event.rows.map(({ _id }) => _id));
      }),
    leaveTogether: async (rows: readonly MessageRow[]) => (await scheduler.claim(rows, null, 1)).rows.map(({ _id }) => _id),
    async follows() {
      follow.resolve();
      follow = Promise.withResolvers();
      await clock.advance(0);
    },
  };
}

describe('a campaign message', () => {
  it('waits until earlier messages from its recipient are processed, while other messages are sent', async () => {
    const device = aDevice();
    device.starts();
    await device.clock.advance(0);
    device.writes(rowOf('stop', ANNA, LANES.campaign));
    device.leaves(rowOf('to Anna', ANNA, LANES.campaign));
    device.leaves(rowOf('to Budi', BUDI, LANES.campaign));
    device.leaves(rowOf('a reply to Anna', ANNA, LANES.reply));
    await device.clock.advance(1_000);
    assert.deepEqual(device.left.toSorted(), ['a reply to Anna', 'to Budi']);
    await device.follows();
    assert.equal(device.left.at(-1), 'to Anna');
  });

  it("does not delay the device's other writes or other messages while it waits", async () => {
    const device = aDevice();
    device.starts();
    await device.clock.advance(0);
    device.writes(rowOf('stop', ANNA, LANES.campaign));
    device.leaves(rowOf('to Anna', ANNA, LANES.campaign));
    let isWritten = false;
    void device.ledger.run(async () => {
      isWritten = true;
    });
    await device.clock.advance(0);
    assert.deepEqual([isWritten, device.left], [true, []]);
    const turn = [rowOf('also to Anna', ANNA, LANES.campaign), rowOf('to Budi', BUDI, LANES.campaign)];
    assert.deepEqual(await device.leaveTogether(turn), ['to Budi']);
    await device.follows();
    assert.deepEqual(device.left, ['to Anna']);
  });

  it('is handed over to the next connection if the current one closes before the message is sent', async () => {
    const device = aDevice();
    device.starts();
    await device.clock.advance(0);
    device.writes(rowOf('stop', ANNA, LANES.campaign));
    device.leaves(rowOf('to Anna', ANNA, LANES.campaign));
    await device.clock.advance(0);
    device.disconnects();
    await device.follows();
    assert.deepEqual(device.left, []);
  });

  it('keeps waiting if only a later message of the chat has been processed', async () => {
    const clock = new VirtualClock();
    const unheard = new Unheard(clock);
    unheard.caughtUp();
    unheard.wrote({ _id: '1', chat_id: ANNA });
    let isHeard = false;
    void unheard.heard([ANNA]).then(() => {
      isHeard = true;
    });
    unheard.followed([{ _id: '2', chat_id: ANNA }]);
    await clock.advance(0);
    assert.equal(isHeard, false);
    unheard.followed([{ _id: '1', chat_id: ANNA }]);
    await clock.advance(0);
    assert.equal(isHeard, true);
  });

  it('waits for messages that an earlier process left unprocessed', async () => {
    const device = aDevice();
    device.leaves(rowOf('to Budi', BUDI, LANES.campaign));
    await device.clock.advance(1_000);
    assert.deepEqual(device.left, []);
    device.starts();
    await device.clock.advance(0);
    assert.deepEqual(device.left, ['to Budi']);
  });

  it('waits at most ten seconds, and waits only once for each incoming message', async () => {
    const device = aDevice();
    device.starts();
    await device.clock.advance(0);
    device.writes(rowOf('stop', ANNA, LANES.campaign));
    device.leaves(rowOf('first', ANNA, LANES.campaign));
    await device.clock.advance(9_999);
    assert.deepEqual(device.left, []);
    await device.clock.advance(1);
    device.leaves(rowOf('second', ANNA, LANES.campaign));
    await device.clock.advance(0);
    assert.deepEqual(device.left, ['first', 'second']);
  });
});
