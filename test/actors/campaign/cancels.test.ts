import assert from 'node:assert/strict';
import { it } from 'node:test';
import { recipientsIn } from '../../../store/campaigns/recipients.ts';
import { aGateway } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';
import { aCampaign, aCampaignFixture, phones } from './campaign-fixture.ts';

/** Several steps. */
const MANY = 4_000;

eachStore('a campaign to many that is cancelled', (kind) => {
  it('is answered before all of them are marked, shows them as skipped at once, and marks them all although its process dies', async (t) => {
    let gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const path = await aCampaign(gateway, fixture, phones(MANY));
    const id = path.split('/').at(-1) ?? '';
    const isMarked = async (): Promise<boolean> => !(await recipientsIn(gateway.store).hasPending(id, null));

    const { status, body } = await fixture.api('POST', `${path}/cancel`);
    assert.equal(await isMarked(), false);
    assert.deepEqual([status, body.status, body.total_recipients, body.skipped_count], [200, 'cancelled', MANY, MANY]);
    const { recipients } = (await fixture.api('GET', `${path}/recipients?status=skipped&limit=1`)).body;
    assert.deepEqual([recipients[0].status, recipients[0].error], ['skipped', 'cancelled']);
    assert.deepEqual((await fixture.api('GET', `${path}/recipients?status=pending`)).body.recipients, []);
    const [, ...lines] = (await fixture.api('GET', `${path}/report`)).body.trim().split('\n');
    assert.equal(lines.filter((line: string) => line.includes('"skipped","cancelled"')).length, MANY);

    gateway = await gateway.crash();
    await gateway.until('all of them are marked', isMarked);
    const { skipped_count } = (await gateway.as(fixture.token)('GET', path)).body;
    assert.equal(skipped_count, MANY);
  });
});
