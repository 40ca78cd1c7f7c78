import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { callbackOf, keysFor, PROVIDERS } from '../support/billing/callbacks.ts';
import { providerDoubles } from '../support/billing/provider-doubles.ts';
import { aGateway } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

eachStore('successful and failed payments', (kind) => {
  it('do not reveal keys, tokens or signatures in logs, audit entries, events or operator views', async (t) => {
    const doubles = await providerDoubles(t);
    const lines: string[] = [];
    const stream = { write: (line: string) => void lines.push(line) };
    const config = keysFor(doubles);
    const gateway = await aGateway(t, { kind, config, log: pino({ level: 'trace' }, stream) });
    const { api } = await gateway.signUp();
    const signatures: string[] = [];
    for (const provider of PROVIDERS) {
      const order = { plan: 'pro', provider, currency: provider === 'stripe' ? 'USD' : 'IDR' };
      doubles.fault = 'error';
      assert.equal((await gateway.during(api('POST', '/v1/billing/checkout', order))).status, 502);
      doubles.fault = 'none';
      const { invoice } = (await gateway.during(api('POST', '/v1/billing/checkout', order))).body;
      const ref = [...doubles.pages.keys()].findLast((one) => one.startsWith(invoice.id));
      const page = Object.assign(doubles.page(ref ?? ''), { paid: true });
      for (const fault of ['error', 'none'] as const) {
        doubles.fault = fault;
        const { path, body, headers } = callbackOf(provider, page, gateway.clock.now());
        signatures.push(...(/"signature_key":"(\w+)"/.exec(body)?.slice(1) ?? []), ...Object.values(headers));
        await gateway.during(gateway.api('POST', path, body, headers));
        await gateway.during(gateway.api('POST', path, `${body} `, headers));
      }
    }
    await gateway.clock.advance(60_000);
    const seen = await Promise.all([
      api('GET', '/v1/audit?limit=100'),
      api('GET', '/v1/events/pull?limit=100'),
      api('GET', '/v1/billing/invoices'),
    ]);
    const operators = await gateway.operator('GET', '/v1/admin/billing');
    const text = [...lines, ...[...seen, operators].map(({ body }) => JSON.stringify(body))].join('\n');
    assert.ok(text.includes('billing.provider_unreachable') && text.includes('payment.settle'));
    const keys = Object.entries(config).flatMap(([name, value]) => (name.endsWith('_url') ? [] : [String(value)]));
    for (const secret of [...keys, ...signatures]) {
      const forms = [secret, Buffer.from(`${secret}:`).toString('base64').replace(/=*$/, '')];
      for (const form of forms) assert.equal(text.includes(form), false, `${secret.slice(0, 12)}… is in there`);
    }
  });
});
