import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { aBareDevice, aPeer, type Bare } from './bare.ts';
import type { Peer } from './peer.ts';
import { child, children, el, textOf } from './stanza.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const JPEG = Buffer.from('ffd8ffe000104a464946ffd9', 'hex');

async function aBusiness(t: TestContext): Promise<{ peer: Peer; shop: Bare }> {
  const peer = await aPeer(t);
  peer.phone(SHOP).app.becomesBusiness({ websites: ['https://one.example', 'https://two.example'], description: 'Batik' });
  return { peer, shop: await aBareDevice(t, peer, SHOP, { defaultQueryTimeoutMs: 1_000 }) };
}

const code = (expected: number) => (error: { data?: unknown }) => {
  assert.equal(error.data, expected);
  return true;
};

const iq = (type: string, xmlns: string, content: ReturnType<typeof el>[]) => el('iq', { to: '@s.whatsapp.net', type, xmlns }, content);

describe('the unmodified client library using account data', () => {
  it('returns only one website, cannot clear websites, and throws on invalid values', async (t) => {
    const { peer, shop } = await aBusiness(t);
    const { app } = peer.phone(SHOP);
    const read = await shop.sock.getBusinessProfile(`${SHOP}@s.whatsapp.net`);
    assert.deepEqual([read?.website, read?.description], [['https://one.example'], 'Batik']);
    await shop.sock.updateBussinesProfile({ websites: [], address: 'Jalan 1' });
    assert.deepEqual([app.business?.websites.length, app.business?.address], [2, 'Jalan 1']);
    const three = ['a', 'b', 'c'].map((name) => `https://${name}.example`);
    await assert.rejects(shop.sock.updateBussinesProfile({ websites: three }), code(406));
    const days = [{ day: 'mon', mode: 'whenever' }] as never;
    await assert.rejects(shop.sock.updateBussinesProfile({ hours: { timezone: 'Asia/Jakarta', days } }), code(406));
    await shop.sock.query(
      iq('set', 'w:biz', [el('business_profile', { v: 3, mutation_type: 'delta' }, [el('website', {}, Buffer.alloc(0))])]),
    );
    assert.deepEqual(app.business?.websites, []);
    await assert.rejects((await aBareDevice(t, peer, ANNA)).sock.updateBussinesProfile({ address: 'x' }), code(403));
  });

  it('reports an empty catalogue, because its catalogue queries get no response', async (t) => {
    const { shop } = await aBusiness(t);
    assert.deepEqual((await shop.sock.getCatalog({})).products, []);
    await assert.rejects(shop.sock.productUpdate('1', { price: 1_000 } as never), /reading 'length'/);
    assert.ok(await shop.sock.getBusinessProfile(`${SHOP}@s.whatsapp.net`));
  });

  it('can set only valid privacy settings, and only one of four default timers', async (t) => {
    const { peer, shop } = await aBusiness(t);
    await shop.sock.updateLastSeenPrivacy('none');
    assert.equal((await shop.sock.fetchPrivacySettings(true))['last'], 'none');
    await assert.rejects(shop.sock.updateOnlinePrivacy('none' as never), code(406));
    await assert.rejects(shop.sock.updateDefaultDisappearingMode(60), code(406));
    await shop.sock.updateDefaultDisappearingMode(86_400);
    assert.equal(peer.phone(SHOP).app.timer, 86_400);
  });

  it("can block a person only with both of the person's addresses", async (t) => {
    const { peer, shop } = await aBusiness(t);
    const { jid, lid } = peer.phone(ANNA);
    const block = (attrs: Record<string, string>) => shop.sock.query(iq('set', 'blocklist', [el('item', { action: 'block', ...attrs })]));
    await assert.rejects(block({ jid }), code(400));
    await assert.rejects(block({ jid: lid }), code(400));
    const answer = await block({ jid: lid, pn_jid: jid });
    assert.ok(child(answer, 'list')?.attrs['dhash']);
    assert.deepEqual([peer.phone(SHOP).app.blocked, await shop.sock.fetchBlocklist()], [[ANNA], [lid]]);
  });

  it('can set only JPEG pictures, and cannot create them by itself', async (t) => {
    const { peer, shop } = await aBusiness(t);
    const { jid, app } = peer.phone(SHOP);
    await assert.rejects(shop.sock.updateProfilePicture(jid, JPEG));
    const put = (bytes: Buffer) => shop.sock.query(iq('set', 'w:profile:picture', [el('picture', { type: 'image' }, bytes)]));
    await assert.rejects(put(Buffer.from('no picture')), code(406));
    await put(JPEG);
    assert.deepEqual(app.picture, JPEG);
    const ask = iq('get', 'w:profile:picture', [el('picture', { type: 'image', query: 'url' }), el('tctoken', {}, Buffer.from('x'))]);
    assert.equal(await shop.sock.query({ ...ask, attrs: { ...ask.attrs, target: jid } }), undefined);
    assert.ok(await shop.sock.profilePictureUrl(jid, 'image'));
    await shop.sock.removeProfilePicture(jid);
    assert.equal(app.picture, null);
  });

  it('cannot label a chat by its number, or change labels based on an old version', async (t) => {
    const { peer, shop } = await aBusiness(t);
    const { app } = peer.phone(SHOP);
    await shop.sock.addLabel('', { id: '1', name: 'New', color: 3 });
    await shop.sock.addChatLabel(peer.phone(ANNA).jid, '1');
    assert.deepEqual(app.labels, [{ id: '1', name: 'New', color: 3, chats: [] }]);
    await shop.sock.addChatLabel(peer.phone(ANNA).lid, '1');
    assert.deepEqual(app.labels, [{ id: '1', name: 'New', color: 3, chats: [ANNA] }]);
    app.setsLabel('2', { name: 'By hand', color: 4 });
    await shop.hears('labels.edit', ({ id }) => id === '2');
    const sync = el('collection', { name: 'regular', version: 1, return_snapshot: 'false' }, [el('patch', {}, Buffer.alloc(0))]);
    const answer = await shop.sock.query(iq('set', 'w:sync:app:state', [el('sync', {}, [sync])]));
    const refused = child(child(answer, 'sync'), 'collection');
    assert.deepEqual([refused?.attrs['type'], child(refused, 'error')?.attrs['code']], ['error', '409']);
    assert.equal(children(child(refused, 'patches'), 'patch').length, 3);
    delete shop.auth.creds.myAppStateKeyId;
    await assert.rejects(shop.sock.addLabel('', { id: '3', name: 'Late', color: 1 }), /App state key not present/);
  });

  it('stops a call from ringing when it rejects the call', async (t) => {
    const { peer, shop } = await aBusiness(t);
    const id = peer.phone(ANNA).calls(SHOP);
    const { from } = await shop.hears('call', (calls) => calls.find((call) => call.id === id));
    assert.deepEqual(peer.phone(ANNA).app.calls, [{ id, to: SHOP, state: 'ringing' }]);
    await shop.sock.rejectCall(id, from);
    await shop.sock.fetchBlocklist();
    assert.deepEqual(peer.phone(ANNA).app.calls, [{ id, to: SHOP, state: 'rejected' }]);
    assert.deepEqual(peer.journal.events('violation'), []);
  });

  it('distinguishes a hidden about text from a visible one', async (t) => {
    const { peer, shop } = await aBusiness(t);
    const ask = async () => {
      const user = el('user', { jid: peer.phone(ANNA).jid });
      const query = el('usync', { mode: 'query', context: 'interactive', sid: '1', index: 0, last: 'true' }, [
        el('query', {}, [el('status'), el('business', {}, [el('verified_name')])]),
        el('list', {}, [user]),
      ]);
      return child(child(child(await shop.sock.query(iq('get', 'usync', [query])), 'usync'), 'list'), 'user');
    };
    peer.phone(ANNA).says('At work');
    assert.equal(textOf(await ask(), 'status'), 'At work');
    peer.phone(ANNA).says(null);
    assert.equal(child(await ask(), 'status')?.attrs['code'], '401');
  });
});
