import type { SecretKind, SecretsById } from '../../../../actors/network/whatsapp/keys/secret-kind.ts';
import '../../../network-peer/silent-logger.ts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type AuthenticationCreds, loadLibrary } from '../../../../actors/network/whatsapp/library.ts';
import type { Secrets } from '../../../../actors/network/whatsapp/signal/secrets.ts';
import { Sessions } from '../../../../actors/network/whatsapp/signal/sessions.ts';

const ANNA = 'anna.0';
const SHOP = 'shop.0';
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const bytes = (base64: string): Buffer => Buffer.from(base64, 'base64');

interface Pair {
  readonly public: Uint8Array;
  readonly private: Uint8Array;
}

/** What the Signal code of earlier versions wrote down and sealed, at both ends of one conversation. */
const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'recorded-sessions.json'), 'utf8'));

interface RecordedCreds {
  readonly identity: Readonly<Record<'public' | 'private', string>>;
  readonly signedPreKey: { readonly keyId: number } & Readonly<Record<'public' | 'private' | 'signature', string>>;
  readonly registrationId: number;
}

const pairOf = (pair: Readonly<Record<'public' | 'private', string>>): Pair => ({
  public: bytes(pair.public).subarray(1),
  private: bytes(pair.private),
});

async function recordedCreds({ identity, signedPreKey, registrationId }: RecordedCreds): Promise<AuthenticationCreds> {
  const { keyId, signature } = signedPreKey;
  const signed = { keyId, keyPair: pairOf(signedPreKey), signature: bytes(signature) };
  return { ...(await loadLibrary()).initAuthCreds(), signedIdentityKey: pairOf(identity), signedPreKey: signed, registrationId };
}

const sealed = ({ type, ciphertext }: { type: 'pkmsg' | 'msg'; ciphertext: string }) => ({ type, ciphertext: bytes(ciphertext) });

function inMemory(kept: Map<string, unknown>): Secrets {
  return {
    get: async <T>(kind: SecretKind<T>, ids: readonly string[]) =>
      Object.fromEntries(ids.filter((id) => kept.has(`${kind}/${id}`)).map((id) => [id, kept.get(`${kind}/${id}`)])) as SecretsById<T>,
    set(kind, values) {
      for (const [id, value] of Object.entries(values)) {
        if (value === null) kept.delete(`${kind}/${id}`);
        else kept.set(`${kind}/${id}`, value);
      }
    },
    alone: (_name, work) => work(),
  };
}

async function two() {
  const library = await loadLibrary();
  const [anna, shop] = [library.initAuthCreds(), library.initAuthCreds()];
  const preKey = library.Curve.generateKeyPair();
  const bundle = {
    registrationId: shop.registrationId,
    identityKey: Buffer.from(library.generateSignalPubKey(shop.signedIdentityKey.public)),
    signedPreKey: {
      keyId: shop.signedPreKey.keyId,
      publicKey: Buffer.from(library.generateSignalPubKey(shop.signedPreKey.keyPair.public)),
      signature: Buffer.from(shop.signedPreKey.signature),
    },
    preKey: { keyId: 7, publicKey: Buffer.from(library.generateSignalPubKey(preKey.public)) },
  };
  return { library, anna, shop, preKey, bundle };
}

describe('Signal sessions', () => {
  it('continue after an upgrade, byte for byte as before, including for skipped messages', async () => {
    const library = await loadLibrary();
    const kept = new Map<string, unknown>([[`session/${ANNA}`, recorded.records.ours]]);
    const now = new Sessions(library, await recordedCreds(recorded.shop), inMemory(kept));
    const hers = new Sessions(library, await recordedCreds(recorded.anna), inMemory(new Map([[`session/${SHOP}`, recorded.records.hers]])));
    assert.equal(await now.exists(ANNA), true);
    assert.deepEqual((await now.info(ANNA))?.registrationId, recorded.anna.registrationId);
    const late = sealed(recorded.late);
    assert.equal(text(await now.open(ANNA, late)), 'late');
    await assert.rejects(now.open(ANNA, late), { name: 'Error', message: /DuplicatedMessage/ });
    assert.equal(text(await now.open(ANNA, sealed(recorded.next))), 'next');
    assert.deepEqual(await now.seal(ANNA, Buffer.from('still here')), sealed(recorded.reply), 'to the byte what it sealed before');
    assert.equal(text(await hers.open(SHOP, sealed(recorded.reply))), 'still here');
    assert.equal(text(await now.open(ANNA, await hers.seal(SHOP, Buffer.from('good')))), 'good');
    assert.equal(text(await hers.open(SHOP, await now.seal(ANNA, Buffer.from('and again')))), 'and again');
    assert.ok(kept.get(`session/${ANNA}`) instanceof Uint8Array, 'and are kept in the new way from then on');
  });

  it('can begin with a message that an earlier version encrypted', async () => {
    const secrets = new Map<string, unknown>([['pre-key/7', pairOf(recorded.preKey)]]);
    const now = new Sessions(await loadLibrary(), await recordedCreds(recorded.shop), inMemory(secrets));
    assert.equal(text(await now.open(ANNA, sealed(recorded.hello))), 'hello');
    assert.equal(secrets.has('pre-key/7'), false, 'a one-time key is used once');
  });

  it('repeat the session setup after an upgrade until the other side replies', async () => {
    const library = await loadLibrary();
    const now = new Sessions(library, await recordedCreds(recorded.anna), inMemory(new Map([[`session/${SHOP}`, recorded.unanswered]])));
    const again = await now.seal(SHOP, Buffer.from('hello'));
    assert.equal(again.type, 'pkmsg');
    const secrets = new Map<string, unknown>([['pre-key/7', pairOf(recorded.preKey)]]);
    const theirs = new Sessions(library, await recordedCreds(recorded.shop), inMemory(secrets));
    assert.equal(text(await theirs.open(ANNA, again)), 'hello');
    assert.equal(text(await theirs.open(ANNA, sealed(recorded.first))), 'lost on its way');
    assert.equal(secrets.has('pre-key/7'), false, 'a one-time key is used once');
  });

  it('can be moved to another address, and ended under the new address', async () => {
    const { library, anna, bundle } = await two();
    const sessions = new Sessions(library, anna, inMemory(new Map()));
    await sessions.start(SHOP, bundle);
    const { baseKey } = (await sessions.info(SHOP))!;
    assert.equal(await sessions.move(SHOP, 'shop_1.0'), true);
    assert.equal(await sessions.move(SHOP, 'shop_1.0'), false);
    assert.deepEqual([await sessions.exists(SHOP), (await sessions.info('shop_1.0'))?.baseKey], [false, baseKey]);
    await sessions.end('shop_1.0');
    assert.equal(await sessions.exists('shop_1.0'), false);
    await assert.rejects(sessions.seal('shop_1.0', Buffer.from('hello')), Error);
  });

  it('reject a signed key with an invalid signature', async () => {
    const { library, anna, bundle } = await two();
    const sessions = new Sessions(library, anna, inMemory(new Map()));
    const forged = { ...bundle, signedPreKey: { ...bundle.signedPreKey, signature: Buffer.alloc(64, 1) } };
    await assert.rejects(sessions.start(SHOP, forged), Error);
    assert.equal(await sessions.exists(SHOP), false);
  });

  it('reject keys and signatures that are too long, without storing anything', async () => {
    const { library, anna, bundle } = await two();
    const secrets = new Map<string, unknown>();
    const sessions = new Sessions(library, anna, inMemory(secrets));
    const long = Buffer.alloc(100_000);
    const { signedPreKey, preKey } = bundle;
    for (const wrong of [
      { identityKey: long },
      { signedPreKey: { ...signedPreKey, publicKey: long } },
      { signedPreKey: { ...signedPreKey, signature: long } },
      { preKey: { ...preKey, publicKey: long } },
    ])
      await assert.rejects(sessions.start(SHOP, { ...bundle, ...wrong }), { message: `the network returned invalid keys for ${SHOP}` });
    assert.equal(secrets.size, 0);
  });

  it('continue if both sides start one at the same time, whichever of the two each side uses', async () => {
    const { library, anna, shop, preKey, bundle } = await two();
    const bundleOf = (creds: AuthenticationCreds, keyId: number, pair: Pair) => ({
      ...bundle,
      registrationId: creds.registrationId,
      identityKey: library.generateSignalPubKey(creds.signedIdentityKey.public),
      signedPreKey: {
        keyId: creds.signedPreKey.keyId,
        publicKey: library.generateSignalPubKey(creds.signedPreKey.keyPair.public),
        signature: creds.signedPreKey.signature,
      },
      preKey: { keyId, publicKey: library.generateSignalPubKey(pair.public) },
    });
    const hers = new Sessions(library, anna, inMemory(new Map([['pre-key/8', preKey]])));
    const ours = new Sessions(library, shop, inMemory(new Map([['pre-key/7', preKey]])));
    await hers.start(SHOP, bundle);
    const [first, second] = [await hers.seal(SHOP, Buffer.from('1')), await hers.seal(SHOP, Buffer.from('2'))];
    await ours.open(ANNA, first);
    await ours.start(ANNA, bundleOf(anna, 8, preKey));
    const begins = await ours.seal(ANNA, Buffer.from('3'));
    await ours.open(ANNA, second);
    const answers = await ours.seal(ANNA, Buffer.from('4'));
    await hers.open(SHOP, begins);
    const third = await hers.seal(SHOP, Buffer.from('5'));
    assert.deepEqual([text(await hers.open(SHOP, answers)), text(await ours.open(ANNA, third))], ['4', '5']);
    await assert.rejects(ours.open(ANNA, third), { name: 'Error', message: /DuplicatedMessage/ });
    for (const said of ['6', '7', '8']) {
      assert.equal(text(await hers.open(SHOP, await ours.seal(ANNA, Buffer.from(said)))), said);
      assert.equal(text(await ours.open(ANNA, await hers.seal(SHOP, Buffer.from(said)))), said);
    }
  });
});
