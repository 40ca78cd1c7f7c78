import assert from 'node:assert/strict';
import { it } from 'node:test';
import { STEPS } from '../../../../actors/services/privacy/erasure.ts';
import type { Doc } from '../../../../store/port.ts';
import { TRACED } from '../../../../store/privacy/traces.ts';
import { aGateway } from '../../../support/gateway.ts';
import { actOf } from '../../../support/rows.ts';
import { embedded } from '../../../support/stores.ts';
import { aReceiver } from '../webhooks/receiver.ts';
import { DORA, erasingOn, lived, remembering, sealer } from './erasure-fixture.ts';

type Row = Doc & Readonly<Record<string, unknown>>;

it('every step of an erasure is necessary, because skipping any of them leaves personal data behind', { timeout: 600_000 }, async (t) => {
  const receiver = await aReceiver(t);
  const remembered = remembering(embedded);
  const gateway = await aGateway(t, { kind: remembered.kind, config: { egress_allow: [receiver.place] } });
  const { tenant, device } = await lived(gateway, receiver.url);
  const { store } = gateway;
  const names = [...remembered.opened.keys()];
  const rowsOf = (name: string) => store.collection<Row>({ name, indexes: [] });
  const now = gateway.clock.now();
  const [tenant_id, session_id, chat_id, created_at] = [tenant.id, device.id, `${DORA}@s.whatsapp.net`, now - 1];

  // What nothing in her story leaves.
  const link_id = 'link';
  const hook = { tenant_id, link_id, created_at, expires_at: now + 1e9 };
  const body = sealer.seal(link_id, 'store webhook', JSON.stringify({ phone: DORA }));
  const more: readonly (readonly [string, Row])[] = [
    ['campaigns', { _id: 'campaign', tenant_id, status: 'draft', note: DORA, created_at }],
    ['campaigns', { _id: 'gathering', tenant_id, status: 'running', audience: { by: 'tag', value: 'vip' }, gathering: null, created_at }],
    // From the contacts, as they were being forgotten.
    ['campaign_recipients', { _id: 'gathered', blast_id: 'gathering', tenant_id, phone: DORA, created_at: now + 1 }],
    ['official_people', { _id: 'official', tenant_id, alias: chat_id, user_id: 'ID.1' }],
    ['message_actions', { ...actOf('act'), tenant_id, session_id, chat_id, created_at }],
    [
      'message_actions',
      {
        ...{ ...actOf('act on a status'), tenant_id, session_id, chat_id: 'status@broadcast', created_at },
        audience: [chat_id, '6281299990000@s.whatsapp.net'],
      },
    ],
    ['received_actions', { _id: 'received', session_id, chat_id, sender: chat_id, created_at }],
    ['member_receipts', { _id: 'receipts', tenant_id, session_id, chat_id, members: { [`n${DORA}`]: { read: created_at } }, created_at }],
    ['saved_names', { _id: 'saved', tenant_id, session_id, chat_id, name: 'Dora', at: created_at }],
    ['move_ins', { _id: 'move', tenant_id, session_id, dropped: [{ kind: 'session', id: `${DORA}.0`, why: 'bad_value' }], created_at }],
    ['poll_votes', { _id: 'vote', session_id, poll: 'poll', voter: chat_id, created_at }],
    [
      'groups',
      { _id: 'group', tenant_id, session_id, group_id: 'group', subject: 'group', record: { members: [{ phone: DORA }] }, at: created_at },
    ],
    ['status_views', { _id: 'view', tenant_id, session_id, net_id: 'status', phone: DORA, lid: null, name: null, at: created_at }],
    [
      'channels',
      { _id: 'channel', tenant_id, session_id, channel_id: 'channel', name: `of ${DORA}`, record: { name: `of ${DORA}` }, at: created_at },
    ],
    ['store_links', { _id: link_id, tenant_id, created_at, place: 0, token_hash: link_id }],
    ['store_hooks', { _id: `${link_id}.1`, ...hook, no: 1, pending: false, about: DORA }],
    ['store_hooks', { _id: `${link_id}.2`, ...hook, no: 2, pending: true, body }],
    [
      'store_memory',
      {
        ...{ _id: 'order', tenant_id, link_id, kind: 'order', keys: ['key'], phone_key: sealer.keyedHash(link_id, DORA) },
        ...{ sealed: 'sealed', seen_at: created_at, expires_at: now + 1e9, epoch: 0 },
      },
    ],
    ['rotators', { _id: 'rotator', tenant_id, created_at, slug: 'rotator' }],
    ['rotator_chats', { _id: 'chat of a rotator', rotator_id: 'rotator', chat_id, created_at }],
    ['jobs', { _id: 'job', tenant_id, open: false, rejected: [DORA], created_at }],
    ['idempotency', { _id: `${tenant_id}:key ${DORA}`, created_at }],
    [
      'contact_merges',
      { _id: `${tenant_id}:merged`, tenant_id, into: 'contact', phone: DORA, former: { phone: DORA }, expires_at: now + 30 * 86_400_000 },
    ],
    ['import_files', { _id: 'file:0', tenant_id, data: DORA, expires_at: created_at + 7 * 86_400_000 }],
    ['identities', { _id: `${tenant_id}:77@lid`, tenant_id, lid: '77@lid', phone: DORA, merged: true }],
    ['media', { _id: 'med_file', tenant_id, blob: 'blob', size: 1, devices: [session_id], chat_id, agent_id: null, created_at }],
    ['auto_reply_turns', { _id: 'turn', of: session_id, chat_id, created_at }],
  ];
  for (const [name, row] of more) await rowsOf(name).insertOne(row);
  const all = new Map<string, Row[]>();
  for (const name of names) all.set(name, await rowsOf(name).find({}).toArray());

  /** What is left of every collection, as text, when a step is left out. */
  async function leftWithout(without?: string): Promise<{ readonly texts: ReadonlyMap<string, string>; readonly isExportLeft: boolean }> {
    for (const [name, rows] of all) {
      await rowsOf(name).deleteMany({});
      if (rows.length > 0) await rowsOf(name).insertMany(rows);
    }
    let isExportLeft = true;
    const removeExports = async () => {
      isExportLeft = false;
      return { removed: 0, isBusy: false };
    };
    const { erasing, erasures } = erasingOn(store, names, gateway.node.secrets.audit, { removeExports, ...(without && { without }) });
    const { _id } = await erasing.begin(tenant_id, DORA, now);
    for (let tries = 0; (await erasures.find(tenant_id, _id))?.open; tries += 1) {
      assert.ok(tries < 100, `without ${without}: it does not come to an end`);
      await erasing.continueAll(now + tries);
    }
    const texts = new Map<string, string>();
    for (const name of names.filter((one) => one !== 'privacy_erasures'))
      texts.set(
        name,
        JSON.stringify(
          await rowsOf(name)
            .find({}, { sort: { _id: 1 } })
            .toArray(),
        ),
      );
    return { texts, isExportLeft };
  }

  const whole = await leftWithout();
  const left = JSON.parse(whole.texts.get('message_actions') ?? '') as Row[];
  assert.deepEqual(
    left.map(({ _id, audience }) => [_id, audience]),
    [['act on a status', ['6281299990000@s.whatsapp.net']]],
  );
  assert.equal(whole.isExportLeft, false);
  for (const [step] of STEPS) {
    const { texts, isExportLeft } = await leftWithout(step);
    const other = names.filter((name) => texts.get(name) !== whole.texts.get(name));
    if (TRACED.includes(step)) assert.ok(other.includes(step), `without ${step}: ${other}`);
    else assert.ok(isExportLeft || other.length > 0, `without ${step} everything is as it is with it`);
  }
});
