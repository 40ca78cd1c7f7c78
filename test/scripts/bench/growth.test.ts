import assert from 'node:assert/strict';
import { it } from 'node:test';
import { callsOf, leftRows, type Places } from '../../../scripts/bench/growth/rows.ts';
import { aDevice } from '../../../scripts/bench/planted.ts';
import { aGateway } from '../../support/gateway.ts';
import { embedded } from '../../support/stores.ts';

/** What the bench plants and makes (growth/plant-lists.ts, growth/furnish.ts). */
const MADE = [
  ...['/v1/store-integrations', '/v1/agents', '/v1/contact-groups', '/v1/segments', '/v1/templates', '/v1/webhooks', '/v1/rotators'],
  ...['/v1/billing/invoices', '/v1/contacts', '/v1/admin/tenants', '/v1/blasts', '/v1/webhooks/deliveries'],
  ...['scheduled', 'recurring', 'groups', 'communities', 'channels'].map((name) => `/v1/sessions/{sessionId}/${name}`),
];

it('the growth benchmark covers every GET operation, except for the listed exceptions', async (t) => {
  const { node, store } = await aGateway(t, { kind: embedded });
  const { rows } = node.http;
  const places: Places = {
    device: await aDevice(store, 'somebody'),
    ...{ messageId: 'm', chatId: 'c', groupChatId: 'g', middleAt: 1, phone: 'p', ids: new Map(MADE.map((path) => [path, 'one'])) },
  };
  const forgotten = (all: typeof rows): readonly string[] =>
    callsOf(all, places).flatMap(({ id, calls, left }) => (calls.length === 0 && left === null ? [id] : []));

  assert.deepEqual(forgotten(rows), []);
  const known = rows.find(({ id }) => id === 'getTemplate')!;
  assert.deepEqual(forgotten([...rows, { ...known, id: 'getNewThing', path: '/v1/new-things/{id}' }]), ['getNewThing']);
  const [added] = callsOf([{ ...known, id: 'listNewThings', path: '/v1/new-things' }], places);
  assert.deepEqual(
    added?.calls.map(({ path }) => path),
    ['/v1/new-things'],
  );
  // A reason for a row that is gone would hide a new one of its name. The gateway of a test does not serve its sandbox.
  assert.deepEqual(
    leftRows.filter((id) => !/Sandbox/.test(id) && !rows.some((row) => row.id === id)),
    [],
  );
});
