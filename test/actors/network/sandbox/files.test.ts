import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import type { OutgoingMessage } from '../../../../actors/network/port.ts';
import { Refusal } from '../../../../runtime/errors.ts';
import { aDevice } from '../world.ts';
import { inProcess, remote } from './sandbox-worlds.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const MENU = Buffer.from('%PDF-1.4 a menu');
const told = { contentType: 'application/pdf', filename: 'menu.pdf', size: 1, sha256: '' };
const message: OutgoingMessage = {
  netId: '3EB0FILE',
  to: `${ANNA}@s.whatsapp.net`,
  content: { type: 'document', file: told, caption: 'Today', voiceNote: false },
  fileKey: 'med_1',
  quotes: null,
};

for (const [where, aWorld] of [
  ['in the same process', inProcess],
  ['in a separate process', remote],
] as const) {
  describe(`a file on the sandbox network, ${where}`, () => {
    it('arrives with the original size and hash', async (t) => {
      const world = await aWorld(t);
      const ear = await aDevice(world, SHOP);
      ear.connection.send(message, async () => Readable.from([MENU]));
      await ear.hears('acked');
      const [shown] = await world.phone(ANNA).shows();
      const file = { ...told, size: MENU.length, sha256: createHash('sha256').update(MENU).digest('hex') };
      assert.deepEqual(shown?.content, { type: 'document', file, caption: 'Today', voiceNote: false });
    });

    it('cannot be sent if it no longer exists', async (t) => {
      const world = await aWorld(t);
      const ear = await aDevice(world, SHOP);
      ear.connection.send(message, async () => Promise.reject(new Refusal('NOT_FOUND')));
      assert.equal((await ear.hears('refused')).reason, 'media_gone');
    });
  });
}
