import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inboxOf } from '../inbox/office.ts';
import { listen } from '../stream/listener.ts';
import { ANNA, type Api } from '../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../support/stores.ts';
import { aTeam } from './team.ts';

const BEN = '6281211110002';
const CLEO = '6281211110003';
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

/** Anna is Dewi's customer, Ben is Budi's, Cleo is anybody's; each sent a message. */
async function anAssignedTeam(scope: Scope, kind: StoreKind) {
  const team = await aTeam(scope, kind);
  const { write, hears } = inboxOf(team.gateway, team.owner, team.desk.path);
  for (const who of [ANNA, BEN, CLEO]) {
    write(who, `from ${who}`);
    await hears(who, `from ${who}`);
  }
  const chat = (who: string) => `${team.desk.path}/chats/${who}`;
  await team.owner('POST', `${chat(ANNA)}/assign`, { agent_id: team.dewi.id });
  await team.owner('POST', `${chat(BEN)}/assign`, { agent_id: team.budi.id });
  return { ...team, write, hears, chat };
}

const bodies = (messages: readonly { body: string }[]): string[] => messages.map(({ body }) => body).toSorted();
const of = (...people: readonly string[]): string[] => people.map((who) => `from ${who}`).toSorted();

eachStore('an agent sees chats of their own and of nobody', (kind) => {
  it('in lists, one by one, and in the message log page by page', async (t) => {
    const { owner, desk, dewi, budi, chat } = await anAssignedTeam(t, kind);
    const seen = async (path: string) =>
      (await dewi.api('GET', path)).body.chats.map(({ last_message }: { last_message: string }) => last_message).toSorted();
    assert.deepEqual(await seen('/v1/inbox'), of(ANNA, CLEO));
    assert.deepEqual(await seen(`${desk.path}/chats`), of(ANNA, CLEO));
    assert.deepEqual(await seen(`/v1/inbox?agent_id=${dewi.id}`), of(ANNA));
    assert.deepEqual(await seen('/v1/inbox?agent_id=none'), of(CLEO));
    assert.deepEqual(await seen(`/v1/inbox?agent_id=${budi.id}`), []);
    const log = (await dewi.api('GET', `${desk.path}/messages`)).body.messages;
    assert.deepEqual(bodies(log), of(ANNA, CLEO));
    assert.deepEqual(bodies((await dewi.api('GET', `${desk.path}/messages?q=from`)).body.messages), of(ANNA, CLEO));
    const first = (await dewi.api('GET', `${desk.path}/messages?limit=1`)).body;
    const rest = (await dewi.api('GET', `${desk.path}/messages?before=${first.next_before}&before_id=${first.next_before_id}`)).body;
    assert.deepEqual([bodies([...first.messages, ...rest.messages]), rest.next_before], [of(ANNA, CLEO), null]);
    for (const who of [ANNA, CLEO]) assert.equal((await dewi.api('GET', chat(who))).status, 200);
    assert.equal((await owner('GET', `${desk.path}/messages`)).body.messages.length, 3);
  });

  it('and of another agent’s chat nothing that one could ask for', async (t) => {
    const { gateway, owner, desk, dewi, budi, chat } = await anAssignedTeam(t, kind);
    const uploaded = await fetch(`${gateway.node.url}/v1/media/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${budi.tokens.token}`, 'content-type': 'image/png' },
      body: PNG,
    });
    const { key } = (await uploaded.json()) as { key: string };
    const image = (await budi.api('POST', `${desk.path}/messages`, { chat_id: BEN, type: 'image', media_r2_key: key })).body.id;
    const bens = (await owner('GET', `${desk.path}/messages?chat_id=${BEN}&direction=inbound`)).body.messages[0].id;
    const message = `${desk.path}/messages/${bens}`;
    const hidden = [
      ['GET', chat(BEN)],
      ['PATCH', chat(BEN), { pinned: true }],
      ['GET', `${chat(BEN)}/messages`],
      ['POST', `${chat(BEN)}/read`],
      ['POST', `${chat(BEN)}/notes`, { text: 'mine' }],
      ['DELETE', `${chat(BEN)}/notes/0`],
      ['POST', `${chat(BEN)}/assign`, { agent_id: dewi.id }],
      ['GET', message],
      ['GET', `${desk.path}/messages/${image}/media`],
      ['POST', `${message}/retry`],
      ['POST', `${message}/cancel`],
      ['POST', `${message}/forward`, { chat_id: ANNA }],
      ['POST', `${desk.path}/messages`, { chat_id: BEN, type: 'text', body: 'Hi' }],
      ['POST', `${desk.path}/messages`, { chat_id: ANNA, type: 'text', body: 'Hi', reply_to: bens }],
    ] as const;
    for (const [method, path, body] of hidden) {
      const { status, body: answer } = await dewi.api(method, path, body);
      assert.deepEqual([status, answer.code], [404, 'NOT_FOUND'], `${method} ${path}`);
    }
    assert.equal((await budi.api('GET', `${desk.path}/messages/${image}/media`)).status, 200);
    const annas = (await owner('GET', `${desk.path}/messages?chat_id=${ANNA}`)).body.messages[0].id;
    assert.equal((await dewi.api('POST', `${desk.path}/messages/${annas}/forward`, { chat_id: BEN })).status, 404);
    const { results } = (
      await dewi.api('POST', `${desk.path}/messages/bulk`, {
        messages: [ANNA, BEN].map((to) => ({ chat_id: to, type: 'text', body: 'x' })),
      })
    ).body;
    assert.deepEqual([results[0].status, results[1].code], ['queued', 'NOT_FOUND']);
  });

  it('not even that its person opted out', async (t) => {
    const { owner, desk, dewi, budi } = await anAssignedTeam(t, kind);
    const send = async (api: Api, more = {}) => {
      const { status, body } = await api('POST', `${desk.path}/messages`, { chat_id: BEN, type: 'text', body: 'Hi', ...more });
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

  it('among messages for later', async (t) => {
    const { gateway, desk, dewi, budi } = await anAssignedTeam(t, kind);
    const path = `${desk.path}/scheduled`;
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

  it('on the live stream and in what they pull, from the assignment on', async (t) => {
    const { gateway, owner, dewi, budi, write, hears, chat } = await anAssignedTeam(t, kind);
    const streams = [await listen(gateway.node.url, dewi.api), await listen(gateway.node.url, budi.api)];
    for (const who of [ANNA, BEN, CLEO]) write(who, 'again');
    for (const who of [ANNA, BEN, CLEO]) await hears(who, 'again');
    await owner('POST', `${chat(CLEO)}/assign`, { agent_id: budi.id });
    write(CLEO, 'for Budi');
    await hears(CLEO, 'for Budi');
    const heard = (n: number) =>
      streams[n]!.events.filter(({ event }) => event === 'message.received').map(({ data }) => `${data.data.phone} ${data.data.body}`);
    await gateway.until('both hear', () => heard(0).length >= 2 && heard(1).length >= 3);
    assert.deepEqual(heard(0).toSorted(), [`${ANNA} again`, `${CLEO} again`]);
    assert.deepEqual(heard(1).toSorted(), [`${BEN} again`, `${CLEO} again`, `${CLEO} for Budi`]);

    const pulled = (await dewi.api('GET', '/v1/events/pull?limit=1')).body;
    const rest = (await dewi.api('GET', `/v1/events/pull?after=${pulled.next}&limit=200`)).body;
    const phones = new Set([...pulled.events, ...rest.events].filter(({ data }) => data.phone).map(({ data }) => data.phone));
    assert.deepEqual([...phones], [ANNA]);
  });

  it('and hear that a chat is given to them or taken from them, webhook or not, and then nothing more of it', async (t) => {
    const { gateway, owner, dewi, budi, write, hears, chat } = await anAssignedTeam(t, kind);
    const streams = [await listen(gateway.node.url, dewi.api), await listen(gateway.node.url, budi.api)];
    await owner('POST', `${chat(ANNA)}/assign`, { agent_id: budi.id });
    write(ANNA, 'for Budi');
    await hears(ANNA, 'for Budi');
    const heard = (n: number) => streams[n]!.events.filter(({ data }) => data.data.phone === ANNA).map(({ event }) => event);
    await gateway.until('the new one hears', () => heard(1).length === 2);
    assert.deepEqual([heard(0), heard(1)], [['chat.assigned'], ['chat.assigned', 'message.received']]);
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
