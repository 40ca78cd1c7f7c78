import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { sandboxVerbs } from '../../../../actors/network/sandbox/api.ts';
import { hired } from '../../../actors/services/agents/agents-fixture.ts';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { eachStore, type StoreKind } from '../../../support/stores.ts';

const NAMED = ['channel.joined', 'channel.left', 'channel.updated', 'channel.stats'];

async function aShop(t: TestContext, kind: StoreKind) {
  const gateway = await aGateway(t, { kind });
  const tenant = await gateway.signUp();
  const { api } = tenant;
  const hook = await api('POST', '/v1/webhooks', { url: 'https://example.com/hook', secret: 's'.repeat(32), events: NAMED });
  assert.equal(hook.status, 201, JSON.stringify(hook.body));
  const { path } = await tenant.linked(PHONE);
  const ask = (method: string, rest: string, body?: unknown) => gateway.during(api(method, `${path}/${rest}`, body));
  const anna = sandboxVerbs(gateway.sandbox);
  const events = async () =>
    (await api('GET', '/v1/events/pull?limit=200')).body.events as { type: string; data: Record<string, unknown> }[];
  const told = (type: string, count = 1) =>
    gateway.until(`${count} of ${type}`, async () => {
      const all = (await events()).filter((one) => one.type === type);
      return all.length >= count && all;
    });
  return { gateway, tenant, path, ask, anna, told };
}

eachStore('channels', (kind) => {
  it('can be created, found by invite code, changed, muted and deleted, with one event per change', async (t) => {
    const { ask, told, gateway, tenant, path } = await aShop(t, kind);
    const made = await ask('POST', 'channels', { name: 'Toko news', description: 'Offers' });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const { id, code, ...rest } = made.body;
    assert.deepEqual(rest, { name: 'Toko news', description: 'Offers', role: 'owner', muted: false, followers: 0 });
    assert.match(id, /@newsletter$/);
    assert.deepEqual((await ask('GET', `channels/invite/${code}`)).body.id, id);
    const changed = await ask('PATCH', `channels/${id}`, { name: 'Toko offers' });
    assert.deepEqual([changed.status, changed.body.name, changed.body.description], [200, 'Toko offers', 'Offers']);
    assert.equal((await ask('POST', `channels/${id}/mute`)).status, 200);
    assert.equal((await ask('GET', `channels/${id}`)).body.muted, true);
    const listed = await ask('GET', 'channels?role=owner');
    assert.deepEqual(
      listed.body.channels.map((one: { name: string }) => one.name),
      ['Toko offers'],
    );
    // Within the minute that belongs to the list: what is known since.
    assert.equal((await ask('POST', `channels/${id}/unmute`)).status, 200);
    assert.deepEqual((await ask('GET', 'channels')).body.channels, [{ ...changed.body, muted: false }]);
    assert.equal((await ask('DELETE', `channels/${id}`)).status, 200);
    assert.equal((await ask('GET', `channels/${id}`)).status, 404);
    assert.deepEqual((await ask('GET', 'channels')).body.channels, []);
    const [joined] = await told('channel.joined');
    assert.deepEqual([joined?.data['channel_id'], joined?.data['role']], [id, 'owner']);
    const updates = await told('channel.updated', 3);
    assert.deepEqual(
      updates.map(({ data }) => data['changed']),
      [{ name: 'Toko offers' }, { muted: true }, { muted: false }],
    );
    await told('channel.left');
    await gateway.clock.advance(60_000);
    assert.equal((await told('channel.left')).length, 1);

    await ask('POST', 'channels', { name: 'Toko offers' });
    const kept = gateway.store.collection<{ _id: string }>({ name: 'channels', indexes: [] });
    assert.equal(await kept.countDocuments({}), 1);
    assert.equal((await gateway.during(tenant.api('DELETE', path))).status, 200);
    assert.equal(await kept.countDocuments({}), 0, 'nothing of them stays here with a device that is gone');
  });

  it('deliver posts as messages, with events for views and reactions', async (t) => {
    const { gateway, path, tenant, ask, anna, told } = await aShop(t, kind);
    const { id, code } = (await ask('POST', 'channels', { name: 'Toko news' })).body;
    anna.act(ANNA, { act: 'follow', code });
    const send = (body: object) => gateway.during(tenant.api('POST', `${path}/messages`, { chat_id: id, ...body }));
    const sent = await send({ type: 'text', body: 'open till ten' });
    assert.equal(sent.status, 202, JSON.stringify(sent.body));
    const message = async () => (await tenant.api('GET', `${path}/messages/${sent.body.id}`)).body;
    await gateway.until('the post is sent', async () => (await message()).status === 'sent');
    const post = await gateway.until('Anna sees it', () => anna.messages(ANNA).messages.find(({ to }) => to === id));
    assert.equal(post.body, 'open till ten');
    anna.act(ANNA, { act: 'view', message_id: post.id });
    anna.act(ANNA, { act: 'react', message_id: post.id, emoji: '👍' });
    const stats = await told('channel.stats', 2);
    const { message_id, views, reactions } = stats.at(-1)?.data ?? {};
    assert.deepEqual([message_id, views, reactions], [sent.body.id, 1, { '👍': 1 }]);
    const { messages } = (await ask('GET', `channels/${id}/messages`)).body;
    assert.deepEqual(
      messages.map((one: Record<string, unknown>) => [one['message_id'], one['body'], one['views'], one['reactions']]),
      [[sent.body.id, 'open till ten', 1, { '👍': 1 }]],
    );
    const poll = await send({ type: 'poll', poll_name: 'Lunch?', choices: ['yes', 'no'] });
    assert.equal(poll.status, 202);
    assert.equal((await ask('PATCH', `messages/${sent.body.id}`, { body: 'open till nine' })).status, 200);
    await gateway.until('the edit is shown', () => anna.messages(ANNA).messages.some(({ body }) => body === 'open till nine'));
    assert.equal((await ask('POST', `messages/${sent.body.id}/reaction`, { emoji: '❤️' })).status, 200);
    assert.equal((await ask('DELETE', `messages/${sent.body.id}`)).status, 200);
    await gateway.until('it is gone', () => !anna.messages(ANNA).messages.some(({ body }) => body?.startsWith('open')));
    const followers = (await ask('GET', `channels/${id}/followers`)).body.followers;
    assert.deepEqual(
      followers.map((one: Record<string, unknown>) => [one['phone'], one['role']]),
      [
        [PHONE, 'owner'],
        [ANNA, 'follower'],
      ],
    );
    const chats = (await tenant.api('GET', '/v1/inbox?q=toko')).body;
    assert.deepEqual(
      chats.chats.map((chat: Record<string, unknown>) => [chat['chat_id'], chat['chat_name']]),
      [[id, 'Toko news']],
    );
  });

  it('are hidden from agents on every endpoint, just as statuses are', async (t) => {
    const { gateway, tenant, path, ask } = await aShop(t, kind);
    const { id, code } = (await ask('POST', 'channels', { name: 'Toko news' })).body;
    const post = (await ask('POST', 'messages', { chat_id: id, type: 'text', body: 'open till ten' })).body.id;
    await gateway.until('it is sent', async () => (await ask('GET', `messages/${post}`)).body.status === 'sent');
    const dewi = await hired(gateway, tenant.api, 'Dewi', '6281311110001');
    const hers = (method: string, rest: string, body?: unknown) => gateway.during(dewi.api(method, `${path}/${rest}`, body));
    const note = (await hers('POST', 'messages', { chat_id: ANNA, type: 'text', body: 'hi' })).body.id;
    for (const [method, rest, body] of [
      ['PATCH', `messages/${post}`, { body: 'closed' }],
      ['DELETE', `messages/${post}`, undefined],
      ['POST', `messages/${post}/reaction`, { emoji: '❤️' }],
      ['POST', `messages/${post}/retry`, undefined],
      ['POST', `messages/${post}/cancel`, undefined],
      ['POST', `messages/${note}/forward`, { chat_id: id }],
      ['GET', 'channels', undefined],
      ['GET', `channels/${id}`, undefined],
      ['GET', `channels/invite/${code}`, undefined],
      ['GET', `channels/${id}/messages`, undefined],
      ['GET', 'groups/120363000000000001@g.us/invite', undefined],
    ] as const)
      assert.equal((await hers(method, rest, body)).status, 403, `${method} ${rest}`);
    assert.equal((await ask('GET', `messages/${post}`)).body.body, 'open till ten');

    const story = (await ask('POST', 'status', { type: 'text', body: 'Fresh bread', recipients: [ANNA] })).body.id;
    await gateway.until('it is sent', async () => (await ask('GET', `status/${story}`)).body.status === 'sent');
    for (const api of [ask, hers])
      for (const [method, rest, body] of [
        ['PATCH', '', { body: 'x' }],
        ['DELETE', '', undefined],
        ['POST', '/reaction', { emoji: '❤️' }],
        ['POST', '/retry', undefined],
        ['POST', '/cancel', undefined],
        ['POST', '/forward', { chat_id: ANNA }],
        ['GET', '/votes', undefined],
        ['GET', '/media', undefined],
      ] as const)
        assert.equal((await api(method, `messages/${story}${rest}`, body)).status, 404, `${method} ${rest}`);
    assert.equal((await ask('GET', `status/${story}`)).body.status, 'sent');
  });

  it('can be followed and read by people who do not own them, but not changed or posted to', async (t) => {
    const { gateway, tenant, path, ask, anna, told } = await aShop(t, kind);
    const { id = '', code = '' } = anna.act(ANNA, { act: 'create_channel', name: "Anna's" });
    const foreign = await ask('POST', 'messages', { chat_id: id, type: 'text', body: 'hi' });
    assert.deepEqual([foreign.status, foreign.body.code], [403, 'FORBIDDEN']);
    assert.equal((await ask('GET', `channels/invite/${code}`)).body.role, null);
    const followed = await ask('POST', `channels/${id}/follow`);
    assert.deepEqual([followed.status, followed.body.role, followed.body.followers], [200, 'follower', 1]);
    assert.equal((await ask('POST', `channels/${id}/follow`)).status, 409);
    for (const [method, rest, body] of [
      ['PATCH', `channels/${id}`, { name: 'Mine' }],
      ['DELETE', `channels/${id}`, undefined],
      ['POST', 'messages', { chat_id: id, type: 'text', body: 'hi' }],
      ['GET', `channels/${id}/followers`, undefined],
    ] as const)
      assert.equal((await ask(method, rest, body)).status, 403, `${method} ${rest}`);
    anna.write(ANNA, { to: id, body: 'news of Anna' });
    await gateway.until('it came in', async () => {
      const { messages } = (await tenant.api('GET', `${path}/messages?chat_id=${id}`)).body;
      return messages.some((one: { body: string }) => one.body === 'news of Anna');
    });
    assert.equal((await ask('POST', `channels/${id}/unfollow`)).status, 200);
    assert.equal((await told('channel.left'))[0]?.data['channel_id'], id);
    assert.equal((await ask('GET', 'channels/120363000000000009@newsletter')).status, 404);
    assert.equal((await ask('GET', 'channels/no-channel')).status, 404);
  });

  it('are created only once if the call is retried after a lost response', async (t) => {
    const { gateway, tenant, path, ask, anna } = await aShop(t, kind);
    anna.fault(PHONE, { kind: 'unanswered', for_ms: 20_000 });
    const lost = await ask('POST', 'channels', { name: 'Toko news' });
    assert.deepEqual([lost.status, lost.body.code], [504, 'DEVICE_TIMEOUT']);
    const early = await tenant.api('POST', `${path}/channels`, { name: 'Toko news' });
    assert.deepEqual([early.status, early.body.code], [409, 'CONFLICT']);
    await gateway.clock.advance(60_000);
    assert.equal((await ask('GET', 'channels')).body.channels.length, 1, 'the list may not be asked for again within the minute');
    const again = await ask('POST', 'channels', { name: 'Toko news' });
    assert.equal(again.status, 201, JSON.stringify(again.body));
    const make = (key: string, name = 'Toko news') =>
      gateway.during(tenant.api('POST', `${path}/channels`, { name }, { 'idempotency-key': key }));
    const second = await make('another');
    assert.notEqual(second.body.id, again.body.id, 'who sends a key of its own wants another one');
    assert.deepEqual((await make('another')).body, second.body);
    assert.equal((await make('another', 'Other news')).body.code, 'IDEMPOTENCY_KEY_REUSED');
    await gateway.clock.advance(60_000);
    const listed = await ask('GET', 'channels');
    assert.deepEqual(listed.body.channels.map((one: { id: string }) => one.id).toSorted(), [again.body.id, second.body.id].toSorted());
  });

  it('are created and announced only once, even if the process crashes in between', async (t) => {
    const { gateway, tenant, path, anna } = await aShop(t, kind);
    anna.fault(PHONE, { kind: 'unanswered', for_ms: 10_000 });
    const making = tenant.api('POST', `${path}/channels`, { name: 'Toko news' }).catch(() => null);
    const made = await gateway.until('the network made it', () => gateway.sandbox.phone(PHONE).channels()[0]);
    const next = await gateway.crash();
    assert.notEqual((await making)?.status, 201, 'nobody was told');
    const api = next.as(tenant.tokens.token);
    await next.until('the device is back', async () => (await api('GET', path)).body.status === 'connected');
    await next.clock.advance(60_000);
    const again = await next.during(api('POST', `${path}/channels`, { name: 'Toko news' }));
    assert.deepEqual([again.status, again.body.id], [201, made.id], JSON.stringify(again.body));
    assert.deepEqual(next.sandbox.phone(PHONE).channels().length, 1);
    const events = (await api('GET', '/v1/events/pull?limit=200')).body.events.filter(
      ({ type }: { type: string }) => type === 'channel.joined',
    );
    assert.equal(events.length, 1);
  });
});
