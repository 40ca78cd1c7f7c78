import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../actors/plans.ts';
import { seededChance } from '../../runtime/chance.ts';
import { aGateway } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';
import { aBlast, inOffice } from './story.ts';

const seed = Number(process.env['SEED'] ?? 7);
/** A thousand, as the goal has it, with CANCELS=1000. */
const cancels = Number(process.env['CANCELS'] ?? 25);
const PEOPLE = 8;
const MINUTE = 60_000;

eachStore('a campaign that is cancelled or paused at any moment', (kind) => {
  it(`sends at most the message that is on its way (SEED=${seed})`, { timeout: 600_000 }, async (t) => {
    const gateway = await aGateway(t, { kind, config: { plans: plansFrom({ free: { messages: 1_000_000 } }) } });
    const signedIn = await inOffice(gateway);
    // A login would end after two hours.
    const { key } = (await signedIn.api('POST', '/v1/api-keys', { name: 'cancels' })).body;
    const office = { ...signedIn, api: gateway.as(key) };
    const chance = seededChance(seed);
    const sent = (): number => gateway.sandbox.journal.of('accepted').length;
    const others = sent();
    let reached = others;
    for (let nth = 0; nth < cancels; nth += 1) {
      const people = Array.from({ length: PEOPLE }, (_, i) => String(6_281_500_000_000 + nth * PEOPLE + i));
      const path = await aBlast(gateway, office, people);
      assert.equal((await office.api('POST', `${path}/start`, {})).status, 200);
      await gateway.clock.advance(Math.floor(chance() * 60_000));
      const order = chance() < 0.5 ? 'pause' : 'cancel';
      const { status } = await office.api('POST', `${path}/${order}`);
      const before = sent();
      await gateway.clock.advance(MINUTE);
      assert.ok(sent() <= before + 1, `${order} ${nth}: ${before - reached} before, ${sent() - before} after`);
      assert.ok(status === 200 || sent() - reached === PEOPLE, `${order} ${nth} answered ${status}`);
      reached = sent();
    }
    assert.ok(reached > others && reached < others + cancels * PEOPLE);
  });
});
