import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { SigningBuffer } from '../../../../actors/services/webhooks/signing-buffer.ts';
import { SigningKey } from '../../../../actors/services/webhooks/signing-key.ts';

it('webhook signatures match HMAC-SHA256, for all lengths of key and text', () => {
  for (const keyLength of [0, 1, 32, 63, 64, 65, 128, 256]) {
    const secret = randomBytes(keyLength);
    const key = new SigningKey(secret);
    for (const length of [0, 1, 55, 56, 63, 64, 65, 472, 65_536]) {
      const body = randomBytes(length).toString('base64').slice(0, length);
      const signingBuffer = new SigningBuffer(body);
      assert.equal(key.sign('', signingBuffer), createHmac('sha256', secret).update(body).digest('base64'));
      assert.equal(key.sign('evt_1.17.', signingBuffer), createHmac('sha256', secret).update('evt_1.17.').update(body).digest('base64'));
    }
  }
  const text = 'a secret with ümläuts, as many bytes as UTF-8 makes of it';
  assert.equal(new SigningKey(text).sign('', new SigningBuffer(text)), createHmac('sha256', text).update(text).digest('base64'));
  assert.throws(() => new SigningKey(text).sign('x'.repeat(1_000), new SigningBuffer(text)), RangeError);
});
