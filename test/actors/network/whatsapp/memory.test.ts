import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { newAccount } from '../../../../actors/network/whatsapp/keys/account.ts';
import { decode, encode } from '../../../../actors/network/whatsapp/keys/codec.ts';
import { loadLibrary } from '../../../../actors/network/whatsapp/library.ts';
import { openSocket } from '../../../../actors/network/whatsapp/session/socket.ts';
import { systemClock } from '../../../../runtime/clock.ts';

describe('the memory of a device', () => {
  it('holds no more for a secret than the secret has bytes', () => {
    for (const [kind, secret] of [
      ['session', Buffer.from('a chain')],
      ['creds', Buffer.from('a private key')],
    ] as const) {
      const held = decode(kind, encode(kind, secret)) as Buffer;
      assert.deepEqual(held, secret);
      assert.equal(held.buffer.byteLength, secret.length);
    }
  });

  it('has no room for what the library would remember of sent messages: the store has them', async (t) => {
    const library = await loadLibrary();
    const { socket } = openSocket({
      library,
      url: 'ws://127.0.0.1:9',
      tunnel: null,
      creds: library.initAuthCreds(),
      keys: { get: async () => ({}), set: async () => undefined },
      account: newAccount(systemClock),
      log: pino({ level: 'silent' }),
    });
    t.after(() => socket.end(undefined));
    assert.equal(socket.messageRetryManager, null);
  });
});
