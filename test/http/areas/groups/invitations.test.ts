import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sandboxVerbs } from '../../../../actors/network/sandbox/api.ts';
import { aGateway, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';

const PEOPLE = Array.from({ length: 23 }, (_, nth) => `62812111200${String(nth).padStart(2, '0')}`);
const [FIRST = '', SECOND = ''] = PEOPLE;

type Fields = Readonly<Record<string, unknown>>;

eachStore('invitations to a group', (kind) => {
  it('are messages: counted, a few at a time, for keys that may send, and not for people who opted out', async (t) => {
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
  });
});
