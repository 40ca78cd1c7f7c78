import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHmac, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Curve } from '@whiskeysockets/baileys';
import { type KeyPair, ProtocolAddress as RustAddress, SessionCipher as RustCipher, type SignalStorage } from 'whatsapp-rust-bridge';
import { calculateMAC, decrypt, deriveSecret, deriveSecrets, encrypt } from '../../../../actors/network/whatsapp/libsignal/crypto.ts';
import {
  calculateAgreement,
  calculateSignature,
  generateKeyPair,
  verifySignature,
} from '../../../../actors/network/whatsapp/libsignal/curve.ts';
import { ProtocolAddress, SessionBuilder, SessionCipher, SessionRecord } from '../../../../actors/network/whatsapp/libsignal/index.ts';
import { PreKeyWhisperMessage } from '../../../../actors/network/whatsapp/libsignal/protobufs.ts';

const hex = (digits: string): Buffer => Buffer.from(digits, 'hex');
const bytes = (base64: string): Buffer => Buffer.from(base64, 'base64');
const typed = (key: Uint8Array): Buffer => Buffer.concat([Buffer.of(5), key]);

/** What the other package of this name made of known keys. */
const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'recorded-sessions.json'), 'utf8'));

/** Of RFC 7748, 6.1. */
const ALICE = {
  private: hex('77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a'),
  public: typed(hex('8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a')),
};
const BOB = {
  private: hex('5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb'),
  public: typed(hex('de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f')),
};
const MESSAGE = Buffer.from('signed elsewhere');

describe('Curve25519', () => {
  it('matches the test vectors of RFC 7748', () => {
    const shared = hex('4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742');
    assert.deepEqual(Buffer.from(calculateAgreement(BOB.public, ALICE.private)), shared);
    assert.deepEqual(Buffer.from(calculateAgreement(ALICE.public, BOB.private)), shared);
  });

  it('derives the same shared keys as the package that it replaced', () => {
    const { anna, shop, agreement } = recorded;
    assert.deepEqual(Buffer.from(calculateAgreement(bytes(anna.identity.public), bytes(shop.identity.private))), bytes(agreement));
  });

  it('rejects low-order and malformed keys', () => {
    for (const point of ['00'.repeat(32), `01${'00'.repeat(31)}`])
      assert.throws(() => calculateAgreement(typed(hex(point)), ALICE.private));
    assert.throws(() => calculateAgreement(BOB.public.subarray(1), ALICE.private));
    assert.throws(() => calculateAgreement(BOB.public, ALICE.private.subarray(1)));
  });

  it('generates key pairs that derive the same shared secret', () => {
    const [one, other] = [generateKeyPair(), generateKeyPair()];
    assert.deepEqual(calculateAgreement(one.pubKey, other.privKey), calculateAgreement(other.pubKey, one.privKey));
    assert.deepEqual([one.pubKey.length, one.pubKey[0], one.privKey.length], [33, 5, 32]);
  });

  it('creates signatures that Ed25519 can verify', () => {
    for (let time = 0; time < 32; time += 1) {
      const { pubKey, privKey } = generateKeyPair();
      assert.ok(isGenuineToEd25519(pubKey, MESSAGE, calculateSignature(privKey, MESSAGE)));
    }
  });

  it('verifies signatures from the package that it replaced, and rejects any change to them', () => {
    const key = bytes(recorded.anna.identity.public);
    const signature = bytes(recorded.signature);
    assert.equal(verifySignature(key, MESSAGE, signature), true);
    assert.ok(isGenuineToEd25519(key, MESSAGE, signature));
    for (let at = 0; at < signature.length; at += 1) {
      const changed = Buffer.from(signature);
      changed[at]! ^= 1;
      assert.throws(() => verifySignature(key, MESSAGE, changed), Error, `byte ${at}`);
    }
    assert.throws(() => verifySignature(key, Buffer.from('signed elsewher'), signature));
    assert.throws(() => verifySignature(BOB.public, MESSAGE, signature));
    assert.throws(() => verifySignature(key, MESSAGE, signature.subarray(1)));
    assert.throws(() => verifySignature(key, MESSAGE, Buffer.alloc(64)));
  });
});

describe("the client library's own signature checks", () => {
  it('reject forged signatures', () => {
    const key = bytes(recorded.anna.identity.public).subarray(1);
    assert.equal(Curve.verify(key, MESSAGE, bytes(recorded.signature)), true);
    for (const forged of [Buffer.alloc(64), bytes(recorded.shop.signedPreKey.signature), Buffer.of()])
      assert.equal(Curve.verify(key, MESSAGE, forged), false);
  });
});

describe('signatures', () => {
  it('are created and verified in Rust, even when the library signs or verifies', () => {
    const program = `
      const Instance = WebAssembly.Instance;
      let asked = [];
      const counted = ([name, own]) => [name, typeof own === 'function' ? (...given) => (asked.push(name), own(...given)) : own];
      WebAssembly.Instance = function (...made) {
        return { exports: Object.fromEntries(Object.entries(new Instance(...made).exports).map(counted)) };
      };
      const { loadLibrary } = await import('./actors/network/whatsapp/library.ts');
      const { Curve, groups } = await loadLibrary();
      const { SenderKeyMessage } = await import('@whiskeysockets/baileys/lib/Signal/Group/sender-key-message.js');
      const names = ['calculateSignature', 'verifySignature', 'groupcipher_encrypt', 'groupcipher_decrypt'];
      const seen = async (work) => {
        asked = [];
        const made = await work();
        console.log(asked.filter((name) => names.includes(name)).join());
        return made;
      };
      const { public: open, private: secret } = Curve.generateKeyPair();
      const text = Buffer.from('hello');
      const signature = await seen(() => Curve.sign(secret, text));
      await seen(() => Curve.verify(open, text, signature));
      const typed = Buffer.concat([Buffer.of(5), open]);
      const message = await seen(() => new SenderKeyMessage(1, 0, text, secret));
      await seen(() => message.verifySignature(typed));
      const author = { group: '120363000000000001@g.us', address: '6281100000001.0' };
      const sealed = await seen(() => groups.sealForGroup({ ...author, record: null }, text));
      await seen(() => groups.sealForKnown({ ...author, record: sealed.record }, text));
      const record = await groups.learn({ ...author, record: null }, sealed.distribution);
      await seen(() => groups.openOfGroup({ ...author, record }, sealed.ciphertext));`;
    const signed = ['calculateSignature', 'verifySignature', 'calculateSignature', 'verifySignature'];
    const grouped = ['groupcipher_encrypt', 'groupcipher_encrypt', 'groupcipher_decrypt'];
    const lines = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' }).trim().split('\n');
    assert.deepEqual(lines, [...signed, ...grouped]);
  });
});

describe('the crypto module', () => {
  it('computes MACs as specified in RFC 4231', () => {
    const mac = hex('b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7');
    assert.deepEqual(calculateMAC(Buffer.alloc(20, 0x0b), Buffer.from('Hi There')), mac);
  });

  it('computes MACs and derives keys like Node, for all lengths', () => {
    for (const [key, data] of [0, 1, 31, 32, 63, 64, 65, 200].flatMap((one) =>
      [0, 1, 64, 4_096, 4_097].map((other) => [one, other] as const),
    )) {
      const [k, d] = [randomBytes(key), randomBytes(data)];
      assert.deepEqual(calculateMAC(k, d), createHmac('sha256', k).update(d).digest(), `${key} ${data}`);
      if (data > 1_024) continue; // Node derives from no more.
      assert.deepEqual(deriveSecret(k, d), Buffer.from(hkdfSync('sha256', k, '', d, 32)), `${key} ${data}`);
    }
  });

  it('derives keys as specified in RFC 5869', () => {
    const both = deriveSecrets(Buffer.alloc(22, 0x0b), hex('000102030405060708090a0b0c'), hex('f0f1f2f3f4f5f6f7f8f9'));
    const known = '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865';
    assert.equal(Buffer.concat(both).toString('hex').slice(0, known.length), known);
    assert.deepEqual(
      both.map(({ length }) => length),
      [32, 32],
    );
  });

  it('encrypts as specified in NIST SP 800-38A, with padding', () => {
    const key = hex('603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4');
    const iv = hex('000102030405060708090a0b0c0d0e0f');
    const plain = hex('6bc1bee22e409f96e93d7e117393172a');
    const sealed = encrypt(key, plain, iv);
    assert.deepEqual(sealed.subarray(0, 16), hex('f58c4c04d6e5f1ba779eabfb5f7bfbd6'));
    assert.equal(sealed.length, 32);
    assert.deepEqual(decrypt(key, sealed, iv), plain);
    assert.throws(() => decrypt(key, sealed.subarray(0, 16), iv));
  });
});

describe('the first message of a session', () => {
  it('contains the identity key of its sender', () => {
    const first = bytes(recorded.hello.ciphertext);
    assert.deepEqual(PreKeyWhisperMessage.decode(first.subarray(1)).identityKey, bytes(recorded.anna.identity.public));
    assert.equal(PreKeyWhisperMessage.decode(Buffer.of()).identityKey, null);
    assert.throws(() => PreKeyWhisperMessage.decode(Buffer.of(0x1a, 200)), RangeError);
  });
});

describe('Signal sessions used through the client library', () => {
  it('decrypt messages from the package that they replaced', async () => {
    const shop = aDevice(pairOf(recorded.shop.identity), pairOf(recorded.shop.signedPreKey), pairOf(recorded.preKey));
    const hello = await shop.cipher.decryptPreKeyWhisperMessage(bytes(recorded.hello.ciphertext));
    assert.equal(Buffer.from(hello).toString(), 'hello');
    assert.deepEqual(shop.used, [7]);
    assert.equal((await shop.cipher.encrypt(Buffer.from('welcome'))).type, 1);
  });

  it('encrypt concurrent messages in order, and the Rust code can decrypt them', async () => {
    const [anna, shop] = [newDevice(), newDevice()];
    await new SessionBuilder(anna.storage, ADDRESS).initOutgoing(bundleOf(shop));
    const all = await Promise.all(Array.from({ length: 10 }, (_, nth) => anna.cipher.encrypt(Buffer.from(String(nth)))));
    const opened = [];
    for (const { body } of all.toReversed()) opened.push(String(Buffer.from(await rustOf(shop).decryptPreKeyWhisperMessage(body))));
    assert.deepEqual(opened.toReversed(), ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
  });

  it('show whether they are open, and with whom', async () => {
    const anna = newDevice();
    await new SessionBuilder(anna.storage, ADDRESS).initOutgoing(bundleOf(newDevice()));
    const record = SessionRecord.deserialize(anna.kept()?.serialize());
    assert.equal(record.haveOpenSession(), true);
    assert.equal(record.getOpenSession()?.registrationId, 1);
    assert.equal(record.getOpenSession()?.indexInfo.baseKey.length, 33);
    assert.throws(() => SessionRecord.deserialize({ _sessions: {} }));
  });

  it('cannot be used before they are started', async () => {
    await assert.rejects(newDevice().cipher.encrypt(Buffer.from('hello')), Error);
    assert.equal(String(ADDRESS), 'anna_1.3');
  });
});

const ADDRESS = new ProtocolAddress('anna_1', 3);
const SIGNED_KEY = 1;

const pairOf = (pair: Readonly<Record<'public' | 'private', string>>): KeyPair => ({
  pubKey: bytes(pair.public),
  privKey: bytes(pair.private),
});

const newDevice = () => aDevice(generateKeyPair(), generateKeyPair(), generateKeyPair());

/** With its secrets as the client library gives them. */
function aDevice(identity: KeyPair, signed: KeyPair, preKey: KeyPair) {
  let kept: SessionRecord | null = null;
  const used: number[] = [];
  const storage = {
    loadSession: async () => kept,
    async storeSession(_address: string, record: SessionRecord) {
      kept = record;
    },
    loadPreKey: async () => ({ privKey: preKey.privKey, pubKey: preKey.pubKey.subarray(1) }),
    removePreKey: (id: number) => void used.push(id),
    loadSignedPreKey: () => ({ privKey: signed.privKey, pubKey: signed.pubKey.subarray(1) }),
    getOurRegistrationId: () => 1,
    getOurIdentity: () => identity,
  };
  return { storage, used, identity, signed, preKey, kept: (): SessionRecord | null => kept, cipher: new SessionCipher(storage, ADDRESS) };
}

function bundleOf({ identity, signed, preKey }: ReturnType<typeof aDevice>) {
  const signature = calculateSignature(identity.privKey, signed.pubKey);
  return {
    registrationId: 1,
    identityKey: identity.pubKey,
    signedPreKey: { keyId: SIGNED_KEY, publicKey: signed.pubKey, signature },
    preKey: { keyId: 7, publicKey: preKey.pubKey },
  };
}

const rustRecords = new WeakMap<object, Uint8Array>();

/** The same device over Rust alone. */
function rustOf(device: ReturnType<typeof aDevice>): RustCipher {
  const { identity, signed, preKey } = device;
  const storage: SignalStorage = {
    loadSession: () => rustRecords.get(device),
    storeSession: (_address, record) => void rustRecords.set(device, record.serialize()),
    getOurIdentity: () => identity,
    getOurRegistrationId: () => 1,
    isTrustedIdentity: () => true,
    loadPreKey: () => preKey,
    removePreKey: () => {},
    loadSignedPreKey: () => ({ keyId: SIGNED_KEY, keyPair: signed, signature: calculateSignature(identity.privKey, signed.pubKey) }),
    loadSenderKey: () => null,
    storeSenderKey: () => {},
  };
  return new RustCipher(storage, new RustAddress('shop', 0));
}

const P = 2n ** 255n - 19n;

/** An XEdDSA signature is one of Ed25519 by the birationally equivalent point, whose sign it carries in its last bit. */
function isGenuineToEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const u = BigInt(`0x${Buffer.from(publicKey.subarray(1)).reverse().toString('hex')}`);
  const y = (((u - 1n + P) % P) * power(u + 1n, P - 2n)) % P;
  const key = hex(y.toString(16).padStart(64, '0')).reverse();
  key[31]! |= signature[63]! & 128;
  const plain = Buffer.from(signature);
  plain[63]! &= 127;
  const spki = Buffer.concat([hex('302a300506032b6570032100'), key]);
  return verify(null, message, createPublicKey({ key: spki, format: 'der', type: 'spki' }), plain);
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let [square, left] = [base % P, exponent]; left > 0n; left >>= 1n, square = (square * square) % P)
    if (left & 1n) result = (result * square) % P;
  return result;
}
