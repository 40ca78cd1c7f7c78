import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sandboxVerbs } from '../../../../actors/network/sandbox/api.ts';
import { aWebhookFixture } from '../../../actors/services/webhooks/webhooks-fixture.ts';
import { ANNA, type Answer, aGateway, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';

const BUDI = '6281211110002';
const CICI = '6281211110003';
const STRANGER = '6281211110009';

type Fields = Readonly<Record<string, unknown>>;

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

eachStore('groups', (kind) => {
  it('can be created, changed, joined and left, with one event per change', async (t) => {
    const { gateway, acme, api, device, subscribe } = await aWebhookFixture(t, kind);
    const authorization = `Bearer ${acme.tokens.token}`;
    const { path } = device;
    await subscribe(['group.joined', 'group.left', 'group.updated', 'group.participants', 'group.join_request']);
    await api('POST', '/v1/contacts', { phone: ANNA, name: 'Anna of accounting' });
    const ask = (method: string, rest: string, body?: unknown, headers = {}): Promise<Answer> =>
      gateway.during(api(method, `${path}/${rest}`, body, headers));
    const verbs = sandboxVerbs(gateway.sandbox);
    const told = async (type: string): Promise<readonly Fields[]> =>
      (await api('GET', '/v1/events/pull?limit=100')).body.events.filter((one: Fields) => one['type'] === type);

    // Budi can only be invited, and the stranger is not on the network.
    verbs.change(BUDI, { addable: false });
    verbs.change(STRANGER, { on_network: false });
    const made = await ask('POST', 'groups', { subject: 'Wholesale', participants: [`+${ANNA}`, BUDI, STRANGER] });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const { id } = made.body;
    assert.deepEqual(
      made.body.results.map(({ phone, status, code }: Fields) => [phone, status, code]),
      [
        [ANNA, 'ok', null],
        [BUDI, 'failed', 403],
        [STRANGER, 'failed', 404],
      ],
    );
    const group = await ask('GET', `groups/${id}`);
    assert.deepEqual(
      group.body.participants.map(({ phone, name, admin }: Fields) => [phone, name, admin]),
      [
        [PHONE, null, 'superadmin'],
        [ANNA, 'Anna of accounting', null],
      ],
    );

    const invited = await ask('POST', `groups/${id}/participants`, { action: 'add', participants: [BUDI], invite_refused: true });
    const [{ message_id, ...result }] = invited.body.results;
    assert.deepEqual(result, { phone: BUDI, lid: null, status: 'invited', code: 403 });
    assert.match(message_id, /^[0-9A-Z]{26}$/);
    const invitation = await gateway.until('the invitation came', () =>
      verbs.messages(BUDI).messages.find(({ type }) => type === 'invite'),
    );
    assert.equal(invitation.group_id, id);
    verbs.act(BUDI, { act: 'join', code: invitation.code ?? '' });

    const settings = { subject: 'Wholesale customers', description: 'Prices', announce: true, ephemeral: 604_800, join_approval: true };
    const patched = await ask('PATCH', `groups/${id}`, settings);
    assert.deepEqual(
      [patched.body.subject, patched.body.desc, patched.body.announce, patched.body.ephemeralDuration, patched.body.size],
      ['Wholesale customers', 'Prices', true, 604_800, 3],
    );

    const { code, url } = (await ask('GET', `groups/${id}/invite`)).body;
    assert.equal(url, `https://chat.whatsapp.com/${code}`);
    assert.deepEqual(verbs.act(CICI, { act: 'join', code }), { ok: true, id, requested: true });
    assert.deepEqual((await ask('GET', `groups/${id}/requests`)).body.requests, [{ phone: CICI, lid: null, username: null, name: null }]);
    const approved = await ask('POST', `groups/${id}/requests`, { action: 'approve', phones: [CICI, STRANGER] });
    assert.deepEqual(
      approved.body.results.map(({ status, code: number }: Fields) => [status, number]),
      [
        ['ok', null],
        ['failed', 404],
      ],
    );

    const picture = new FormData();
    picture.append('file', new Blob([PNG]), 'a.png');
    const put = await gateway.during(
      fetch(`${gateway.node.url}${path}/groups/${id}/picture`, { method: 'PUT', body: picture, headers: { authorization } }),
    );
    assert.match(String(((await put.json()) as { picture: unknown }).picture), /^med_/);
    const key = (await api('POST', '/v1/media/upload', PNG.toString('base64'), { 'content-type': 'text/plain' })).body.key;
    assert.equal((await ask('PUT', `groups/${id}/picture`, { media_r2_key: key })).status, 400, 'a text is no picture');

    const listed = await ask('GET', 'groups');
    assert.deepEqual(
      listed.body.groups.map((one: Fields) => one['id']),
      [id],
    );
    assert.equal((await ask('GET', 'groups')).body.groups[0].size, 4, 'a second list within the minute is what the network told since');

    const lines = (await ask('GET', `groups/${id}/participants.csv`)).body.trim().split('\n');
    assert.equal(lines[0], '"phone","lid","name","admin"');
    assert.equal(lines.length, 5);

    const renewed = (await ask('DELETE', `groups/${id}/invite`)).body.code;
    assert.notEqual(renewed, code);
    assert.equal((await ask('GET', `groups/invite/${code}`)).status, 404);
    assert.deepEqual((await ask('GET', `groups/invite/${renewed}`)).body, { id, subject: 'Wholesale customers', size: 4 });

    for (const change of [{ member_link_mode: 'admins' as const }, { admin_reports: true }, { locked_until: gateway.clock.now() + 60_000 }])
      verbs.act(PHONE, { act: 'set_group', id, ...change });
    assert.equal((await ask('DELETE', `groups/${id}`)).status, 200);
    assert.equal((await ask('GET', `groups/${id}`)).status, 403);
    await gateway.until('the last event', async () => (await told('group.left')).length > 0);
    assert.equal((await told('group.joined')).length, 1);
    const moves = (await told('group.participants')).map(({ data }) => data as Fields);
    assert.deepEqual(
      moves.map(({ action, participants }) => [action, (participants as Fields[])[0]?.['phone']]),
      [
        ['add', CICI],
        ['add', BUDI],
      ].toReversed(),
    );
    const requests = (await told('group.join_request')).map(({ data }) => (data as Fields)['action']);
    assert.deepEqual(requests, ['created', 'approved']);
    const changed = (await told('group.updated')).map(({ data }) => Object.keys((data as { changed: object }).changed)[0]);
    const fromHere = ['subject', 'description', 'announce', 'ephemeral', 'join_approval', 'picture', 'invite_revoked'];
    assert.deepEqual(changed, [...fromHere, 'member_link_mode', 'admin_reports', 'locked_until']);
  });

  it('are visible only to their members, and are changed only once if a response is lost', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, linked } = await gateway.signUp();
    const { path } = await linked(PHONE);
    const ask = (method: string, rest: string, body?: unknown): Promise<Answer> => gateway.during(api(method, `${path}/${rest}`, body));
    const foreign = gateway.sandbox.createGroup([ANNA, STRANGER]);
    assert.equal((await ask('GET', `groups/${foreign}`)).status, 403);
    assert.equal((await ask('GET', 'groups/120363999999999999@g.us')).status, 404);
    assert.equal((await ask('GET', 'groups/no-group')).status, 404);
    const can = await ask('GET', 'capabilities');
    assert.deepEqual([can.body.groups, can.body.communities], [true, true]);

    gateway.sandbox.device(PHONE).fault({ kind: 'unanswered', forMs: 5_000 });
    const lost = await ask('POST', 'groups', { subject: 'Once', participants: [ANNA] });
    assert.deepEqual([lost.status, lost.body.code], [504, 'DEVICE_TIMEOUT']);
    assert.match(lost.body.error, /check before you try again/);
    const all = (await ask('GET', 'groups')).body.groups;
    assert.deepEqual(
      all.map((one: Fields) => one['subject']),
      ['Once'],
      'made, and once',
    );
    gateway.sandbox.device(PHONE).fault({ kind: 'busy', forMs: 5_000 });
    const busy = await ask('GET', `groups/${all[0].id}`);
    assert.deepEqual([busy.status, busy.body.code], [429, 'RATE_LIMITED']);

    await api('POST', `${path}/disconnect`);
    const offline = await ask('GET', `groups/${foreign}`);
    assert.deepEqual([offline.status, offline.body.code], [409, 'NOT_CONNECTED']);
  });

  it('use their subject as the chat name, and let senders mention everyone', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, linked } = await gateway.signUp();
    const { path } = await linked(PHONE);
    gateway.sandbox.phone(ANNA).act({ act: 'create_group', subject: 'Choir of Anna', participants: [PHONE, BUDI] });
    const { id } = (await gateway.during(api('GET', `${path}/groups`))).body.groups[0];
    await gateway.until('the device hears of it', async () => {
      await api('POST', `${path}/messages`, { chat_id: id, type: 'text', body: 'Hello all', mentions: ['everyone'] });
      return (await api('GET', `${path}/chats?q=choir`)).body.chats.length > 0;
    });
    const { chats } = (await api('GET', '/v1/inbox?q=of%20anna')).body;
    assert.deepEqual(
      chats.map(({ chat_id, chat_name }: Fields) => [chat_id, chat_name]),
      [[id, 'Choir of Anna']],
    );
    const shown = await gateway.until('it came', () => sandboxVerbs(gateway.sandbox).messages(BUDI).messages[0]);
    assert.deepEqual(shown.mentions, [`${ANNA}@s.whatsapp.net`, `${BUDI}@s.whatsapp.net`]);
    const toOne = await api('POST', `${path}/messages`, { chat_id: ANNA, type: 'text', body: 'Hello', mentions: ['everyone'] });
    assert.deepEqual([toOne.status, toOne.body.code], [400, 'VALIDATION_FAILED']);
    const { messages } = (await api('GET', `${path}/messages?chat_id=${id}&limit=1`)).body;
    const copy = await api('POST', `${path}/messages/${messages[0].id}/forward`, { chat_id: ANNA });
    assert.equal((await api('GET', `${path}/messages/${copy.body.id}`)).body.mentions, undefined, 'a person is not everyone');
    const kept = await api('POST', `${path}/messages/${messages[0].id}/forward`, { chat_id: id });
    assert.deepEqual((await api('GET', `${path}/messages/${kept.body.id}`)).body.mentions, ['everyone']);
  });

  it('can belong to communities', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, linked } = await gateway.signUp();
    const { path } = await linked(PHONE);
    const ask = (method: string, rest: string, body?: unknown): Promise<Answer> => gateway.during(api(method, `${path}/${rest}`, body));
    const made = await ask('POST', 'communities', { subject: 'Village', description: 'All of us' });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const community = `communities/${made.body.id}`;
    const group = (await ask('POST', 'groups', { subject: 'North', participants: [ANNA] })).body;
    assert.equal((await ask('POST', `${community}/groups`, { group_id: group.id })).body.community, made.body.id);
    assert.equal((await ask('POST', `${community}/groups`, { subject: 'South' })).status, 201);
    assert.equal((await ask('POST', `${community}/groups`, {})).status, 400);
    const { groups } = (await ask('GET', `${community}/groups`)).body;
    assert.deepEqual(
      groups.map(({ subject, announcement }: Fields) => [subject, announcement]),
      [
        ['Village', true],
        ['North', false],
        ['South', false],
      ],
    );
    const people = (await ask('GET', `${community}/participants`)).body.participants;
    assert.deepEqual(
      people.map(({ phone }: Fields) => phone),
      [PHONE, ANNA],
    );
    assert.equal((await ask('DELETE', `${community}/groups/${group.id}`)).status, 200);
    assert.equal((await ask('GET', `groups/${group.id}`)).body.community, null);
    assert.equal((await ask('PATCH', community, { subject: 'Town' })).body.subject, 'Town');
    assert.equal((await ask('GET', 'communities')).body.communities.length, 1);
    assert.equal((await ask('DELETE', community)).status, 200);
    assert.equal((await ask('GET', `groups/${group.id}`)).status, 200, 'its groups stay');
    assert.ok([403, 404].includes((await ask('GET', community)).status));

    assert.equal((await gateway.during(api('DELETE', path))).status, 200);
    const left = gateway.store.collection<{ _id: string }>({ name: 'groups', indexes: [] });
    assert.equal(await left.countDocuments({}), 0, 'nothing of them stays here with a device that is gone');
  });

  it('are created and announced only once, even if the process crashes in between', async (t) => {
    const { gateway, acme, api, device, subscribe } = await aWebhookFixture(t, kind);
    const { path } = device;
    await subscribe(['group.joined', 'group.participants']);
    gateway.sandbox.device(PHONE).fault({ kind: 'unanswered', forMs: 10_000 });
    const making = api('POST', `${path}/groups`, { subject: 'Once', participants: [ANNA] }).catch(() => null);
    const anna = () => gateway.sandbox.phone(ANNA).groups();
    const made = await gateway.until('the network made it', () => anna()[0]);
    const next = await gateway.crash();
    assert.notEqual((await making)?.status, 201, 'nobody was told');
    const again = next.as(acme.tokens.token);
    await next.until('the device is back', async () => (await again('GET', path)).body.status === 'connected');
    await next.clock.advance(60_000);
    next.sandbox.phone(ANNA).act({ act: 'leave', id: made.id });
    const told = async (type: string): Promise<readonly Fields[]> =>
      (await again('GET', '/v1/events/pull?limit=100')).body.events.filter((one: Fields) => one['type'] === type);
    await next.until('Anna left', async () => (await told('group.participants')).length > 0);
    const third = await next.crash();
    const last = third.as(acme.tokens.token);
    await third.until('the device is back again', async () => (await last('GET', path)).body.status === 'connected');
    await third.clock.advance(60_000);
    const { groups } = (await third.during(last('GET', `${path}/groups`))).body;
    assert.deepEqual(
      groups.map(({ id, size }: Fields) => [id, size]),
      [[made.id, 1]],
    );
    const { events } = (await last('GET', '/v1/events/pull?limit=100')).body;
    const ofGroups = events.filter(({ type }: { type: string }) => type.startsWith('group.'));
    assert.deepEqual(
      ofGroups.map(({ type, data }: { type: string; data: Fields }) => [type, data['group_id']]),
      [
        ['group.joined', made.id],
        ['group.participants', made.id],
      ],
    );
  });

  it('are created only once per Idempotency-Key, even if the response was lost', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, linked } = await gateway.signUp();
    const { path } = await linked(PHONE);
    const make = (key: string, subject: string): Promise<Answer> =>
      gateway.during(api('POST', `${path}/groups`, { subject, participants: [ANNA, STRANGER] }, { 'idempotency-key': key }));
    sandboxVerbs(gateway.sandbox).change(STRANGER, { on_network: false });
    const made = await make('one', 'Choir');
    assert.deepEqual((await make('one', 'Choir')).body, made.body);
    assert.deepEqual((await make('one', 'Other')).body.code, 'IDEMPOTENCY_KEY_REUSED');

    gateway.sandbox.device(PHONE).fault({ kind: 'unanswered', forMs: 5_000 });
    const lost = await make('two', 'Band');
    assert.deepEqual([lost.status, lost.body.code], [504, 'DEVICE_TIMEOUT']);
    await gateway.clock.advance(20_000);
    const early = await make('two', 'Band');
    assert.deepEqual([early.status, early.body.code], [409, 'IDEMPOTENCY_IN_PROGRESS'], 'the network may be at it');
    await gateway.clock.advance(40_000);
    await api('POST', `${path}/disconnect`);
    assert.equal((await make('two', 'Band')).body.code, 'NOT_CONNECTED');
    await api('POST', `${path}/restart`);
    await gateway.until('it is back', async () => (await api('GET', path)).body.status === 'connected');
    const another = await make('three', 'Band');
    assert.equal(another.status, 201);
    const found = await gateway.until('the list may be asked for', async () => {
      const answer = await make('two', 'Band');
      await gateway.clock.advance(answer.status === 201 ? 0 : 30_000);
      return answer.status === 201 ? answer : null;
    });
    assert.deepEqual([found.status, found.body.subject], [201, 'Band'], JSON.stringify(found.body));
    assert.notEqual(found.body.id, another.body.id, 'a group of the same subject that another call made is not this one');
    assert.deepEqual(
      found.body.results.map(({ status, code }: Fields) => [status, code]),
      [
        ['ok', null],
        ['failed', 408],
      ],
    );
    assert.deepEqual(
      gateway.sandbox
        .phone(ANNA)
        .groups()
        .map(({ subject }) => subject),
      ['Choir', 'Band', 'Band'],
    );
  });

  it('name the fields of a partly applied change, and accept members by hidden address', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, linked } = await gateway.signUp();
    const { path } = await linked(PHONE);
    const ask = (method: string, rest: string, body?: unknown): Promise<Answer> => gateway.during(api(method, `${path}/${rest}`, body));
    const verbs = sandboxVerbs(gateway.sandbox);
    const foreign = verbs.act(ANNA, { act: 'create_group', subject: 'Of Anna', participants: [PHONE] }) as unknown as { id: string };
    const half = await ask('PATCH', `groups/${foreign.id}`, { subject: 'Of all', announce: true, restrict: true });
    assert.deepEqual([half.status, half.body.code], [403, 'FORBIDDEN']);
    assert.match(half.body.error, /does not allow .* \(the problem is announce; already changed: subject\)/);
    assert.equal((await ask('GET', `groups/${foreign.id}`)).body.subject, 'Of all');
    const none = await ask('PATCH', `groups/${foreign.id}`, { announce: true });
    assert.doesNotMatch(none.body.error, /already/);

    verbs.change(BUDI, { lid: true, tells_number: false });
    const { id } = (await ask('POST', 'groups', { subject: 'Hidden', participants: [BUDI, CICI] })).body;
    const members = (await ask('GET', `groups/${id}`)).body.participants;
    const { lid } = members.find(({ phone }: Fields) => phone === BUDI);
    const promoted = await ask('POST', `groups/${id}/participants`, { action: 'promote', participants: [lid] });
    assert.deepEqual([promoted.status, promoted.body.results?.[0]?.status], [200, 'ok'], JSON.stringify(promoted.body));
    const strange = await ask('POST', `groups/${id}/participants`, { action: 'remove', participants: ['998877665544@lid'] });
    assert.deepEqual([strange.status, strange.body.code], [400, 'INVALID_NUMBER'], 'nobody of this group');

    const village = (await ask('POST', 'communities', { subject: 'Village' })).body.id;
    assert.equal((await ask('POST', `communities/${village}/groups`, { group_id: id })).status, 201);
    const removed = await ask('POST', `groups/${village}/participants`, { action: 'remove', participants: [BUDI] });
    assert.equal(removed.body.results[0].status, 'ok', JSON.stringify(removed.body));
    const left = (await ask('GET', `groups/${id}`)).body.participants;
    assert.deepEqual(
      left.map(({ phone }: Fields) => phone),
      [PHONE, CICI],
      'out of the community is out of its groups',
    );
  });
});
