import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import './silent-logger.ts';
import { makeDeviceKeys } from './people/device-keys.ts';
import type { Bundle, DeviceKeys, MakeSignalSide, Sealed, SignalAddress, SignalSide } from './people/signal.ts';
import { librarySide } from './people/signal-library.ts';
import { rustSide } from './people/signal-rust.ts';
import { SeededRandom } from './random.ts';

const SIDES: Readonly<Record<string, MakeSignalSide>> = { rust: rustSide, library: librarySide };
const GROUP = '120363000000000001@g.us';

interface Device {
  readonly address: SignalAddress;
  readonly keys: DeviceKeys;
  readonly side: SignalSide;
}

function aDevice(user: string, make: MakeSignalSide): Device {
  const { keys, oneTime } = makeDeviceKeys(new SeededRandom(user));
  return { address: { user, device: 0 }, keys, side: make(keys, oneTime) };
}

const bundleOf = ({ keys }: Device): Bundle => ({ ...keys, identity: keys.identity.public, preKey: keys.makePreKey() });

async function tells(from: Device, to: Device, text: string): Promise<string> {
  const sealed = await from.side.encrypt(to.address, Buffer.from(text));
  return `${sealed.type} ${await to.side.decrypt(from.address, sealed)}`;
}

for (const [one, makeOne] of Object.entries(SIDES)) {
  for (const [other, makeOther] of Object.entries(SIDES)) {
    describe(`a device that uses ${one} code and a device that uses ${other} code`, () => {
      const pair = (): [Device, Device] => [aDevice('111', makeOne), aDevice('222', makeOther)];

      it('understand each other from the first message', async () => {
        const [anna, budi] = pair();
        await anna.side.startSession(budi.address, bundleOf(budi));
        assert.equal(await tells(anna, budi, 'one'), 'pkmsg one');
        assert.equal(await tells(anna, budi, 'two'), 'pkmsg two');
        assert.equal(await tells(budi, anna, 'three'), 'msg three');
        assert.equal(await tells(anna, budi, 'four'), 'msg four');
        assert.equal(await anna.side.hasSession(budi.address), true);
      });

      it("can read each other's messages out of order, but each message only once", async () => {
        const [anna, budi] = pair();
        await anna.side.startSession(budi.address, bundleOf(budi));
        const first = await anna.side.encrypt(budi.address, Buffer.from('first'));
        const second = await anna.side.encrypt(budi.address, Buffer.from('second'));
        assert.equal(String(await budi.side.decrypt(anna.address, second)), 'second');
        assert.equal(String(await budi.side.decrypt(anna.address, first)), 'first');
        await assert.rejects(budi.side.decrypt(anna.address, first));
      });

      it('recover after one of them loses its session', async () => {
        const [anna, budi] = pair();
        await anna.side.startSession(budi.address, bundleOf(budi));
        await tells(anna, budi, 'before');
        await tells(budi, anna, 'and back');
        await budi.side.endSession(anna.address);
        await assert.rejects(tells(anna, budi, 'lost'));
        await budi.side.startSession(anna.address, bundleOf(anna));
        assert.equal(await tells(budi, anna, 'again'), 'pkmsg again');
      });

      it('can both start a session at the same time, and use either session', async () => {
        const [anna, budi] = pair();
        const open = async (at: Device, from: Device, sealed: Sealed) => String(await at.side.decrypt(from.address, sealed));
        await anna.side.startSession(budi.address, bundleOf(budi));
        const [first, second] = [
          await anna.side.encrypt(budi.address, Buffer.from('1')),
          await anna.side.encrypt(budi.address, Buffer.from('2')),
        ];
        assert.equal(await open(budi, anna, first), '1');
        await budi.side.startSession(anna.address, bundleOf(anna));
        const begins = await budi.side.encrypt(anna.address, Buffer.from('3'));
        assert.equal(await open(budi, anna, second), '2');
        const answers = await budi.side.encrypt(anna.address, Buffer.from('4'));
        assert.equal(await open(anna, budi, begins), '3');
        const third = await anna.side.encrypt(budi.address, Buffer.from('5'));
        assert.deepEqual([await open(anna, budi, answers), await open(budi, anna, third)], ['4', '5']);
        await assert.rejects(open(budi, anna, third));
        for (const text of ['6', '7', '8']) {
          assert.match(await tells(budi, anna, text), new RegExp(`${text}$`));
          assert.match(await tells(anna, budi, text), new RegExp(`${text}$`));
        }
      });

      it('exchange messages in a group', async () => {
        const [anna, budi] = pair();
        const { ciphertext, distribution } = await anna.side.encryptGroup(GROUP, anna.address, Buffer.from('all'));
        await assert.rejects(budi.side.decryptGroup(GROUP, anna.address, ciphertext));
        await budi.side.learnGroup(GROUP, anna.address, distribution);
        assert.equal(String(await budi.side.decryptGroup(GROUP, anna.address, ciphertext)), 'all');
        const next = await anna.side.encryptGroup(GROUP, anna.address, Buffer.from('more'));
        assert.equal(String(await budi.side.decryptGroup(GROUP, anna.address, next.ciphertext)), 'more');
      });
    });
  }
}
