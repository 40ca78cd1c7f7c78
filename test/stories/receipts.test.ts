import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import type { Doc } from '../../store/port.ts';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../support/stores.ts';

const BUDI = '6281211110003';
const CITRA = '6281211110004';

/** The first page of an Ogg file with Opus in it. */
const VOICE = Buffer.concat([Buffer.from('OggS\0\x02'), Buffer.alloc(20), Buffer.from('\x01\x13OpusHead\x01\x01'), Buffer.alloc(9)]);

interface Shown {
  readonly person: { readonly phone: string | null; readonly name: string | null };
  readonly delivered_at: number | null;
  readonly read_at: number | null;
  readonly played_at: number | null;
}

async function aShop(t: Scope, kind: StoreKind) {
  const gateway = await aGateway(t, { kind });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  const verbs = sandboxVerbs(gateway.sandbox);
  const receipts = async (id: string): Promise<readonly Shown[]> =>
    (await acme.api('GET', `${device.path}/messages/${id}/receipts`)).body.receipts;
  /** As `<phone> <steps>`. */
  const steps = async (id: string) =>
    (await receipts(id))
      .map(({ person, delivered_at, read_at, played_at }) =>
        [person.phone, delivered_at && 'delivered', read_at && 'read', played_at && 'played'].filter(Boolean).join(' '),
      )
      .toSorted();
  return { gateway, acme, device, verbs, receipts, steps };
}

eachStore('message receipts', (kind) => {
  it('show when each member of a group received, read and played it', async (t) => {
    const { gateway, acme, device, verbs, receipts, steps } = await aShop(t, kind);
    await acme.api('POST', '/v1/contacts', { phone: ANNA, name: 'Anna of accounting' });
    verbs.change(BUDI, { reads: false });
    verbs.change(CITRA, { online: false });
    const { group } = verbs.createGroup({ members: [PHONE, ANNA, BUDI, CITRA] });
    const id = await device.text(group, 'Who comes on Sunday?');
    await gateway.until('Anna read it', async () => (await steps(id)).includes(`${ANNA} delivered read`));
    assert.deepEqual(await steps(id), [`${ANNA} delivered read`, `${BUDI} delivered`]);
    assert.equal((await receipts(id)).find(({ person }) => person.phone === ANNA)?.person.name, 'Anna of accounting');
    verbs.change(CITRA, { online: true });
    await gateway.until('Citra read it', async () => (await steps(id)).includes(`${CITRA} delivered read`));
    const [shown] = verbs.messages(ANNA).messages;
    assert.ok(shown?.receipts?.read_at && shown.receipts.played_at === null);
    assert.deepEqual(await steps(await device.text(ANNA, 'to nobody yet')), []);
  });

  it('show that a voice message in a direct chat was played, and are not kept for incoming messages', async (t) => {
    const { gateway, acme, device, verbs, receipts, steps } = await aShop(t, kind);
    const { body } = await acme.api('POST', '/v1/media/upload?filename=note.ogg', VOICE, {
      'content-type': 'audio/ogg',
    });
    const sent = await acme.api('POST', `${device.path}/messages`, { chat_id: ANNA, type: 'audio', media_r2_key: body.key });
    assert.equal(sent.status, 202, JSON.stringify(sent.body));
    const { id } = sent.body;
    const shown = await gateway.until('Anna has it', () => verbs.messages(ANNA).messages.find(({ type }) => type === 'audio'));
    await gateway.until('Anna saw it', async () => (await steps(id)).includes(`${ANNA} delivered read`));
    verbs.act(ANNA, { act: 'play', message_id: shown.id });
    await gateway.until('Anna played it', async () => (await steps(id)).includes(`${ANNA} delivered read played`));
    verbs.write(ANNA, { to: PHONE, body: 'Hello' });
    const inbound = await gateway.until('it came', async () => {
      const { messages } = (await acme.api('GET', `${device.path}/messages?direction=inbound`)).body;
      return messages[0]?.id;
    });
    assert.deepEqual(await receipts(inbound), []);
    assert.equal((await acme.api('GET', `${device.path}/messages/01JZX5ZB4T8QKX3N9V7C2M6D1E/receipts`)).status, 404);
  });

  it('are kept for the last hundred messages of a chat, in groups of up to 1,024 members', async (t) => {
    const { gateway, acme, device, verbs, steps } = await aShop(t, kind);
    const { group } = verbs.createGroup({ members: [PHONE, ANNA] });
    const first = await device.text(group, 'the first');
    const status = async () => (await acme.api('GET', `${device.path}/messages/${first}/receipts`)).status;
    await gateway.until('it has receipts', async () => (await steps(first)).length === 1);
    assert.equal((await gateway.during(acme.api('GET', `${device.path}/groups/${group}`))).status, 200);
    const groups = gateway.store.collection<Doc>({ name: 'groups', indexes: [] });
    await groups.updateOne({ session_id: device.id, group_id: group }, { $set: { 'record.size': 1_025 } });
    assert.equal(await status(), 404);
    await groups.updateOne({ session_id: device.id, group_id: group }, { $set: { 'record.size': 1_024 } });
    assert.equal(await status(), 200);
    for (let n = 0; n < 100; n += 1) verbs.write(ANNA, { to: group, body: `answer ${n}` });
    await gateway.until('all came', async () => (await status()) === 404);
  });
});
