import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { Answer, Api } from '../../../support/gateway.ts';
import { eachStore, type StoreKind } from '../../../support/stores.ts';
import { aRealGateway, type RealGateway } from './gateway.ts';

const OWNER = '6281100009999';
const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BUDI = '6281100000003';
const EVENTS = [
  ...(['channel.joined', 'channel.left', 'channel.updated', 'channel.stats', 'status.failed', 'account.updated'] as const),
  ...(['label.updated', 'label.deleted', 'label.assigned', 'label.unassigned', 'blocklist.changed'] as const),
  ...(['group.join_request', 'group.participants'] as const),
];

async function aShop(t: TestContext, kind: StoreKind) {
  const gateway = await aRealGateway(t, kind);
  const token = await gateway.signUp(OWNER);
  const api = gateway.as(token);
  const path = await gateway.linked(api, SHOP);
  const hook = { url: 'https://example.com/hook', secret: 's'.repeat(32), events: EVENTS };
  assert.equal((await api('POST', '/v1/webhooks', hook)).status, 201);
  const { app } = gateway.peer.phone(SHOP);
  return { gateway, token, api, path, app, ask: asking(gateway, api, path), told: telling(gateway, api) };
}

/** Calls below the path of a device, while time passes. */
function asking({ clock }: RealGateway, api: Api, path: string) {
  return async (method: string, rest: string, body?: unknown): Promise<Answer> => {
    const answer = api(method, `${path}/${rest}`, body);
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    answer.then(over, over);
    while (!isOver) await clock.advance(25);
    return answer;
  };
}

type Told = readonly Record<string, unknown>[];

/** Waits for `count` events of a type and returns the `data` of all of them. */
function telling(gateway: RealGateway, api: Api) {
  return (type: string, count = 1): Promise<Told> =>
    gateway.until(`${count} of ${type}`, async () => {
      const { events } = (await api('GET', '/v1/events/pull?limit=200')).body;
      const all = events.filter((one: { type: string }) => one.type === type).map(({ data }: { data: unknown }) => data);
      return all.length >= count && all;
    });
}

eachStore('a gateway over the WhatsApp protocol', (kind) => {
  it('changes account settings, blocked numbers and labels, and publishes one event for each change', async (t) => {
    const { gateway, api, path, app, ask, told } = await aShop(t, kind);
    assert.deepEqual((await ask('PATCH', 'account', { about: 'Open' })).body.about, 'Open');
    assert.equal((await ask('PATCH', 'account/privacy', { last_seen: 'contacts' })).body.last_seen, 'contacts');
    assert.equal((await ask('POST', 'blocklist', { phone: `+${ANNA}` })).body.phone, ANNA);
    assert.deepEqual(app.blocked, [ANNA]);
    await gateway.until('the keys of labels are there', async () => (await api('GET', `${path}/capabilities`)).body.labels === true);
    const label = (await ask('POST', 'labels', { name: 'Paid', color: 3 })).body;
    assert.equal((await ask('PUT', `labels/${label.id}/chats/${ANNA}`)).status, 200);
    assert.deepEqual(app.labels, [{ ...label, chats: [ANNA] }]);
    app.setsLabel('7', { name: 'By hand', color: 4 });
    const labels = await told('label.updated', 2);
    assert.deepEqual(
      labels.map(({ label: one }) => (one as { name: string }).name),
      ['Paid', 'By hand'],
    );
    assert.deepEqual((await told('label.assigned'))[0]?.['label_id'], label.id);
    assert.equal((await ask('DELETE', `blocklist/${ANNA}`)).status, 200);
    assert.deepEqual([app.blocked, (await told('blocklist.changed', 2)).length], [[], 2]);
    assert.equal((await ask('GET', 'catalog')).body.code, 'DEVICE_TIMEOUT');
  });

  for (const addressing of kind.name === 'embedded' ? (['lid', 'pn'] as const) : (['lid'] as const))
    it(`reports join requests and their approval by any admin of a group with ${addressing === 'pn' ? 'phone number' : 'hidden'} addresses`, async (t) => {
      const { gateway, token, api, path, ask, told } = await aShop(t, kind);
      const { peer } = gateway;
      const group = peer.group([ANNA, SHOP], { addressing, subject: 'Choir' });
      group.joinApproval = true;
      peer.changesGroup(ANNA, group, { kind: 'promote', members: [SHOP] });
      assert.equal((await ask('GET', 'groups')).body.groups.length, 1);
      const budi = asking(gateway, api, await gateway.linked(api, BUDI));
      const { code } = (await ask('GET', `groups/${group.jid}/invite`)).body;
      const move = (kind: 'add' | 'remove') => peer.changesGroup(ANNA, group, { kind, members: [BUDI] });

      assert.deepEqual((await budi('POST', 'groups/join', { code })).body, { requested: true });
      await told('group.join_request', 1);
      group.requests.clear();
      assert.deepEqual((await ask('GET', `groups/${group.jid}/requests`)).body.requests, [], 'taken back, of which nothing told');
      move('add');
      await told('group.participants', 2);
      move('remove');
      assert.deepEqual((await budi('POST', 'groups/join', { code })).body, { requested: true });
      await told('group.join_request', 2);
      const answered = await ask('POST', `groups/${group.jid}/requests`, { action: 'approve', phones: [`+${BUDI}`] });
      assert.equal(answered.body.results[0].status, 'ok', JSON.stringify(answered.body));
      await told('group.join_request', 3);
      move('remove');
      assert.deepEqual((await budi('POST', 'groups/join', { code })).body, { requested: true });
      await told('group.join_request', 4);

      const next = await gateway.crash();
      const again = next.as(token);
      await next.until('it is back', async () => (await again('GET', path)).body.status === 'connected');
      move('add');
      await telling(next, again)('group.join_request', 5);
      move('remove');
      move('add');
      const moves = await telling(next, again)('group.participants', 8);
      assert.deepEqual(
        moves.map(({ action }) => action),
        ['promote', 'add', 'remove', 'add', 'remove', 'add', 'remove', 'add'],
      );
      const person = { phone: BUDI, lid: peer.phone(BUDI).lid, username: null, name: null };
      const requests = await telling(next, again)('group.join_request', 5);
      assert.deepEqual(
        requests.map(({ action, person: who, by }) => [action, who, (by as { phone: string }).phone]),
        [
          ['created', person, BUDI],
          ['created', person, BUDI],
          ['approved', person, SHOP],
          ['created', person, BUDI],
          ['approved', person, ANNA],
        ],
        'who is added without having asked is added, and approved by nobody',
      );
    });

  it('processes an unacknowledged notice again after a crash, but publishes only one event', async (t) => {
    const { gateway, token, path, app, ask, told } = await aShop(t, kind);
    const made = (await ask('POST', 'channels', { name: 'News' })).body;
    await told('channel.joined');
    const acks = (type: string) => gateway.peer.journal.stanzas({ way: 'up', tag: 'ack', attrs: { class: 'notification', type } }).length;
    const lift = gateway.peer.fault({
      kind: 'drop',
      way: 'up',
      tag: 'ack',
      phone: SHOP,
      where: ({ attrs }) => attrs['class'] === 'notification',
    });
    app.blocks(BUDI);
    app.setsPrivacy('last', 'none');
    assert.equal((await ask('PATCH', `channels/${made.id}`, { name: 'Other news' })).status, 200);
    assert.equal((await ask('POST', `channels/${made.id}/mute`)).status, 200);
    await told('blocklist.changed');
    await told('account.updated');
    await told('channel.updated', 2);
    const next = await gateway.crash();
    lift();
    const before = acks('account_sync');
    const api = next.as(token);
    await next.until('it is back', async () => (await api('GET', path)).body.status === 'connected');
    await next.until('both are acknowledged', () => acks('account_sync') >= before + 2);
    app.blocks(ANNA);
    const again = telling(next, api);
    const blocks = await again('blocklist.changed', 2);
    assert.deepEqual(
      blocks.map(({ blocked }) => (blocked as { lid: string }[]).map(({ lid }) => lid)),
      [[gateway.peer.phone(BUDI).lid], [gateway.peer.phone(ANNA).lid]],
    );
    assert.equal((await again('account.updated')).length, 1);
    assert.deepEqual(
      (await again('channel.updated', 2)).map(({ changed }) => changed),
      [{ name: 'Other news' }, { muted: true }],
    );
  });

  it('sends, edits, counts and deletes channel posts, and shows who viewed a status', async (t) => {
    const { gateway, api, path, ask, told } = await aShop(t, kind);
    const { peer } = gateway;
    const { id } = (await ask('POST', 'channels', { name: 'News' })).body;
    const channel = peer.channels.get(id)!;
    channel.followers.add(peer.phone(ANNA).account);
    const send = async (body: object) => (await ask('POST', 'messages', { chat_id: id, ...body })).body.id;
    const isSent = (message: string) =>
      gateway.until('it is sent', async () => (await api('GET', `${path}/messages/${message}`)).body.status === 'sent');
    const text = await send({ type: 'text', body: 'open till ten' });
    const poll = await send({ type: 'poll', poll_name: 'Lunch?', choices: ['yes', 'no'] });
    await isSent(text);
    await isSent(poll);
    const [post] = channel.posts;
    peer.viewsPost(ANNA, id, post!.id);
    const [stats] = await told('channel.stats');
    assert.deepEqual([stats?.['message_id'], stats?.['views']], [text, 1]);
    assert.equal((await ask('PATCH', `messages/${text}`, { body: 'open till nine' })).status, 200);
    assert.equal(peer.contact(ANNA).shown(post!.id).text, 'open till nine');
    const { messages } = (await ask('GET', `channels/${id}/messages`)).body;
    assert.deepEqual(
      messages.map((one: Record<string, unknown>) => [one['message_id'], one['type']]),
      [
        [poll, 'poll'],
        [text, 'text'],
      ],
    );
    assert.equal((await ask('DELETE', `messages/${text}`)).status, 200);
    assert.equal(post!.isDeleted, true);

    const status = (await ask('POST', 'status', { type: 'text', body: 'Fresh bread', recipients: [ANNA] })).body.id;
    const seen = await gateway.until('Anna looked', async () => {
      const { body } = await api('GET', `${path}/status/${status}`);
      return body.view_count === 1 && body;
    });
    assert.deepEqual(
      [seen.status, seen.views[0].lid ?? seen.views[0].phone],
      ['sent', seen.views[0].lid === null ? ANNA : peer.phone(ANNA).lid],
    );
    assert.equal((await ask('DELETE', `status/${status}`)).status, 200);
    await gateway.until('it is gone from her phone', () =>
      peer
        .contact(ANNA)
        .shows()
        .some(({ isDeleted, chat }) => isDeleted && chat !== id),
    );
  });

  it("shows other people's business profiles and public data, and rejects calls with a text message", async (t) => {
    const { gateway, app, ask } = await aShop(t, kind);
    const { peer } = gateway;
    assert.equal((await ask('GET', 'business-profile')).status, 404);
    app.becomesBusiness();
    const websites = ['https://one.example', 'https://two.example'];
    assert.deepEqual((await ask('PATCH', 'business-profile', { websites, address: 'Jalan 1' })).body.websites, websites);
    assert.deepEqual((await ask('PATCH', 'business-profile', { websites: [] })).body.websites, []);
    assert.deepEqual([app.business?.websites, app.business?.address], [[], 'Jalan 1']);
    peer.phone(ANNA).says('At work');
    peer.phone(BUDI).isOnNetwork(false);
    assert.equal((await ask('GET', `people/${ANNA}`)).body.about, 'At work');
    assert.equal((await ask('GET', `people/${BUDI}`)).status, 404);
    assert.equal((await ask('PATCH', 'calls', { reject: true, reject_text: 'Please write' })).status, 200);
    peer.phone(ANNA).calls(SHOP);
    await gateway.until('it rings no more', () => peer.phone(ANNA).app.calls[0]?.state === 'rejected');
    await gateway.until('Anna has the text', () =>
      peer
        .contact(ANNA)
        .shows()
        .some(({ text }) => text === 'Please write'),
    );
  });

  it('counts query ids that the network has retired, and reports rate limits with the time to wait', async (t) => {
    const { gateway, ask } = await aShop(t, kind);
    const { peer, node } = gateway;
    peer.channels.retired.add('25399611239711790');
    assert.deepEqual((await ask('GET', 'channels')).body, { channels: [], next_before: null });
    const metrics = await (await fetch(`${node.url}/metrics`)).text();
    assert.match(metrics, /gateway_mex_unknown_query_total\{question="list"\} 1/);
    const lift = peer.fault({ kind: 'limit-questions', xmlns: 'w:mex', most: 0, everyMs: 60_000 });
    const busy = await ask('POST', 'channels', { name: 'News' });
    assert.deepEqual([busy.status, busy.body.code, busy.headers.get('retry-after')], [429, 'RATE_LIMITED', '60']);
    assert.equal(peer.channels.all.length, 0);
    lift();
    assert.equal((await ask('POST', 'channels', { name: 'News' })).status, 201);
  });

  it("stays below the network's rate limit, even with many concurrent callers", async (t) => {
    const { gateway, ask } = await aShop(t, kind);
    gateway.peer.fault({ kind: 'limit-questions', xmlns: 'privacy', most: 6, everyMs: 1_000 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask('GET', 'account/privacy')));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  });
});
