import assert from 'node:assert/strict';
import { it } from 'node:test';
import { campaigns } from '../../../../http/areas/campaigns/rows.ts';
import { aCampaign, aCampaignFixture, phones } from '../../../actors/campaign/campaign-fixture.ts';
import { aGateway } from '../../../support/gateway.ts';
import { embedded } from '../../../support/stores.ts';

it('the list of campaign recipients can be paged by time alone, or by time and id', async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const fixture = await aCampaignFixture(gateway);
  const { api } = fixture;
  const [first, second, third] = phones(3) as [string, string, string];
  const path = await aCampaign(gateway, fixture, [first, second]);
  await gateway.clock.advance(60_000);
  const between = gateway.clock.now() - 30_000;
  await api('POST', `${path}/recipients`, { recipients: [{ phone: third }] });
  const page = async (query: string) => (await api('GET', `${path}/recipients?${query}`)).body;
  const phonesOn = async (query: string) => (await page(query)).recipients.map(({ phone }: { phone: string }) => phone);

  assert.deepEqual(await phonesOn('limit=10'), [third, second, first]);
  assert.deepEqual(await phonesOn(`limit=10&before=${between}`), [second, first]);
  const { next_before, next_before_id } = await page('limit=2');
  assert.deepEqual(await phonesOn(`limit=2&before=${next_before}&before_id=${next_before_id}`), [first]);
});

it('campaign calls that involve whole lists or segments are marked as heavy', () => {
  const heavy = campaigns.rows.filter((row) => row.heavy).map(({ id }) => id);
  assert.deepEqual(heavy.toSorted(), [
    'addBlastRecipients',
    'changeBlast',
    'createBlast',
    'deleteBlast',
    'getBlastReport',
    'previewBlast',
    'resendBlast',
  ]);
});
