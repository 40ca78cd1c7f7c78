import assert from 'node:assert/strict';
import { it } from 'node:test';
import { replacingStore } from '../../../../scripts/faults/replacing-store.ts';
import type { Store } from '../../../../store/port.ts';
import { aGateway } from '../../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { answering, aReceiver, SECRET } from './receiver.ts';

/** A store to which the process says nothing more once it has written a delivery: it is killed there. */
function dyingStore(kind: StoreKind) {
  let [isToDie, isDead] = [false, false];
  const writing = <A extends readonly unknown[], R>(name: string, write: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      if (isDead) throw new Error('the process is dead');
      isDead = isToDie && name === 'deliveries';
      return write(...args);
    };
  };
  const fresh = async (scope: Scope): Promise<Store> =>
    replacingStore(await kind.fresh(scope), (name, raw) => ({
      insertMany: writing(name, raw.insertMany.bind(raw)),
      updateOne: writing(name, raw.updateOne.bind(raw)),
      findOneAndUpdate: writing(name, raw.findOneAndUpdate.bind(raw)),
    }));
  return {
    kind: { name: kind.name, fresh },
    /** `isToDie`: at its next delivery. False: it lives again. */
    next(toDie: boolean): void {
      [isToDie, isDead] = [toDie, false];
    },
  };
}

eachStore('a delivery that was requested just before a crash', (kind) => {
  for (const asked of ['test', 'redelivery', 'replay'] as const)
    it(`is sent after a restart without any other trigger: ${asked}`, async (t) => {
      const receiver = await aReceiver(t);
      const store = dyingStore(kind);
      const gateway = await aGateway(t, { kind: store.kind, config: { egress_allow: [receiver.place] } });
      const { key } = (await (await gateway.signUp()).api('POST', '/v1/api-keys', { name: 'k', scopes: ['read', 'manage'] })).body;
      const api = gateway.as(key);
      const { id } = (await api('POST', '/v1/webhooks', { url: receiver.url, secret: SECRET, events: ['message.sent'] })).body;
      const failed = async () => (await api('GET', '/v1/webhooks/deliveries?status=failed')).body.deliveries;
      if (asked !== 'test') {
        receiver.answer(answering(500));
        await api('POST', `/v1/webhooks/${id}/test`);
        for (const [attempts, pauseMs] of [
          [3, 500_000],
          [4, 3_400_000],
          [5, 0],
        ] as const) {
          await gateway.until('it is tried again', () => receiver.received.length === attempts);
          await gateway.clock.advance(pauseMs);
        }
        await gateway.until('it failed for good', async () => (await failed()).length === 1);
        receiver.answer(answering(204));
      }
      const before = receiver.received.length;
      const ask = {
        test: () => api('POST', `/v1/webhooks/${id}/test`),
        redelivery: async () => api('POST', `/v1/webhooks/deliveries/${(await failed())[0].id}/redeliver`),
        replay: () => api('POST', '/v1/webhooks/deliveries/replay', { webhook_id: id, since: 0 }),
      };
      store.next(true);
      assert.equal((await ask[asked]()).status, 500);
      store.next(false);
      const again = await gateway.crash();
      await again.until('it is made', () => receiver.received.length > before);
    });
});
