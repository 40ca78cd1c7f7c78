import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createOptedOut } from '../../../../actors/services/consent/opted-out.ts';
import { createIdentityResolver, type IdentityResolverDeps } from '../../../../actors/services/identities/identities.ts';
import { settle, VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { chatMovesIn } from '../../../../store/conversations/chat-merges.ts';
import { chatsIn } from '../../../../store/conversations/chats.ts';
import { devicesIn } from '../../../../store/devices/devices.ts';
import { identitiesIn } from '../../../../store/identities/identities.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const TENANT = 'acme';
const OTHER = '6281211110002';
const [HERS, HIS] = ['900000000001@lid', '900000000002@lid'];
const jid = (digits: string): string => `${digits}@s.whatsapp.net`;
const said = { username: null, source: 'stanza', at: 1 } as const;

async function aTenant(t: Scope, kind: StoreKind, more: Partial<IdentityResolverDeps> = {}) {
  const store = await kind.fresh(t);
  const identities = identitiesIn(store);
  const parts = { chats: chatsIn(store), messages: messagesIn(store), moves: chatMovesIn(store), devices: devicesIn(store) };
  const people = createIdentityResolver({ ...parts, identities, clock: new VirtualClock(), ...more });
  await store.prepare();
  return { identities, people };
}

eachStore('a known number with a new hidden address', (kind) => {
  it('is treated as a new person with a separate chat, but shares opt-outs with the known person', async (t) => {
    const parted: string[] = [];
    const { identities, people } = await aTenant(t, kind, { parted: async (_tenant, lid, phone) => void parted.push(`${lid} ${phone}`) });
    await people.learn(TENANT, { ...said, address: HERS, phone: ANNA });
    const where = (chat: string, chatAlt: string) => people.place(TENANT, { chat, chatAlt, from: chat, fromAlt: chatAlt });
    assert.deepEqual(await where(HIS, jid(ANNA)), { chat: HIS, from: HIS, lid: HIS });
    assert.deepEqual(await where(jid(ANNA), HIS), { chat: HIS, from: HIS, lid: HIS });
    assert.deepEqual(await where(HERS, jid(ANNA)), { chat: jid(ANNA), from: jid(ANNA), lid: HERS });
    assert.deepEqual([await people.resolve(TENANT, HIS), parted], [HIS, [`${HIS} ${ANNA}`]]);
    for (const subject of [ANNA, HIS]) {
      const consents = { statusOf: async () => new Map([[subject, 'opted_out' as const]]) };
      assert.deepEqual(
        await createOptedOut({ consents, formsOf: people.formsOf, identities })(TENANT, [ANNA, HIS, OTHER]),
        new Set([ANNA, HIS]),
      );
    }
  });
});

eachStore('a hidden address that is reported with two unrelated numbers', (kind) => {
  for (const [what, answer, standing] of [
    ['that the network confirms', OTHER, OTHER],
    ['that the network does not confirm', null, ANNA],
  ] as const)
    it(`is checked with the network once if the newer number is one ${what}`, async (t) => {
      const asked: (readonly string[])[] = [];
      const ask: IdentityResolverDeps['ask'] = async (_tenant, phones) => {
        asked.push(phones);
        return phones.map((phone) => ({ phone, exists: true, jid: jid(phone), lid: phone === answer ? HERS : null }));
      };
      const { identities, people } = await aTenant(t, kind, { ask });
      await people.learn(TENANT, { ...said, address: HERS, phone: ANNA });
      for (let times = 0; times < 2; times += 1) await people.learn(TENANT, { ...said, address: HERS, phone: OTHER, at: 7 });
      const listed = await identities.contradictions(10);
      for (let turns = 0; turns < 50 && answer !== null && (await identities.contradictions(10)).length > 0; turns += 1) await settle();
      assert.deepEqual(asked, [[OTHER, ANNA]]);
      const left = await identities.contradictions(10);
      assert.deepEqual([...listed, ...left].at(0), { tenant_id: TENANT, lid: HERS, numbers: [ANNA, OTHER], since: 7 });
      assert.equal(left.length, answer === null ? 1 : 0);
      assert.equal(await people.resolve(TENANT, HERS), jid(standing));
      assert.equal(await people.resolve(TENANT, jid(ANNA)), jid(standing));
    });
});

eachStore('a person who changes their number', (kind) => {
  it('keeps all data, even after changing back, and is not merged with the former holder of the number', async (t) => {
    const parted: string[] = [];
    const { people } = await aTenant(t, kind, { parted: async (_tenant, to, from) => void parted.push(`${from} ${to}`) });
    const changes = (from: string, to: string, at: number) =>
      people.learn(TENANT, { username: null, source: 'notice', address: jid(from), phone: to, at });
    await people.learn(TENANT, { ...said, address: HERS, phone: ANNA });
    await changes(ANNA, OTHER, 10);
    for (const address of [jid(ANNA), HERS]) assert.equal(await people.resolve(TENANT, address), jid(OTHER));
    await changes(ANNA, '6281211110009', 5);
    assert.equal(await people.resolve(TENANT, HERS), jid(OTHER), 'an older notice changes nothing');
    await changes(OTHER, ANNA, 20);
    for (const address of [jid(OTHER), jid(ANNA), HERS]) assert.equal(await people.resolve(TENANT, address), jid(ANNA));

    const third = '6281211110003';
    await people.learn(TENANT, { ...said, address: HIS, phone: third });
    await changes(ANNA, third, 30);
    assert.deepEqual(parted, [`${ANNA} ${third}`, `${third} ${ANNA}`]);
    assert.deepEqual([await people.resolve(TENANT, HIS), await people.resolve(TENANT, HERS)], [jid(third), jid(ANNA)]);
  });
});

const MENTIONED = 1_000;

eachStore('the many people whom one message mentions', (kind) => {
  it('are resolved in a few store queries, including former numbers and strangers', async (t) => {
    const { identities, people } = await aTenant(t, kind);
    const former = jid('6281211110003');
    await people.learn(TENANT, { ...said, address: HERS, phone: ANNA });
    await people.learn(TENANT, { ...said, address: former, phone: ANNA });
    let queries = 0;
    const counted: typeof identities = {
      ...identities,
      phonesOf: (...of) => {
        queries += 1;
        return identities.phonesOf(...of);
      },
    };
    const { people: other } = await aTenant(t, kind, { identities: counted });
    const strangers = Array.from({ length: MENTIONED }, (_, nth) => jid(`62813${10_000_000 + nth}`));
    const named = [HERS, ...strangers, former, HIS, 'status@broadcast'];
    const resolved = [jid(ANNA), ...strangers, jid(ANNA), HIS, 'status@broadcast'];
    assert.deepEqual(await other.resolveAll(TENANT, named), resolved);
    assert.ok(queries <= 3, `${queries} queries`);
    queries = 0;
    assert.deepEqual(await other.resolveAll(TENANT, named), resolved);
    assert.equal(queries, 1, 'a hidden address without a number is not cached');
  });
});
