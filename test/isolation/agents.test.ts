import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hired } from '../actors/services/agents/agents-fixture.ts';
import { aReceiver } from '../actors/services/webhooks/receiver.ts';
import { aGateway } from '../support/gateway.ts';
import { NEVER_FULL } from '../support/limits.ts';
import { eachStore } from '../support/stores.ts';
import { CUSTOMER, deviceOf, furnished, ROOMY, SESSIONS } from './belongings.ts';
import { about, asked, naming, rowsOfTenants, view } from './requests.ts';
import { shownByTools, toolsNaming, UNKNOWN_TO_TOOLS, used } from './tools.ts';

/** What agents know of devices and of the business as a whole. */
const SHARED = /^\/v1\/(templates|rotators|sessions(\/\{sessionId\})?$)/;
/** What is of one chat, by the path before its id. */
const HIDDEN = [`${SESSIONS}/{sessionId}/messages`, `${SESSIONS}/{sessionId}/scheduled`, '/v1/media'];
/** The chat of nobody they know, one by one in a bulk; no work of agents; a list without it. */
const REFUSED = /→ (404 .*"NOT_FOUND"|403 .*"FORBIDDEN"|202 \{"results":\[\{"error":"Not found|200 \{"scheduled":\[\])/;

eachStore('an agent', (kind) => {
  it("cannot read or change another agent's chat through any operation", async (t) => {
    const receiver = await aReceiver(t);
    const gateway = await aGateway(t, { kind, limits: NEVER_FULL, config: { egress_allow: [receiver.place], plans: ROOMY } });
    const tenant = await gateway.signUp();
    const { api } = tenant;
    const things = await furnished(gateway, tenant, 'Zebra', receiver.url);
    const hers = await deviceOf(gateway, tenant, 'Tapir', '6281100000001');
    const own = new Map([...things, ...hers]);
    const his = new Map([...things, ...(await deviceOf(gateway, tenant, 'Okapi', '6281100000002'))]);
    const dewi = await hired(gateway, api, 'Dewi', '6281311110001');
    const budi = await hired(gateway, api, 'Budi', '6281311110002');
    const device = `${SESSIONS}/${own.get(SESSIONS)}`;
    await api('POST', `${device}/chats/${CUSTOMER}/assign`, { agent_id: dewi.id });
    const rows = rowsOfTenants(gateway).filter(({ path }) => !SHARED.test(path));
    const ofChats = rows.filter(
      ({ path }) => path.includes('{chatId}') || path.includes('{messageId}') || /scheduled|media\/\{/.test(path),
    );
    const before = await view(gateway, api, ofChats, own);

    assert.match(JSON.stringify(await view(gateway, dewi.api, rows, own)), /Tapir/);
    assert.doesNotMatch(JSON.stringify(await view(gateway, budi.api, rows, own)), /Tapir/);
    for (const one of ofChats.map((row) => about(row, own))) {
      const { status, body } = await gateway.during(asked(budi.api, one));
      assert.match(`${one.title} → ${status} ${JSON.stringify(body)}`, REFUSED);
    }
    const secret = HIDDEN.map((path) => hers.get(path)!);
    const requests = naming(rowsOfTenants(gateway), hers, his).filter(({ path, body }) =>
      secret.some((id) => path.includes(id) || JSON.stringify(body ?? '').includes(id)),
    );
    assert.ok(requests.length > 30, `${requests.length} requests`);
    for (const one of requests) {
      const { status, body } = await gateway.during(asked(budi.api, one));
      const told = `${one.title} → ${status} ${JSON.stringify(body)}`;
      assert.doesNotMatch(told, /Tapir/);
      assert.match(told, REFUSED);
    }
    assert.equal((await budi.api('GET', `/v1/media/${his.get('/v1/media')}`)).status, 200, 'the file of a chat in sight');
    assert.match(await gateway.during(shownByTools(dewi.api, own)), /Tapir/);
    assert.doesNotMatch(await gateway.during(shownByTools(budi.api, his)), /"(customer_)?text":"Tapir/);
    const messages = new Map(['/v1/sessions', HIDDEN[0]!].map((path) => [path, hers.get(path)!]));
    for (const one of toolsNaming(messages, his).filter(({ name }) => /chat|cancel/.test(name)))
      assert.match(await gateway.during(used(budi.api, one)), UNKNOWN_TO_TOOLS);
    assert.deepEqual(await view(gateway, api, ofChats, own), before);
  });
});
