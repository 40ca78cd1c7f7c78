import assert from 'node:assert/strict';
import { it } from 'node:test';
import { present } from '../../runtime/invariant.ts';
import { Api } from '../../scripts/commands/shell/api.ts';
import { COSTS } from '../../scripts/commands/shell/costs.ts';
import { officialMonthsIn } from '../../store/devices/official-months.ts';
import { keyFor, use } from '../http/mcp/agent.ts';
import { ANNA } from '../support/gateway.ts';
import { anApprovedTemplate, anOfficialShop, NUMBER } from '../support/official.ts';
import { eachStore } from '../support/stores.ts';

const LONDON = '447700900123';

eachStore("the official platform's costs", (kind) => {
  it('are estimated for a campaign, and are reported per message and per country', async (t) => {
    const shop = await anOfficialShop(t, kind);
    const { gateway, acme, send, reaches, message, verbs, id: session_id } = shop;
    await acme.api('PUT', '/v1/settings', { send_window: { enabled: false } });
    const template_id = await anApprovedTemplate(shop);
    const recipients = [ANNA, LONDON].map((phone) => ({ phone: `+${phone}` }));
    const blast = { session_id, name: 'Sale', message_type: 'text', template_id, variables: { name: 'friend' }, recipients };
    const estimate = async () => (await acme.api('POST', '/v1/blasts/preview', blast)).body.cost_estimate;
    assert.deepEqual(await estimate(), {
      ...{ amount: null, currency: 'USD' },
      rows: [
        { country: 'ID', category: 'marketing', messages: 1, amount: null },
        { country: 'GB', category: 'marketing', messages: 1, amount: null },
      ],
    });

    const old = [{ country: 'ID', category: 'marketing', amount: 9 }];
    const now = [
      { country: 'ID', category: 'marketing', amount: 0.0411 },
      { country: 'GB', category: 'marketing', amount: 0.0529 },
      { country: 'ID', category: 'utility', amount: 0.0041 },
    ];
    const at = gateway.clock.now();
    for (const [effective_from, rows] of [
      [at - 1_000, now],
      [at - 2_000, old],
      [at + 86_400_000_000, old],
    ] as const) {
      const put = await gateway.operator('PUT', '/v1/admin/prices', { currency: 'USD', effective_from, rows });
      assert.equal(put.status, 200, JSON.stringify(put.body));
    }
    const listed = (await gateway.operator('GET', '/v1/admin/prices')).body.tables;
    assert.deepEqual(
      listed.map(({ effective_from }: { effective_from: number }) => effective_from - at),
      [86_400_000_000, -1_000, -2_000],
    );
    await gateway.during(gateway.clock.advance(60_000));
    assert.equal((await estimate()).amount, 0.094);

    const { id } = (await acme.api('POST', '/v1/blasts', blast)).body;
    await acme.api('POST', `/v1/blasts/${id}/start`);
    await gateway.until('it is over', async () => (await acme.api('GET', `/v1/blasts/${id}`)).body.status === 'completed');
    verbs.write(ANNA, { to: NUMBER, body: 'Hi' });
    await gateway.until('the window is open', async () => (await shop.chat(ANNA)).window_until > gateway.clock.now());
    const answer = await send({ chat_id: ANNA, type: 'text', body: 'Hello' });
    await reaches(answer, 'read');
    const priced = await gateway.until('it is priced', async () => (await message(answer)).cost);
    assert.deepEqual(priced, { category: 'service', type: 'free_customer_service', billable: false, amount: 0, currency: 'USD' });

    const costs = async () => (await acme.api('GET', '/v1/analytics/costs?days=7')).body.rows;
    const rows = await gateway.until('all are counted', async () => {
      const found = await costs();
      return found.length === 3 && found;
    });
    const of = { session_id, currency: 'USD' };
    const sorted = rows.toSorted((one: { amount: number }, other: { amount: number }) => one.amount - other.amount);
    assert.deepEqual(sorted, [
      { ...of, category: 'service', country: 'ID', billed: 0, free: 1, amount: 0 },
      { ...of, category: 'marketing', country: 'ID', billed: 1, free: 0, amount: 0.0411 },
      { ...of, category: 'marketing', country: 'GB', billed: 1, free: 0, amount: 0.0529 },
    ]);
    const ofCampaign = async (blastId: string) => (await acme.api('GET', `/v1/analytics/costs?blast_id=${blastId}`)).body.rows;
    assert.deepEqual((await ofCampaign(id)).map(({ country, amount }: { country: string; amount: number }) => [country, amount]).sort(), [
      ['GB', 0.0529],
      ['ID', 0.0411],
    ]);
    const other = await acme.api('POST', '/v1/blasts', blast);
    assert.deepEqual([await ofCampaign(other.body.id), await ofCampaign(session_id)], [[], []]);
    const { key } = (await acme.api('POST', '/v1/api-keys', { name: 'Shell', scopes: ['read'] })).body;
    const quiet = { isJson: false, say: () => undefined, tell: () => undefined, ask: async () => '' };
    const shell = { ...quiet, api: new Api(gateway.node.url, { GATEWAY_KEY: key }) };
    const printed = await gateway.during(present(COSTS[0], 'the command').run(shell, [], { days: '7' }));
    const printedOne = await gateway.during(present(COSTS[0], 'the command').run(shell, [], { campaign: id }));
    assert.match(printedOne?.text ?? '', /\nTotal: 0\.094 USD$/);
    assert.doesNotMatch(printedOne?.text ?? '', /service/);
    assert.match(printed?.text ?? '', /marketing +GB +1 +0 +0\.0529 USD\n[\s\S]*Total: 0\.094 USD$/);
    // An assistant sends the template with values that a person confirmed.
    const agent = await keyFor(gateway, acme.api, {});
    const order = { to: ANNA, template_id, idempotency_key: 'news', variables: { name: 'Anna' } };
    const { variables: _none, ...bare } = order;
    assert.match(JSON.stringify(await use(agent, 'send_message', bare)), /variables\.name/);
    assert.match(JSON.stringify(await use(agent, 'send_message', { ...order, variables: { name: '{{first_name}}' } })), /variables\.name/);
    const asked = await use(agent, 'send_message', order);
    assert.equal(asked.preview.text, 'Hi Anna, see you today.');
    const elsewhere = { ...order, variables: { ...order.variables, 'button.0': 'elsewhere' } };
    assert.equal((await use(agent, 'send_message', elsewhere)).preview.text, 'Hi Anna, see you today.\n[button.0] elsewhere');
    const swapped = await use(agent, 'send_message', { ...elsewhere, confirmation: asked.confirmation });
    assert.match(JSON.stringify(swapped), /confirmation/);
    const sent = await use(agent, 'send_message', { ...order, confirmation: asked.confirmation });
    assert.equal((await reaches(sent.message_id, 'read')).body, 'Hi Anna, see you today.');

    const linked = await acme.api('POST', '/v1/sessions', {});
    const { template_id: _id, variables: _variables, ...plain } = blast;
    const free = await acme.api('POST', '/v1/blasts/preview', { ...plain, session_id: linked.body.id, body: 'Hi' });
    assert.equal(free.body.cost_estimate, null);
  });

  it('stop paid automatic replies with a warning when they reach the monthly limit', async (t) => {
    const shop = await anOfficialShop(t, kind);
    const { gateway, acme, path, verbs, id: sessionId, send, reaches } = shop;
    const rule = { name: 'Hours', trigger_type: 'contains', trigger_text: 'open', reply_body: 'From 9 to 5.' };
    assert.equal((await acme.api('POST', `${path}/auto-reply`, rule)).status, 201);
    assert.equal((await acme.api('PATCH', path, { monthly_service_limit: 1 })).body.monthly_service_limit, 1);
    const warnings = async () => (await acme.api('GET', '/v1/events/pull?events=quota.warning&reader=shop')).body.events;
    assert.deepEqual(await warnings(), []);
    const asking = [ANNA, '6281211110002', '6281211110003'];
    const replies = () => asking.flatMap((phone) => verbs.messages(phone).messages).filter(({ body }) => body === 'From 9 to 5.').length;
    const ask = (nth: number) => verbs.write(asking[nth] ?? '', { to: NUMBER, body: 'Are you open?' });

    // The first is among the free ones of the month.
    ask(0);
    await gateway.until('it is answered', () => replies() === 1);
    const months = officialMonthsIn(gateway.store);
    const of = { tenantId: '', sessionId };
    for (let used = await months.service(sessionId, gateway.clock.now()); used < 999; used += 1)
      await months.countService(of, gateway.clock.now());
    await reaches(await send({ chat_id: ANNA, type: 'text', body: 'By hand' }), 'read');
    await gateway.until('all are used', async () => (await months.service(sessionId, gateway.clock.now())) >= 1_000);
    ask(1);
    await gateway.until('a paid one', () => replies() === 2);
    // A reply that is repeated after a crash is the same reply, so it is not counted again.
    const takes = (id: string) => months.takeReply(of, id, 3, gateway.clock.now());
    assert.deepEqual(
      [await takes('one'), await takes('one'), await takes('two'), await takes('two'), await takes('three')],
      [true, true, true, true, false],
    );
    ask(2);
    const told = await gateway.until('it is reported', async () => (await warnings()).length === 2 && warnings());
    const { month, plan, ...rest } = told[1].data;
    assert.deepEqual([rest, told[0].data.limit], [{ level: 100, used: 1, limit: 1, session_id: sessionId }, 1_000]);
    assert.equal(replies(), 2);
    await reaches(await send({ chat_id: ANNA, type: 'text', body: 'By hand again' }), 'read');
  });
});
