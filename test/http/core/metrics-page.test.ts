import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { metricsIn } from '../../../http/core/metrics.ts';
import { MetricsPage } from '../../../http/core/metrics-page.ts';
import { showGauge } from '../../../http/core/prometheus.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { leastOfThree } from '../../support/turns.ts';

/** A page whose one gauge says how often it was made. */
function aPage() {
  const clock = new VirtualClock();
  const registry = new Registry();
  let made = 0;
  showGauge(registry, { name: 'made', help: 'How often', read: () => [[{}, ++made]] });
  return { clock, registry, page: new MetricsPage(registry, clock), made: () => made };
}

describe('the metrics page', () => {
  it('is identical to the output of the metrics library', async () => {
    const { page, registry } = aPage();
    assert.equal((await page.text()).replace('made 1', 'made 2'), await registry.metrics());
  });

  it('is generated once for all callers that request it at the same time', async () => {
    const { page, made } = aPage();
    const pages = await Promise.all(Array.from({ length: 20 }, () => page.text()));
    assert.equal(made(), 1);
    assert.equal(new Set(pages).size, 1);
  });

  it('is generated separately for a few callers, but only once a second during a flood', async () => {
    const { clock, page, made } = aPage();
    for (let call = 1; call <= 10; call += 1) assert.match(await page.text(), new RegExp(`made ${call}\n`));
    for (let call = 0; call < 50; call += 1) assert.match(await page.text(), /made 10\n/);
    await clock.advance(1_000);
    for (let call = 0; call < 50; call += 1) assert.match(await page.text(), /made 11\n/);
    assert.equal(made(), 11);
  });

  it('never blocks an event-loop tick for long, however many operations and statuses there are', async () => {
    const registry = new Registry();
    const counts = metricsIn(registry, []);
    for (let row = 0; row < 400; row += 1)
      for (const status of [200, 400, 401, 403, 404, 429, 500, 503]) counts.answered(`operation${row}`, status, 0.01);
    const page = new MetricsPage(registry, new VirtualClock());
    const ms = await leastOfThree(() => Promise.all(Array.from({ length: 20 }, () => page.text())));
    assert.ok(ms < 50, `${ms} ms`);
  });
});
