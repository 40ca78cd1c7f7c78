import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { pino } from 'pino';
import { decode, encode } from '../../../../actors/network/whatsapp/keys/codec.ts';
import { type Library, loadLibrary, type Socket } from '../../../../actors/network/whatsapp/library.ts';
import { rememberLater } from '../../../../actors/network/whatsapp/session/remember-later.ts';
import { silentLogger } from '../../../../actors/network/whatsapp/session/silent-logger.ts';

type Memory = NonNullable<Socket['messageRetryManager']>;

const ROOMS = ['recentMessagesMap', 'baseKeys'];
const REMEMBERED = 512;
const CHAT = '628110000001@s.whatsapp.net';

describe('a device that has nothing to do', () => {
  let library: Library;
  let memory: Memory;

  before(async () => {
    library = await loadLibrary();
    memory = new library.MessageRetryManager(silentLogger(pino({ level: 'silent' })), 5);
    rememberLater(library, { messageRetryManager: memory });
  });

  it('keeps no room for messages before the first', () => {
    for (const name of ROOMS) assert.equal(Object.getOwnPropertyDescriptor(memory, name)?.value, undefined);
  });

  it('remembers what it sent and which keys it used when it has something to do, and no more of it than ever', () => {
    for (let nth = 0; nth < REMEMBERED + 10; nth += 1) memory.addRecentMessage(CHAT, `M${nth}`, { conversation: `${nth}` });
    assert.equal(memory.getRecentMessage(CHAT, 'M0'), undefined);
    assert.deepEqual(memory.getRecentMessage(CHAT, 'M20')?.message, { conversation: '20' });
    assert.equal((Reflect.get(memory, 'messageKeyIndex') as Map<string, string>).size, REMEMBERED);
    memory.saveBaseKey('somebody.1', 'M20', Buffer.from('a key'));
    assert.ok(memory.hasSameBaseKey('somebody.1', 'M20', Buffer.from('a key')));
    memory.clear();
    assert.equal(memory.getRecentMessage(CHAT, 'M20'), undefined);
  });

  it('holds no more memory for a secret than the secret has bytes', () => {
    for (const [kind, secret] of [
      ['session', Buffer.from('a chain')],
      ['creds', Buffer.from('a private key')],
    ] as const) {
      const held = decode(kind, encode(kind, secret)) as Buffer;
      assert.deepEqual(held, secret);
      assert.equal(held.buffer.byteLength, secret.length);
    }
  });
});
