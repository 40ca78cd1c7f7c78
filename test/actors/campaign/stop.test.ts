import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, aGateway, type Gateway, PHONE } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';
import { aCampaign, aCampaignFixture, type Fixture, phones, textsOn } from './campaign-fixture.ts';

const SECOND = 1_000;
const LONG = 'Our summer sale starts today. '.repeat(5);

const stands = async (fixture: Fixture, path: string) =>
  (await fixture.api('GET', `${path}/recipients`)).body.recipients.map(({ status, error }: { status: string; error: string }) => [
    status,
    error,
  ]);

const usedOf = async ({ api }: Fixture): Promise<number> => (await api('GET', '/v1/usage')).body.messages.used;

const acceptedBy = ({ sandbox }: Gateway, phone: string): number =>
  sandbox.journal.of('accepted').filter(({ to }) => to?.startsWith(phone)).length;

eachStore('a STOP message', (kind) => {
  it('cancels the message to its sender, even while the message is being typed', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    await fixture.api('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: true } });
    const [other] = phones(1);
    const path = await aCampaign(gateway, fixture, [ANNA, other!], { body: LONG });
    await fixture.api('POST', `${path}/start`, {});
    await gateway.until('it is written', () => gateway.sandbox.phone(ANNA).presences().at(-1)?.state === 'composing');
    gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'STOP' } });
    await gateway.until('the other has it', () => textsOn(gateway, other!).length === 1);
    await gateway.clock.advance(10 * SECOND);
    assert.equal(
      textsOn(gateway, ANNA).some((text) => text.startsWith('Our summer sale')),
      false,
    );
    assert.deepEqual((await stands(fixture, path)).map(([status]: [string]) => status).toSorted(), ['read', 'skipped']);
    // The other's, and the confirmation of the STOP.
    assert.equal(await usedOf(fixture), 2);
  });

  it('prevents the retry of a message whose outcome is unknown after a crash', async (t) => {
    const before = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(before);
    const path = await aCampaign(before, fixture, [ANNA]);
    before.sandbox.device(PHONE).fault({ kind: 'silent', forMs: 10 * SECOND });
    await fixture.api('POST', `${path}/start`, {});
    await before.until('it was written into the silence', () => before.sandbox.journal.of('swallowed').length > 0);
    const gateway = await before.crash();
    const api = gateway.as(fixture.token);
    await api('PUT', `/v1/consent/%2B${ANNA}`, { status: 'opted_out' });
    await gateway.until('the campaign is over', async () => (await api('GET', path)).body.status === 'completed');
    assert.equal(acceptedBy(gateway, ANNA), 0);
    assert.deepEqual(await stands({ ...fixture, api }, path), [['failed', 'unknown_outcome']]);
  });
});
