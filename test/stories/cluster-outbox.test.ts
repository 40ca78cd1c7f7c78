import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newId } from '../../runtime/ids.ts';
import { messagesIn } from '../../store/messaging/messages.ts';
import { aCluster } from '../support/cluster.ts';
import type { Answer } from '../support/gateway.ts';
import { aMessageRow } from '../support/message-row.ts';
import { eachStore, type Scope, type StoreKind } from '../support/stores.ts';

const ANNA = '6281211110001';
const MINUTE = 60_000;
const ASLEEP_MS = 6 * MINUTE;

eachStore("a sleeping device's messages in a cluster", (kind) => {
  it('fail with one event when they expire, and their quota is refunded', async (t) => {
    const { cluster, api, device } = await aSleepingDevice(t, kind);
    const expires_at = cluster.clock.now() + MINUTE;
    const text = { chat_id: `+${ANNA}`, type: 'text', body: 'soon', connect_only: false, expires_at };
    const { status, body: sent } = await api('POST', `${device.path}/messages`, text);
    assert.equal(status, 202);
    assert.equal((await api('GET', '/v1/usage')).body.messages.used, 1);
    await cluster.clock.advance(4 * MINUTE);
    const { events } = (await api('GET', '/v1/events/pull')).body;
    const failed = events.filter(({ type }: Answer['body']) => type === 'message.failed').map(({ data }: Answer['body']) => data);
    assert.deepEqual(
      failed.map(({ message_id, error }: Answer['body']) => [message_id, error]),
      [[sent.id, 'expired']],
    );
    assert.equal((await api('GET', '/v1/usage')).body.messages.used, 0);
  });

  it('are processed, including opt-outs, even if the process that received them crashed', async (t) => {
    const { cluster, api, device, tenant, store } = await aSleepingDevice(t, kind);
    const now = cluster.clock.now();
    const theirs = { tenant_id: tenant.id, session_id: device.id, direction: 'inbound', status: 'delivered', created_at: now } as const;
    const stop = { ...theirs, _id: newId(now), chat_id: `${ANNA}@s.whatsapp.net`, body: 'STOP', outbox_pending: true };
    await messagesIn(store).receive(aMessageRow(stop));
    await cluster.clock.advance(2 * MINUTE);
    const { body: consent } = await api('GET', `/v1/consent/history/+${ANNA}`);
    assert.equal(consent.current?.status, 'opted_out');
  });
});

/** Disconnected for so long that its node has put it to sleep. */
async function aSleepingDevice(scope: Scope, kind: StoreKind) {
  const cluster = await aCluster(scope, kind);
  const [a, b] = [await cluster.node('a'), await cluster.node('b')];
  const fleet = await cluster.fleet(1, a);
  const api = fleet.at(b);
  const device = fleet.devices[0]!;
  await api('POST', `${device.path}/disconnect`);
  await cluster.clock.advance(ASLEEP_MS);
  assert.deepEqual(cluster.owners(fleet), [null]);
  return { cluster, api, device, tenant: fleet.tenant, store: a.store };
}
