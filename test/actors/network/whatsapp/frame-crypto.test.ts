import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import * as theirs from '@whiskeysockets/baileys/lib/Utils/crypto.js';
import * as ours from '../../../../actors/network/whatsapp/session/frame-crypto.ts';

const KEY = Buffer.alloc(32, 7);
const IV = Buffer.alloc(12, 9);
const ABOUT = Buffer.from('about');

describe('network frames', () => {
  it('are encrypted exactly as the library encrypts them', () => {
    for (const plain of [Buffer.of(), Buffer.from('hello'), Buffer.alloc(70_000, 1)]) {
      const sealed = ours.aesEncryptGCM(plain, KEY, IV, ABOUT);
      assert.deepEqual(sealed, theirs.aesEncryptGCM(plain, KEY, IV, ABOUT));
      assert.deepEqual(ours.aesDecryptGCM(sealed, KEY, IV, ABOUT), plain);
    }
  });

  it('are rejected if they were changed, or encrypted for another purpose', () => {
    const sealed = ours.aesEncryptGCM(Buffer.from('hello'), KEY, IV, ABOUT);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      assert.throws(() => ours.aesDecryptGCM(changed, KEY, IV, ABOUT));
    }
    assert.throws(() => ours.aesDecryptGCM(sealed, Buffer.alloc(32, 8), IV, ABOUT));
    assert.throws(() => ours.aesDecryptGCM(sealed, KEY, IV, Buffer.of()));
    assert.throws(() => ours.aesDecryptGCM(sealed.subarray(0, 10), KEY, IV, ABOUT));
  });

  it("are encrypted by our own code instead of the library's", () => {
    const program = `
      import crypto from 'node:crypto';
      import { syncBuiltinESMExports } from 'node:module';
      const made = crypto.createSecretKey;
      let keys = 0;
      crypto.createSecretKey = (bytes) => ((keys += 1), made(bytes));
      syncBuiltinESMExports();
      const { loadLibrary } = await import('./actors/network/whatsapp/library.ts');
      const { Curve, makeNoiseHandler } = await loadLibrary();
      const noise = makeNoiseHandler({ keyPair: Curve.generateKeyPair(), NOISE_HEADER: Buffer.from('x'), logger: { child: () => ({ trace() {} }) } });
      await noise.finishInit();
      for (let frame = 0; frame < 10; frame += 1) noise.encrypt(Buffer.from('hello'));
      console.log(keys);`;
    assert.equal(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' }), '1\n');
  });

  it('are encrypted without changing any other function of the library', () => {
    assert.deepEqual(Object.keys(ours).sort(), Object.keys(theirs).sort());
    assert.equal(ours.Curve, theirs.Curve);
  });
});
