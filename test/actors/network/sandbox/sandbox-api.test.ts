import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type SandboxVerbs, sandboxVerbs, type WriteBody } from '../../../../actors/network/sandbox/api.ts';
import { aDevice, Ear, finished } from '../world.ts';
import { inProcess } from './sandbox-worlds.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';

async function aShop() {
  const world = await inProcess();
  const shop = await aDevice(world, SHOP);
  return { world, shop, verbs: sandboxVerbs(world.sandbox) };
}

describe('the sandbox API', () => {
  it('shows the messages that a phone received, newest first, with everything on its screen', async () => {
    const { world, shop, verbs } = await aShop();
    const to = `${ANNA}@s.whatsapp.net`;
    shop.connection.send({ netId: 'm1', to, content: { type: 'text', body: 'hello' }, quotes: null });
    shop.connection.send({ netId: 'm2', to, content: { type: 'location', lat: -6.2, lng: 106.8 }, quotes: 'm1' });
    shop.connection.send({ netId: 'm3', to, content: { type: 'contact', name: 'Budi', phone: '+62811' }, quotes: null });
    shop.connection.send({ netId: 'm4', to, content: { type: 'poll', name: 'Lunch?', choices: ['yes', 'no'] }, quotes: null });
    await shop.hears('acked', 4);
    await world.pass(100);
    const { messages } = verbs.messages(`+${ANNA}`);
    const common = { from: SHOP, to: ANNA, reply_to: null, addressed: 'number' };
    assert.deepEqual(
      messages.map(({ at, receipts, ...shown }) => shown),
      [
        { ...common, id: 'm4', type: 'poll', body: null, poll_name: 'Lunch?', choices: ['yes', 'no'] },
        { ...common, id: 'm3', type: 'contact', body: null, contact: { name: 'Budi', phone: '+62811' } },
        { ...common, id: 'm2', type: 'location', body: null, location: { lat: -6.2, lng: 106.8 }, reply_to: 'm1' },
        { ...common, id: 'm1', type: 'text', body: 'hello' },
      ],
    );
    assert.equal(verbs.messages(ANNA, { limit: 1 }).messages[0]?.id, 'm4');
    assert.ok(messages.every(({ receipts }) => receipts?.read_at && receipts.played_at === null));
  });

  it('shows whether a device addresses people by number or by hidden address', async () => {
    const { world, shop, verbs } = await aShop();
    const other = '6281300000002';
    const others = {
      refuses_changes: false,
      older_history: 0,
      archived: [],
      pinned: [],
      muted: {},
      unread: [],
      timers: {},
      presence: 'unavailable',
    };
    assert.deepEqual(verbs.device(SHOP), { phone: SHOP, migrated: null, requires_token: false, ...others });
    verbs.change(ANNA, { number_forms: [other] });
    shop.sends('m1', other);
    await shop.hears('acked');
    assert.deepEqual(verbs.changeDevice(SHOP, { migrated: true }), { phone: SHOP, migrated: true, requires_token: false, ...others });
    shop.sends('m2', ANNA);
    await shop.hears('acked', 2);
    verbs.changeDevice(SHOP, { migrated: false, requires_token: true });
    shop.sends('m3', ANNA);
    assert.equal((await shop.hears('refused')).reason, 'refused_463');
    verbs.write(ANNA, { to: SHOP, body: 'hello' });
    shop.sends('m4', ANNA);
    await shop.hears('acked', 3);
    await world.pass(100);
    const shown = verbs.messages(ANNA).messages.map(({ id, addressed }) => [id, addressed]);
    assert.deepEqual(shown, [
      ['m4', 'number'],
      ['m2', 'lid'],
      ['m1', 'number'],
    ]);
    assert.deepEqual((await finished(world, shop.connection.lookUp([other])))[0]?.jid, `${ANNA}@s.whatsapp.net`);
    const lookedUp = verbs.journal().entries.filter(({ what }) => what === 'look-up');
    assert.deepEqual(
      lookedUp.map(({ phone, to, reason }) => [phone, to, reason]),
      [[SHOP, `${other}@s.whatsapp.net`, 'found']],
    );
    const accepted = verbs.journal().entries.filter(({ what }) => what === 'accepted' || what === 'refused');
    assert.deepEqual(
      accepted.map(({ netId, to, reason }) => [netId, to?.endsWith('@lid') ? 'lid' : 'number', reason ?? 'accepted']),
      [
        ['m1', 'number', 'accepted'],
        ['m2', 'number', 'refused_463'],
        ['m2', 'lid', 'accepted'],
        ['m3', 'lid', 'refused_400'],
        ['m3', 'number', 'refused_463'],
        ['m4', 'number', 'accepted'],
      ],
    );
  });

  it('lets a phone send unknown content, which devices report by field name', async () => {
    const { shop, verbs } = await aShop();
    const { type, from } = verbs.write(ANNA, { to: SHOP, type: 'unsupported', field: 119 });
    assert.deepEqual([type, from], ['unsupported', ANNA]);
    const fields = [{ field: 119, wire: 2, length: 0 }];
    assert.deepEqual(await shop.hears('unknown'), { type: 'unknown', kind: 'contents', name: 'field_119', fields });
    assert.throws(() => verbs.write(ANNA, { to: SHOP, type: 'unsupported' }));
  });

  it('lets a phone write every kind of message', async () => {
    const { shop, verbs } = await aShop();
    const bodies: WriteBody[] = [
      { to: SHOP, body: 'hello' },
      { to: `+${SHOP}`, type: 'location', location: { lat: 1, lng: 2 } },
      { to: SHOP, type: 'contact', contact: { name: 'Budi', phone: '+62811' } },
      { to: SHOP, type: 'poll', poll_name: 'Lunch?', choices: ['yes', 'no'], reply_to: 'm0' },
    ];
    const written = bodies.map((body) => verbs.write(ANNA, body));
    await shop.hears('received', 4);
    const received = shop.all('received').map(({ message }) => message);
    assert.deepEqual(
      received.map(({ netId, content }) => [netId, content.type]),
      written.map(({ id, type }) => [id, type]),
    );
    assert.deepEqual(received[3]?.content, { type: 'poll', name: 'Lunch?', choices: ['yes', 'no'] });
    assert.equal(received[3]?.quotes, 'm0');
  });

  it('rejects impossible requests with an error code', async () => {
    const { verbs } = await aShop();
    const refusals: [string, (verbs: SandboxVerbs) => unknown][] = [
      ['VALIDATION_FAILED', () => verbs.messages('nobody')],
      ['VALIDATION_FAILED', () => verbs.write(ANNA, { to: SHOP })],
      ['VALIDATION_FAILED', () => verbs.write(ANNA, { to: SHOP, type: 'dance' })],
      ['VALIDATION_FAILED', () => verbs.scan(ANNA, {})],
      ['VALIDATION_FAILED', () => verbs.createGroup({ members: [] })],
      ['NOT_FOUND', () => verbs.write(ANNA, { to: '6281100000009', body: 'nobody has a device here' })],
      ['NOT_FOUND', () => verbs.write(ANNA, { to: '120363000000000000@g.us', body: 'no such group' })],
      ['NOT_FOUND', () => verbs.scan(ANNA, { pairing_code: 'ABCD-1234' })],
      ['NOT_FOUND', () => verbs.fault(ANNA, { kind: 'drop' })],
    ];
    for (const [code, act] of refusals) assert.throws(() => act(verbs), { code });
  });

  it('can link a device, change a phone, cause faults and list the journal', async () => {
    const { world, shop, verbs } = await aShop();
    const { qr } = await new Ear(world, null, 'd2').hears('qr');
    assert.deepEqual(verbs.scan(ANNA, { qr }), { ok: true });
    const settings = {
      online: true,
      reads: false,
      on_network: true,
      name: 'Anna',
      about: '',
      lid: false,
      tells_number: true,
      told_number: null,
      number_forms: [],
      username: null,
      username_key: null,
      saved_as: null,
      passkey: false,
      addable: true,
      business: true,
    };
    assert.deepEqual(verbs.change(ANNA, { reads: false, name: 'Anna' }), { phone: ANNA, ...settings });
    assert.deepEqual(verbs.fault(SHOP, { kind: 'drop' }), { ok: true });
    assert.equal((await shop.hears('closed')).code, 428);
    const { entries, next } = verbs.journal({ after: 1, limit: 2 });
    assert.deepEqual([entries.map(({ what }) => what), next], [['login', 'linked'], 3]);
    assert.deepEqual(verbs.journal({ after: 99 }), { entries: [], next: 99 });
  });
});
