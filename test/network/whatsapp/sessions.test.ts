import '../peer/quiet.ts';
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import { type AuthenticationCreds, type Library, loadLibrary } from '../../../actors/network/whatsapp/library.ts';
import type { Secrets } from '../../../actors/network/whatsapp/signal/secrets.ts';
import { Sessions } from '../../../actors/network/whatsapp/signal/sessions.ts';

/** The library's own Signal code, which wrote the sessions of earlier versions. */
const js = createRequire(import.meta.resolve('@whiskeysockets/baileys'))('libsignal');

const ANNA = 'anna.0';
const SHOP = 'shop.0';
const addressOf = (name: string): unknown => new js.ProtocolAddress(...name.split('.').map((part, i) => (i === 0 ? part : Number(part))));
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

interface Pair {
  readonly public: Uint8Array;
  readonly private: Uint8Array;
}

/** A device as the library's own code sees it, its sessions as JSON. */
function earlierSide(library: Library, creds: AuthenticationCreds, preKey: Pair) {
  const records = new Map<string, object>();
  const pair = (keys: Pair) => ({ pubKey: Buffer.from(library.generateSignalPubKey(keys.public)), privKey: Buffer.from(keys.private) });
  const storage = {
    loadSession: async (id: string) => records.has(id) && js.SessionRecord.deserialize(structuredClone(records.get(id))),
    storeSession: async (id: string, record: { serialize(): object }) => void records.set(id, record.serialize()),
    isTrustedIdentity: () => true,
    loadPreKey: async () => pair(preKey),
    removePreKey: () => {},
    loadSignedPreKey: () => pair(creds.signedPreKey.keyPair),
    getOurRegistrationId: () => creds.registrationId,
    getOurIdentity: () => pair(creds.signedIdentityKey),
  };
  const cipher = (to: string) => new js.SessionCipher(storage, addressOf(to));
  return {
    records,
    start: (to: string, bundle: object) => new js.SessionBuilder(storage, addressOf(to)).initOutgoing(bundle),
    async seal(to: string, plain: string) {
      const { type, body } = await cipher(to).encrypt(Buffer.from(plain));
      return { type: type === 3 ? ('pkmsg' as const) : ('msg' as const), ciphertext: Buffer.from(body, 'binary') };
    },
    async open(from: string, { type, ciphertext }: { type: string; ciphertext: Uint8Array }): Promise<string> {
      const sealed = Buffer.from(ciphertext);
      return text(await (type === 'pkmsg' ? cipher(from).decryptPreKeyWhisperMessage(sealed) : cipher(from).decryptWhisperMessage(sealed)));
    },
  };
}

function inMemory(kept: Map<string, unknown>): Secrets {
  return {
    get: async (kind, ids) =>
      Object.fromEntries(ids.filter((id) => kept.has(`${kind}/${id}`)).map((id) => [id, kept.get(`${kind}/${id}`)])),
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
  it('of an earlier version go on, both ways, with what was passed over', async () => {
    const { library, anna, shop, preKey, bundle } = await two();
    const hers = earlierSide(library, anna, preKey);
    const before = earlierSide(library, shop, preKey);
    await hers.start(SHOP, bundle);
    await before.open(ANNA, await hers.seal(SHOP, 'hello'));
    await hers.open(SHOP, await before.seal(ANNA, 'welcome'));
    const late = await hers.seal(SHOP, 'late');
    await before.open(ANNA, await hers.seal(SHOP, 'overtakes it'));

    const kept = new Map<string, unknown>([[`session/${ANNA}`, before.records.get(ANNA)]]);
    const now = new Sessions(library, shop, inMemory(kept));
    assert.equal(await now.exists(ANNA), true);
    assert.deepEqual((await now.info(ANNA))?.registrationId, anna.registrationId);
    assert.equal(text(await now.open(ANNA, late)), 'late');
    await assert.rejects(now.open(ANNA, late), { name: 'Error', message: /DuplicatedMessage/ });
    assert.equal(await hers.open(SHOP, await now.seal(ANNA, Buffer.from('still here'))), 'still here');
    assert.equal(text(await now.open(ANNA, await hers.seal(SHOP, 'good'))), 'good');
    assert.equal(await hers.open(SHOP, await now.seal(ANNA, Buffer.from('and again'))), 'and again');
    assert.ok(kept.get(`session/${ANNA}`) instanceof Uint8Array, 'and are kept in the new way from then on');
  });

  it('of an earlier version that nobody answered yet still say how they began', async () => {
    const { library, anna, shop, preKey, bundle } = await two();
    const before = earlierSide(library, anna, preKey);
    await before.start(SHOP, bundle);
    await before.seal(SHOP, 'lost on its way');
    const now = new Sessions(library, anna, inMemory(new Map([[`session/${SHOP}`, before.records.get(SHOP)]])));
    const sealed = await now.seal(SHOP, Buffer.from('hello'));
    assert.equal(sealed.type, 'pkmsg');
    const secrets = new Map<string, unknown>([['pre-key/7', preKey]]);
    const theirs = new Sessions(library, shop, inMemory(secrets));
    assert.equal(text(await theirs.open(ANNA, sealed)), 'hello');
    assert.equal(secrets.has('pre-key/7'), false, 'a one-time key is used once');
  });

  it('are gone with their device, and move with it to another address', async () => {
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

  it('are not begun with a key that its owner did not sign', async () => {
    const { library, anna, bundle } = await two();
    const sessions = new Sessions(library, anna, inMemory(new Map()));
    const forged = { ...bundle, signedPreKey: { ...bundle.signedPreKey, signature: Buffer.alloc(64, 1) } };
    await assert.rejects(sessions.start(SHOP, forged), Error);
    assert.equal(await sessions.exists(SHOP), false);
  });

  it('that both sides began at once go on, whichever each of them uses', async () => {
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
