import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fieldsIn, shapeOf } from '../../../../actors/network/whatsapp/inbound/unknown.ts';
import { el } from '../../../network-peer/stanza.ts';
import { calling } from '../../../support/gateway.ts';
import { embedded } from '../../../support/stores.ts';
import { aDevice } from '../world.ts';
import { aRealGateway } from './gateway.ts';
import { overThePeer } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';

/** 137, which nobody knows, {}. */
const unknownField = Uint8Array.from([0xca, 0x08, 0]);

/** Padded as on the wire: each byte of the padding is its length. */
const padded = (...bytes: readonly number[]): Uint8Array => Uint8Array.from([...bytes, 2, 2]);

describe('unsupported content', () => {
  it('is counted by the names of its fields and stanzas, never by its content', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const anna = world.peer.contact(ANNA);
    const [computer] = world.peer.phone(SHOP).linked;
    assert.ok(computer);
    await anna.writes(SHOP, {}, { wire: unknownField });
    await anna.writes(SHOP, { conversation: 'Hello' });
    await anna.writes(SHOP, { reactionMessage: { text: 'a secret', key: { id: 'x' } } });
    await anna.writes(SHOP, { reactionMessage: { text: 'to nothing' } });
    await shop.hears('received');
    for (let nth = 0; nth < 20; nth += 1) computer.deliver(el('receipt', { from: `${ANNA}@s.whatsapp.net`, id: `r${nth}`, t: '1' }));
    computer.deliver(el('weather', { from: 's.whatsapp.net', id: 'w1' }));
    computer.deliver(el('notification', { from: 's.whatsapp.net', id: 'w2', type: 'weather' }));
    computer.deliver(el('ib', { from: 's.whatsapp.net' }, [el('rain', {})]));
    computer.deliver(el('ib', { from: 's.whatsapp.net' }, [el('tos', {})]));
    await world.pass(500);
    assert.deepEqual(world.unknown.toSorted(), [
      'contents field_137',
      'contents reactionMessage',
      'stanzas ib_rain',
      'stanzas notification_weather',
      'stanzas weather',
    ]);
  });

  it('is available to operators as samples without text, as one JSON object per line', async (t) => {
    const { node, peer, until, signUp, as, linked } = await aRealGateway(t, embedded);
    await linked(as(await signUp('6281100009999')), SHOP);
    const secret = 'Only Anna knows this';
    const inside = [...Buffer.from(secret)];
    // 137 {1: text, 2: text}
    const bytes = [0x0a, inside.length, ...inside, 0x12, 10, ...Buffer.from('ID-OF-ANNA')];
    await peer.contact(ANNA).writes(SHOP, {}, { wire: Uint8Array.from([0xca, 0x08, bytes.length, ...bytes]) });
    const operator = calling(node.url, { 'x-admin-secret': node.secrets.admin });
    const { headers, body } = await until('it is there', async () => {
      const answer = await operator('GET', '/v1/admin/network/samples');
      return answer.body !== '' && answer;
    });
    assert.match(headers.get('content-type') ?? '', /^application\/x-ndjson/);
    const samples = body
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line));
    const [{ name, fields }] = samples;
    assert.deepEqual([samples.length, name, Object.keys(samples[0])], [1, 'field_137', ['at', 'name', 'fields']]);
    const content = fields.find(({ field }: { field: number }) => field === 137);
    assert.deepEqual(
      content.within.map(({ field, wire }: { field: number; wire: number }) => [field, wire]),
      [
        [1, 2],
        [2, 2],
      ],
    );
    for (const text of [secret, 'ID-OF-ANNA', ANNA]) assert.ok(!body.includes(text), text);
    assert.equal((await calling(node.url, {})('GET', '/v1/admin/network/samples')).status, 401);
  });

  it('is named by field number if the library has no name for it', () => {
    // 117 (a length of 3), 1 (a number), 120 (a length of 0), 5 (fixed 32 bits).
    assert.deepEqual(fieldsIn(padded(0xaa, 0x07, 3, 8, 1, 8, 0x08, 0x96, 0x01, 0xc2, 0x07, 0, 0x2d, 1, 2, 3, 4)), [117, 1, 120, 5]);
  });

  it('is described by numbers, types and lengths of nested fields, without their content', () => {
    const text = [...Buffer.from('(1(1(1')];
    // 117 {1: text, 2: 7}, then a text of its own (1), 5 (fixed 32 bits).
    const message = [0xaa, 0x07, 10, 0x0a, 6, ...text, 0x10, 7, 0x0a, 6, ...text, 0x2d, 1, 2, 3, 4];
    assert.deepEqual(shapeOf(padded(...message)), [
      {
        ...{ field: 117, wire: 2, length: 10 },
        within: [
          { field: 1, wire: 2, length: 6 },
          { field: 2, wire: 0, length: 1 },
        ],
      },
      { field: 1, wire: 2, length: 6 },
      { field: 5, wire: 5, length: 4 },
    ]);
    const within = Array.from({ length: 50 }, () => [0x10, 7]).flat();
    const nested = Array.from({ length: 50 }, () => [0x12, within.length, ...within]).flat();
    const count = (shape: ReturnType<typeof shapeOf>): number => shape.reduce((sum, one) => sum + 1 + (one.within?.length ?? 0), 0);
    assert.ok(count(shapeOf(padded(...nested))) <= 128);
    assert.deepEqual(shapeOf(padded(0xaa, 0x07, 0xff, 0xff)), [{ field: 117, wire: 2, length: 0 }]);
  });

  it('is never read past its end, whatever bytes it contains', () => {
    const ones = new Uint8Array(1_000_000).fill(0xff);
    for (const bytes of [
      new Uint8Array(0),
      padded(),
      padded(0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
      padded(0xaa),
      padded(0xaa, 0x07, 0xff, 0xff),
      ones,
    ])
      assert.ok(fieldsIn(bytes).length <= 1, `${bytes}`.slice(0, 40));
    const many = Uint8Array.from({ length: 100_000 }, (_, nth) => (nth % 2 === 0 ? 0x08 : 1));
    assert.equal(fieldsIn(many).length, 64);
  });
});
