import type { SecretKind, SecretsById } from '../../../../actors/network/whatsapp/keys/secret-kind.ts';
import '../../../network-peer/silent-logger.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SignalDataSet, SignalDataTypeMap, SignalKeyStoreWithTransaction } from '@whiskeysockets/baileys';
import { pino } from 'pino';
import { loadLibrary } from '../../../../actors/network/whatsapp/library.ts';
import { Groups } from '../../../../actors/network/whatsapp/signal/groups.ts';
import type { Secrets } from '../../../../actors/network/whatsapp/signal/secrets.ts';

const GROUP = '120363000000000001@g.us';
const ANNA = '6281100000001@s.whatsapp.net';
const AUTHOR = { group: GROUP, address: '6281100000001.0' };
const NAME = `sender-key/${GROUP}::6281100000001::0`;
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

type Kept = Map<string, unknown>;

function secretsIn(kept: Kept): Secrets {
  return {
    get: async <T>(kind: SecretKind<T>, ids: readonly string[]) =>
      Object.fromEntries(ids.filter((id) => kept.has(`${kind}/${id}`)).map((id) => [id, kept.get(`${kind}/${id}`)])) as SecretsById<T>,
    set(kind, values) {
      for (const [id, value] of Object.entries(values)) kept.set(`${kind}/${id}`, value);
    },
    alone: (_name, work) => work(),
  };
}

/** As the library does it by itself, and so earlier versions did. */
async function earlier(kept: Kept) {
  const library = await loadLibrary();
  const secrets = secretsIn(kept);
  const keys: SignalKeyStoreWithTransaction = {
    get: async <T extends keyof SignalDataTypeMap>(kind: T, ids: string[]) =>
      (await secrets.get(kind, ids)) as { [id: string]: SignalDataTypeMap[T] },
    set(data: SignalDataSet) {
      for (const [kind, values] of Object.entries(data)) secrets.set<unknown>(kind, values);
    },
    isInTransaction: () => false,
    transaction: (work) => work(),
  };
  const repository = library.DEFAULT_CONNECTION_CONFIG.makeSignalRepository(
    { creds: library.initAuthCreds(), keys },
    pino({ level: 'silent' }),
  );
  return {
    async seal(plain: string) {
      const sealed = await repository.encryptGroupMessage({ group: GROUP, meId: ANNA, data: Buffer.from(plain) });
      return { ciphertext: sealed.ciphertext, distribution: sealed.senderKeyDistributionMessage };
    },
    learn: (distribution: Uint8Array) =>
      repository.processSenderKeyDistributionMessage({
        authorJid: ANNA,
        item: { groupId: GROUP, axolotlSenderKeyDistributionMessage: distribution },
      }),
    open: async (msg: Uint8Array) => text(await repository.decryptGroupMessage({ group: GROUP, authorJid: ANNA, msg })),
  };
}

const groupsOver = async (kept: Kept): Promise<Groups> => new Groups(await loadLibrary(), secretsIn(kept));

describe('group sender keys', () => {
  it('remain usable after an upgrade and for members who have not upgraded, including for skipped messages', async () => {
    const [annas, budis, citras]: Kept[] = [new Map(), new Map(), new Map()];
    const [anna, budi, citra] = [await earlier(annas!), await earlier(budis!), await earlier(citras!)];
    const first = await anna.seal('first');
    await budi.learn(first.distribution);
    await citra.learn(first.distribution);
    const late = await anna.seal('late');
    const third = await anna.seal('third');
    for (const each of [first, third]) await budi.open(each.ciphertext);

    const [hers, his] = [await groupsOver(annas!), await groupsOver(budis!)];
    assert.equal(await hers.has(AUTHOR), true);
    assert.equal(text(await his.open(AUTHOR, late.ciphertext)), 'late');
    for (const each of [first, late, third])
      await assert.rejects(his.open(AUTHOR, each.ciphertext), { name: 'Error', message: /old counter/ });
    const fourth = await hers.seal(AUTHOR, Buffer.from('fourth'));
    assert.equal(text(await his.open(AUTHOR, fourth.ciphertext)), 'fourth');
    assert.equal(await citra.open(fourth.ciphertext), 'fourth', 'who is still of an earlier version reads on');
  });

  it('advance once per message, and store no unused keys', async () => {
    const [annas, budis]: Kept[] = [new Map(), new Map()];
    const [hers, his] = [await groupsOver(annas!), await groupsOver(budis!)];
    await his.learn(AUTHOR, await hers.distribute(AUTHOR));
    const weights = new Set<number>();
    for (let nth = 0; nth < 100; nth += 1) {
      const { ciphertext } = await hers.seal(AUTHOR, Buffer.from(String(nth)));
      assert.equal(text(await his.open(AUTHOR, ciphertext)), String(nth));
      for (const kept of [annas!, budis!]) weights.add((kept.get(NAME) as Uint8Array).length);
    }
    assert.ok(Math.max(...weights) < 150, String([...weights]));
  });

  it('reject messages without a valid signature, and remain unchanged', async () => {
    const budis: Kept = new Map();
    const [hers, his] = [await groupsOver(new Map()), await groupsOver(budis)];
    const { ciphertext, distribution } = await hers.seal(AUTHOR, Buffer.from('hello'));
    await assert.rejects(his.open(AUTHOR, ciphertext), Error);
    await his.learn(AUTHOR, distribution);
    const before = Buffer.from(budis.get(NAME) as Uint8Array);
    for (const at of [ciphertext.length - 1, ciphertext.length - 70]) {
      const forged = Buffer.from(ciphertext);
      forged[at]! ^= 1;
      await assert.rejects(his.open(AUTHOR, forged), Error);
    }
    assert.deepEqual(budis.get(NAME), before);
    assert.equal(text(await his.open(AUTHOR, ciphertext)), 'hello');
  });

  it('are not reset when they are received again', async () => {
    const [hers, his] = [await groupsOver(new Map()), await groupsOver(new Map())];
    const { ciphertext, distribution } = await hers.seal(AUTHOR, Buffer.from('hello'));
    await his.learn(AUTHOR, distribution);
    await his.open(AUTHOR, ciphertext);
    await his.learn(AUTHOR, distribution);
    await assert.rejects(his.open(AUTHOR, ciphertext), { message: /old counter/ });
    await assert.rejects(his.learn(AUTHOR, Buffer.from('no key')), Error);
  });
});
