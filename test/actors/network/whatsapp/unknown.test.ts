import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fieldsIn } from '../../../../actors/network/whatsapp/inbound/unknown.ts';
import { el } from '../../../network-peer/stanza.ts';
import { aDevice } from '../world.ts';
import { overThePeer } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';

/** Padded as on the wire: each byte of the padding is its length. */
const padded = (...bytes: readonly number[]): Uint8Array => Uint8Array.from([...bytes, 2, 2]);

describe('what comes and is not understood', () => {
  it('is counted by the names of fields and stanzas, and by nothing that they hold', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const anna = world.peer.contact(ANNA);
    const [computer] = world.peer.phone(SHOP).linked;
    assert.ok(computer);
    await anna.writes(SHOP, { requestPhoneNumberMessage: {} });
    await anna.writes(SHOP, { conversation: 'Hello' });
    await anna.writes(SHOP, { reactionMessage: { text: 'a secret', key: { id: 'x' } } });
    await shop.hears('received');
    computer.deliver(el('weather', { from: 's.whatsapp.net', id: 'w1' }));
    computer.deliver(el('notification', { from: 's.whatsapp.net', id: 'w2', type: 'weather' }));
    computer.deliver(el('ib', { from: 's.whatsapp.net' }, [el('rain', {})]));
    computer.deliver(el('ib', { from: 's.whatsapp.net' }, [el('tos', {})]));
    await world.pass(500);
    assert.deepEqual(world.unknown.toSorted(), [
      'contents requestPhoneNumberMessage',
      'stanzas ib_rain',
      'stanzas notification_weather',
      'stanzas weather',
    ]);
  });

  it('is named by the number of its field where the library has no name for it', () => {
    // 117 (a length of 3), 1 (a number), 120 (a length of 0), 5 (fixed 32 bits).
    assert.deepEqual(fieldsIn(padded(0xaa, 0x07, 3, 8, 1, 8, 0x08, 0x96, 0x01, 0xc2, 0x07, 0, 0x2d, 1, 2, 3, 4)), [117, 1, 120, 5]);
  });

  it('is read to its end at most, whatever its bytes say', () => {
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
