import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, type Api } from '../../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { inboxOf } from '../conversations/conversations-fixture.ts';
import { follow, type Listener, listen } from '../live/listener.ts';
import { aTeam } from './agents-fixture.ts';

const BEN = '6281211110002';
const CLEO = '6281211110003';
/** A contact without a chat. */
const NOBODY = '6281211110004';
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

/** Anna is Dewi's customer, Ben is Budi's, Cleo is anybody's; each sent a message. */
async function anAssignedTeam(scope: Scope, kind: StoreKind) {
  const team = await aTeam(scope, kind);
  const { write, receives } = inboxOf(team.gateway, team.owner, team.device.path);
  for (const who of [ANNA, BEN, CLEO]) {
    write(who, `from ${who}`);
    await receives(who, `from ${who}`);
  }
  const chat = (who: string) => `${team.device.path}/chats/${who}`;
  await team.owner('POST', `${chat(ANNA)}/assign`, { agent_id: team.dewi.id });
  await team.owner('POST', `${chat(BEN)}/assign`, { agent_id: team.budi.id });
  return { ...team, write, receives, chat };
}

const bodies = (messages: readonly { body: string }[]): string[] => messages.map(({ body }) => body).toSorted();
const of = (...people: readonly string[]): string[] => people.map((who) => `from ${who}`).toSorted();

eachStore("an agent's access to chats", (kind) => {
  it('is limited to their own and unassigned chats, in lists, in the message log and in single requests', async (t) => {
    const { owner, device, dewi, budi, chat } = await anAssignedTeam(t, kind);
    const seen = async (path: string) =>
      (await dewi.api('GET', path)).body.chats.map(({ last_message }: { last_message: string }) => last_message).toSorted();
    assert.deepEqual(await seen('/v1/inbox'), of(ANNA, CLEO));
    assert.deepEqual(await seen(`${device.path}/chats`), of(ANNA, CLEO));
    assert.deepEqual(await seen(`/v1/inbox?agent_id=${dewi.id}`), of(ANNA));
    assert.deepEqual(await seen('/v1/inbox?agent_id=none'), of(CLEO));
    assert.deepEqual(await seen(`/v1/inbox?agent_id=${budi.id}`), []);
    const log = (await dewi.api('GET', `${device.path}/messages`)).body.messages;
    assert.deepEqual(bodies(log), of(ANNA, CLEO));
    assert.deepEqual(bodies((await dewi.api('GET', `${device.path}/messages?q=from`)).body.messages), of(ANNA, CLEO));
    const first = (await dewi.api('GET', `${device.path}/messages?limit=1`)).body;
    const rest = (await dewi.api('GET', `${device.path}/messages?before=${first.next_before}&before_id=${first.next_before_id}`)).body;
    assert.deepEqual([bodies([...first.messages, ...rest.messages]), rest.next_before], [of(ANNA, CLEO), null]);
    for (const who of [ANNA, CLEO]) assert.equal((await dewi.api('GET', chat(who))).status, 200);
    assert.equal((await owner('GET', `${device.path}/messages`)).body.messages.length, 3);
  });

  it('includes consent events on the stream only for people in visible chats', async (t) => {
    const { gateway, owner, dewi } = await anAssignedTeam(t, kind);
    const stream = await listen(gateway.node.url, dewi.api, ['consent.changed']);
    const all = await listen(gateway.node.url, owner, ['consent.changed']);
    await owner('POST', '/v1/consent/bulk', { phones: [BEN, NOBODY, ANNA, CLEO].map((who) => `+${who}`), status: 'opted_in' });
    const told = ({ events }: Listener) => events.map(({ data }) => data.data.phone).toSorted();
    await gateway.until('the owner is told of all', () => all.events.length === 4);
    await gateway.until('the agent is told of two', () => stream.events.length === 2);
    assert.deepEqual(told(stream), [ANNA, CLEO]);
    const pulled = (await dewi.api('GET', '/v1/events/pull')).body.events as readonly { type: string; data: { phone: string } }[];
    assert.deepEqual(pulled.flatMap(({ type, data }) => (type === 'consent.changed' ? [data.phone] : [])).toSorted(), [ANNA, CLEO]);
    await owner('PUT', `/v1/consent/${ANNA}`, { status: 'opted_out' });
    await gateway.until('the agent is told of their own', () => stream.events.length === 3);
    assert.deepEqual(told(stream), [ANNA, ANNA, CLEO]);
  });

  it('includes contacts and consent records only for people in visible chats, to read or change', async (t) => {
    const { gateway, owner, dewi } = await anAssignedTeam(t, kind);
    await owner('POST', '/v1/contacts', { phone: `+${NOBODY}`, name: 'Nobody wrote' });
    const known = (await owner('GET', '/v1/contacts')).body.contacts as readonly { id: string; phone: string }[];
    const idOf = (phone: string) => known.find((one) => one.phone === phone)!.id;
    const phonesOf = (body: { contacts: readonly { phone: string }[] }) => body.contacts.map(({ phone }) => phone).toSorted();
    assert.equal(known.length, 4);
    assert.deepEqual(phonesOf((await dewi.api('GET', '/v1/contacts')).body), [ANNA, CLEO]);
    const first = (await dewi.api('GET', '/v1/contacts?limit=1')).body;
    const rest = `before=${first.next_before}&before_id=${first.next_before_id}`;
    const second = (await dewi.api('GET', `/v1/contacts?limit=1&${rest}`)).body;
    assert.deepEqual([...phonesOf(first), ...phonesOf(second)].toSorted(), [ANNA, CLEO]);
    assert.equal(second.next_before, null);
    assert.deepEqual(phonesOf((await dewi.api('GET', `/v1/contacts?q=${BEN}`)).body), []);

    const { id: template } = (await owner('POST', '/v1/templates', { name: 'Hi', message_type: 'text', body: 'Hi {name}' })).body;
    const about = (phone: string) => [
      dewi.api('GET', `/v1/contacts/${idOf(phone)}`),
      dewi.api('PATCH', `/v1/contacts/${idOf(phone)}`, { var1: 'x' }),
      dewi.api('POST', `/v1/templates/${template}/preview`, { contact_id: idOf(phone) }),
      dewi.api('GET', `/v1/consent/history/${phone}`),
      dewi.api('PUT', `/v1/consent/${phone}`, { status: 'opted_out' }),
    ];
    const answers = async (phone: string) => (await Promise.all(about(phone))).map(({ status }) => status);
    for (const phone of [ANNA, CLEO]) assert.deepEqual(await answers(phone), [200, 200, 200, 200, 200]);
    for (const phone of [BEN, NOBODY]) assert.deepEqual(await answers(phone), [404, 404, 404, 404, 404]);
    assert.equal((await owner('GET', `/v1/contacts/${idOf(BEN)}`)).body.var1, null);
    assert.equal((await owner('GET', `/v1/consent/history/${BEN}`)).body.current, null);

    assert.equal((await dewi.api('POST', '/v1/contacts', { phone: `+${BEN}`, name: 'Mine' })).status, 404);
    assert.equal((await dewi.api('POST', '/v1/contacts', { phone: '+6281211110099', name: 'New' })).status, 404);
    assert.equal((await dewi.api('PATCH', `/v1/contacts/${idOf(ANNA)}`, { phone: `+${BEN}` })).status, 404);
    assert.equal((await dewi.api('GET', '/v1/consent')).status, 403);
    await gateway.during(owner('DELETE', `/v1/contacts/${idOf(CLEO)}`));
    assert.equal((await dewi.api('POST', '/v1/contacts', { phone: `+${CLEO}`, name: 'Cleo' })).status, 201);
  });

  it("excludes everything from another agent's chat", async (t) => {
    const { gateway, owner, device, dewi, budi, chat } = await anAssignedTeam(t, kind);
    const uploaded = await fetch(`${gateway.node.url}/v1/media/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${budi.tokens.token}`, 'content-type': 'image/png' },
      body: PNG,
    });
    const { key } = (await uploaded.json()) as { key: string };
    const image = (await budi.api('POST', `${device.path}/messages`, { chat_id: BEN, type: 'image', media_r2_key: key })).body.id;
    const bens = (await owner('GET', `${device.path}/messages?chat_id=${BEN}&direction=inbound`)).body.messages[0].id;
    const message = `${device.path}/messages/${bens}`;
    const hidden = [
      ['GET', chat(BEN)],
      ['PATCH', chat(BEN), { pinned: true }],
      ['GET', `${chat(BEN)}/messages`],
      ['POST', `${chat(BEN)}/read`],
      ['POST', `${chat(BEN)}/notes`, { text: 'mine' }],
      ['DELETE', `${chat(BEN)}/notes/0`],
      ['POST', `${chat(BEN)}/assign`, { agent_id: dewi.id }],
      ['GET', message],
      ['GET', `${device.path}/messages/${image}/media`],
      ['POST', `${message}/retry`],
      ['POST', `${message}/cancel`],
      ['POST', `${message}/forward`, { chat_id: ANNA }],
      ['POST', `${device.path}/messages`, { chat_id: BEN, type: 'text', body: 'Hi' }],
      ['POST', `${device.path}/messages`, { chat_id: ANNA, type: 'text', body: 'Hi', reply_to: bens }],
    ] as const;
    for (const [method, path, body] of hidden) {
      const { status, body: answer } = await dewi.api(method, path, body);
      assert.deepEqual([status, answer.code], [404, 'NOT_FOUND'], `${method} ${path}`);
    }
    assert.equal((await budi.api('GET', `${device.path}/messages/${image}/media`)).status, 200);
    const annas = (await owner('GET', `${device.path}/messages?chat_id=${ANNA}`)).body.messages[0].id;
    assert.equal((await dewi.api('POST', `${device.path}/messages/${annas}/forward`, { chat_id: BEN })).status, 404);
    const bulk = { messages: [{ chat_id: ANNA, type: 'text', body: 'x' }] };
    assert.equal((await dewi.api('POST', `${device.path}/messages/bulk`, bulk)).status, 403);
  });

  it("excludes even the opt-out of a customer in another agent's chat", async (t) => {
    const { owner, device, dewi, budi } = await anAssignedTeam(t, kind);
    const send = async (api: Api, more = {}) => {
      const { status, body } = await api('POST', `${device.path}/messages`, { chat_id: BEN, type: 'text', body: 'Hi', ...more });
      return [status, body.code ?? body.warnings?.length];
    };
    await owner('PUT', `/v1/consent/%2B${BEN}`, { status: 'opted_out' });
    assert.deepEqual(
      [await send(dewi.api), await send(budi.api)],
      [
        [404, 'NOT_FOUND'],
        [202, 1],
      ],
    );
    await owner('PUT', '/v1/consent/config', { enforce_api: true });
    assert.deepEqual(
      [await send(dewi.api), await send(budi.api)],
      [
        [404, 'NOT_FOUND'],
        [409, 'RECIPIENT_OPTED_OUT'],
      ],
    );
  });

  it('includes scheduled messages only for visible chats', async (t) => {
    const { gateway, device, dewi, budi } = await anAssignedTeam(t, kind);
    const path = `${device.path}/scheduled`;
    const later = { type: 'text', body: 'Tomorrow', scheduled_at: gateway.clock.now() + 86_400_000 };
    const { id } = (await budi.api('POST', path, { chat_id: BEN, ...later })).body;
    assert.equal((await dewi.api('POST', path, { chat_id: BEN, ...later })).status, 404);
    assert.equal((await dewi.api('POST', path, { chat_id: ANNA, ...later })).status, 201);
    const phones = async (api: Api) => (await api('GET', path)).body.scheduled.map(({ chat_id }: { chat_id: string }) => chat_id);
    assert.deepEqual([await phones(dewi.api), await phones(budi.api)], [[ANNA], [BEN]]);
    for (const [method, body] of [['GET'], ['PATCH', { body: 'x' }], ['DELETE']] as const)
      assert.equal((await dewi.api(method, `${path}/${id}`, body)).status, 404, method);
    assert.equal((await budi.api('DELETE', `${path}/${id}`)).status, 200);
  });

  it('applies to the live stream and polled events as soon as a chat is assigned', async (t) => {
    const { gateway, owner, dewi, budi, write, receives, chat } = await anAssignedTeam(t, kind);
    const streams = [await listen(gateway.node.url, dewi.api), await listen(gateway.node.url, budi.api)];
    for (const who of [ANNA, BEN, CLEO]) write(who, 'again');
    for (const who of [ANNA, BEN, CLEO]) await receives(who, 'again');
    await owner('POST', `${chat(CLEO)}/assign`, { agent_id: budi.id });
    write(CLEO, 'for Budi');
    await receives(CLEO, 'for Budi');
    const received = (n: number) =>
      streams[n]!.events.filter(({ event }) => event === 'message.received').map(({ data }) => `${data.data.phone} ${data.data.body}`);
    await gateway.until('both receive', () => received(0).length >= 2 && received(1).length >= 3);
    assert.deepEqual(received(0).toSorted(), [`${ANNA} again`, `${CLEO} again`]);
    assert.deepEqual(received(1).toSorted(), [`${BEN} again`, `${CLEO} again`, `${CLEO} for Budi`]);

    const pulled = (await dewi.api('GET', '/v1/events/pull?limit=1')).body;
    const rest = (await dewi.api('GET', `/v1/events/pull?after=${pulled.next}&limit=200`)).body;
    const phones = new Set([...pulled.events, ...rest.events].filter(({ data }) => data.phone).map(({ data }) => data.phone));
    assert.deepEqual([...phones], [ANNA]);
  });

  it('applies to both replayed and later events of a stream that follows the log', async (t) => {
    const { gateway, owner, tenant, dewi, budi, write, chat } = await anAssignedTeam(t, kind);
    const [oldest] = (await owner('GET', '/v1/events/pull?limit=1')).body.events;
    const opened = ({ tokens }: typeof dewi) => follow(gateway.node.url, tokens.token, oldest.id);
    const [ofDewi, ofBudi] = [await opened(dewi), await opened(budi)];
    const received = ({ events }: Listener) =>
      events.filter(({ event }) => event === 'message.received').map(({ data }) => `${data.data.phone} ${data.data.body}`);
    await gateway.until('both have what is kept', () => received(ofDewi).length === 2 && received(ofBudi).length === 2);
    await owner('POST', `${chat(CLEO)}/assign`, { agent_id: budi.id });
    gateway.node.live.emit(tenant.id, null, { type: 'scheduled.sent', data: { scheduled_id: 's', message_id: 'm' } });
    for (const who of [CLEO, ANNA, BEN]) {
      write(who, 'again');
      await gateway.until('its agent receives it', () => [ofDewi, ofBudi].some((one) => received(one).includes(`${who} again`)));
    }
    write(ANNA, 'the last');
    await gateway.until('Dewi receives the last', () => received(ofDewi).includes(`${ANNA} the last`));
    const from = (who: string, body = `from ${who}`) => `${who} ${body}`;
    assert.deepEqual(received(ofDewi).toSorted(), [from(ANNA, 'again'), from(ANNA), from(ANNA, 'the last'), from(CLEO)].toSorted());
    assert.deepEqual(received(ofBudi).toSorted(), [from(BEN, 'again'), from(BEN), from(CLEO, 'again'), from(CLEO)].toSorted());
    for (const stream of [ofDewi, ofBudi])
      assert.deepEqual([...new Set(stream.types())].toSorted(), ['message.received', 'session.connected']);
  });

  it("includes the event that their chat was reassigned, but none of the chat's later events", async (t) => {
    const { gateway, owner, dewi, budi, write, receives, chat } = await anAssignedTeam(t, kind);
    const names = ['message.received', 'chat.assigned'];
    const streams = [await listen(gateway.node.url, dewi.api, names), await listen(gateway.node.url, budi.api, names)];
    await owner('POST', `${chat(ANNA)}/assign`, { agent_id: budi.id });
    write(ANNA, 'for Budi');
    await receives(ANNA, 'for Budi');
    const received = (n: number) => streams[n]!.events.filter(({ data }) => data.data.phone === ANNA).map(({ event }) => event);
    await gateway.until('the new one receives', () => received(1).length === 2);
    assert.deepEqual([received(0), received(1)], [['chat.assigned'], ['chat.assigned', 'message.received']]);
    const [told] = streams[0]!.events.filter(({ event }) => event === 'chat.assigned');
    assert.deepEqual([told?.data.data.agent_id, told?.data.data.previous_agent_id], [budi.id, dewi.id]);
    const pulled = (await dewi.api('GET', '/v1/events/pull?limit=200')).body.events;
    const ofAnna = pulled.filter(({ data }: { data: { phone?: string } }) => data.phone === ANNA);
    assert.deepEqual(
      ofAnna.map(({ type, data }: { type: string; data: { agent_id: string } }) => [type, data.agent_id]),
      [['chat.assigned', budi.id]],
    );
  });
});
