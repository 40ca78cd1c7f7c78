import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sandboxVerbs } from '../../../../actors/network/sandbox/api.ts';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';

const PEOPLE = Array.from({ length: 23 }, (_, nth) => `62812111200${String(nth).padStart(2, '0')}`);
const [FIRST = '', SECOND = ''] = PEOPLE;

type Fields = Readonly<Record<string, unknown>>;

eachStore('group invitations', (kind) => {
  it('count as messages, require the send scope, and are not sent to opted-out people', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const { path } = await acme.linked(PHONE);
    const verbs = sandboxVerbs(gateway.sandbox);
    for (const phone of PEOPLE) verbs.change(phone, { addable: false });
    const used = async (): Promise<number> => (await acme.api('GET', '/v1/usage')).body.messages.used;
    const made = await gateway.during(acme.api('POST', `${path}/groups`, { subject: 'Choir', participants: [] }));
    const add = { action: 'add', participants: PEOPLE, invite_refused: true };
    const participants = `${path}/groups/${made.body.id}/participants`;

    const { key } = (await acme.api('POST', '/v1/api-keys', { name: 'office', scopes: ['manage'] })).body;
    const refused = await gateway.during(gateway.as(key)('POST', participants, add));
    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN']);

    await acme.api('PUT', `/v1/consent/+${SECOND}`, { status: 'opted_out' });
    const before = await used();
    const { status, body } = await gateway.during(acme.api('POST', participants, add));
    assert.equal(status, 200, JSON.stringify(body));
    const invited = body.results.filter((one: Fields) => one['status'] === 'invited').map((one: Fields) => one['phone']);
    assert.deepEqual(invited, [FIRST, ...PEOPLE.slice(2, 21)]);
    assert.equal((await used()) - before, 20);
    await gateway.until('the invitation came', () => verbs.messages(FIRST).messages.find(({ type }) => type === 'invite'));
    assert.deepEqual(verbs.messages(SECOND).messages, []);

    // It is a message of the device: found in its log, without the code that is for one person, and neither edited nor forwarded.
    const { message_id } = body.results[0];
    const at = `${path}/messages/${message_id}`;
    await gateway.until('it was sent', async () => (await acme.api('GET', at)).body.status !== 'queued');
    const row = (await acme.api('GET', at)).body;
    assert.deepEqual([row.chat_id, row.body, row.invite.group_id], [`${FIRST}@s.whatsapp.net`, 'Choir', made.body.id]);
    assert.ok(!JSON.stringify(row).includes(String(verbs.messages(FIRST).messages[0]?.code)));
    assert.equal((await gateway.during(acme.api('POST', `${at}/forward`, { chat_id: ANNA }))).status, 409);
    assert.equal((await gateway.during(acme.api('PATCH', at, { body: 'Other' }))).status, 409);
  });

  it('are sent only once per Idempotency-Key, even after a restart', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const { path } = await acme.linked(PHONE);
    sandboxVerbs(gateway.sandbox).change(FIRST, { addable: false });
    const { id } = (await gateway.during(acme.api('POST', `${path}/groups`, { subject: 'Choir', participants: [] }))).body;
    const add = { action: 'add', participants: [FIRST], invite_refused: true };
    const headers = { 'idempotency-key': 'invite' };
    const invite = (api = acme.api) => api('POST', `${path}/groups/${id}/participants`, add, headers);
    const first = await gateway.during(invite());
    assert.equal(first.body.results?.[0]?.status, 'invited', JSON.stringify(first.body));
    const next = await gateway.crash();
    const again = next.as(acme.tokens.token);
    assert.deepEqual((await next.during(invite(again))).body, first.body);
    const message = `${path}/messages/${first.body.results[0].message_id}`;
    await next.until('it was sent', async () => (await again('GET', message)).body.status !== 'queued');
    const shown = next.sandbox.phone(FIRST).messages(50);
    assert.equal(shown.length, 1, 'once on the phone, whatever died');
  });

  it('are rejected while another call with the same Idempotency-Key is in progress', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const { path } = await acme.linked(PHONE);
    const { id } = (await gateway.during(acme.api('POST', `${path}/groups`, { subject: 'Choir', participants: [] }))).body;
    const add = { action: 'add', participants: [FIRST], invite_refused: true };
    const invite = () => acme.api('POST', `${path}/groups/${id}/participants`, add, { 'idempotency-key': 'invite' });
    gateway.sandbox.device(PHONE).fault({ kind: 'silent', forMs: 60_000 });
    const first = invite();
    await gateway.clock.advance(12_000);
    const second = await gateway.during(invite());
    assert.deepEqual([second.status, second.body.code], [409, 'IDEMPOTENCY_IN_PROGRESS']);
    await gateway.during(first);
  });
});
