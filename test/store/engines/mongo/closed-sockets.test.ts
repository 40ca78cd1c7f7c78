import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { pause, systemClock } from '../../../../runtime/clock.ts';
import { memberOf } from '../../../../runtime/shapes.ts';
import { openMongo } from '../../../../store/engines/mongo/mongo.ts';
import { type Note, noteSpec } from '../../../support/notes.ts';

const url = process.env['MONGODB_URL'];
/** The driver lets so much pass between two heartbeats; one that is asked for earlier waits. */
const BETWEEN_HEARTBEATS_MS = 600;

describe('a MongoDB store whose connections all close at once', { skip: !url && 'MONGODB_URL is not set', timeout: 600_000 }, () => {
  it('answers queries that were sent before it noticed that the connections had closed', async (t) => {
    const { notes, endAll } = await aStore(t);
    await notes.findOne({ title: 'none' });
    endAll();
    assert.equal(await notes.findOne({ title: 'none' }), null);
  });

  it('reconnects to its server, whenever the connections close', async (t) => {
    const { notes, endAll } = await aStore(t);
    for (let round = 0; round < 5; round += 1) {
      await pause(systemClock, BETWEEN_HEARTBEATS_MS);
      const asked = notes.findOne({ title: 'none' });
      await written();
      // The heartbeat's first, so that those who are told that their connection has ended want a heartbeat before it is told.
      endAll();
      await asked;
    }
    assert.equal(await notes.findOne({ title: 'none' }), null);
  });
});

/** What was asked has left: the driver needs some turns for that. */
async function written(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => process.nextTick(resolve));
}

/** A store whose sockets a test can end, as the other side's FIN does: in the order in which they were made, the heartbeat's first. */
async function aStore(t: TestContext) {
  const sockets = new Set<Socket>();
  const made = (message: unknown): void => {
    const socket = memberOf(message, 'socket');
    if (socket instanceof Socket) sockets.add(socket);
  };
  subscribe('net.client.socket', made);
  t.after(() => unsubscribe('net.client.socket', made));
  const store = await openMongo({ url: url ?? '' });
  t.after(() => store.close());
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return { notes: store.collection<Note>(noteSpec), endAll };
}
