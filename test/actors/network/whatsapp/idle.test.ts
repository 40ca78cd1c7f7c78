import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decode, encode } from '../../../../actors/network/whatsapp/keys/codec.ts';

describe('a device that has nothing to do', () => {
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
