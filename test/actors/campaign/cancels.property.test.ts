import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../../actors/domain/plans.ts';
import type { Network } from '../../../actors/network/port.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { seededRandom } from '../../../runtime/random.ts';
import { boundLine } from '../../../scripts/faults/watched.ts';
import { aGateway, type Gateway } from '../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../support/stores.ts';
import { aCampaign, aCampaignFixture } from './campaign-fixture.ts';

const seed = Number(process.env['SEED'] ?? 7);
/** A thousand, as the goal has it, with CANCELS=1000. */
const cancels = Number(process.env['CANCELS'] ?? 6);
/** One takes a tenth of a second where nothing else runs, and on a machine that is overrun many times that. */
const TIMEOUT_MS = 60_000 + cancels * 15_000;
/** What a real line takes to encrypt and write one message: what was given to it leaves one by one. */
const LEAVES_AFTER_MS = 20;

const NO_PAUSE = { min_delay_ms: 0, max_delay_ms: 0 };
const PACES = [
  { name: 'one more message at the default pace', pacing: {}, withinMs: 60_000, people: 8, most: 1 },
  { name: '16 more messages without pauses', pacing: NO_PAUSE, withinMs: 800, people: 40, most: 16 },
  {
    name: 'one more message with a typing indicator and no other pauses',
    pacing: { ...NO_PAUSE, typing: true },
    withinMs: 6_000,
    people: 8,
    most: 1,
  },
];

/** The network, over lines on which messages leave one after the other. `clock` is asked when the first does. */
function oneAtATime(network: Network, clock: () => Clock): Network {
  return {
    name: network.name,
    shutdown: () => network.shutdown(),
    open(order, receive) {
      const line = network.open(order, receive);
      let freeAt = 0;
      return {
        ...boundLine(line),
        send(message, open) {
          const now = clock().monotonic();
          freeAt = Math.max(freeAt, now) + LEAVES_AFTER_MS;
          clock().after(freeAt - now, () => line.send(message, open));
        },
      };
    },
  };
}

async function aBusyGateway(scope: Scope, kind: StoreKind): Promise<Gateway> {
  let clock: Clock | null = null;
  const gateway = await aGateway(scope, {
    kind,
    config: { plans: plansFrom({ free: { messages: 1_000_000 } }) },
    network: (sandbox) => oneAtATime(sandbox.network(), () => clock!),
  });
  clock = gateway.clock;
  return gateway;
}

eachStore('a campaign that is cancelled or paused at a random moment', (kind) => {
  for (const { name, pacing, withinMs, people: count, most } of PACES)
    it(`sends at most ${name} after that (SEED=${seed})`, { timeout: TIMEOUT_MS }, async (t) => {
      const gateway = await aBusyGateway(t, kind);
      const signedIn = await aCampaignFixture(gateway);
      await signedIn.api('PUT', '/v1/settings', { pacing });
      // A login would end after two hours.
      const { key } = (await signedIn.api('POST', '/v1/api-keys', { name: 'cancels' })).body;
      const fixture = { ...signedIn, api: gateway.as(key) };
      const random = seededRandom(seed);
      const sent = (): number => gateway.sandbox.journal.of('accepted').length;
      const others = sent();
      let reached = others;
      for (let nth = 0; nth < cancels; nth += 1) {
        const people = Array.from({ length: count }, (_, i) => String(6_281_500_000_000 + nth * count + i));
        const path = await aCampaign(gateway, fixture, people);
        assert.equal((await fixture.api('POST', `${path}/start`, {})).status, 200);
        await gateway.clock.advance(Math.floor(random() * withinMs));
        const order = random() < 0.5 ? 'pause' : 'cancel';
        const { status, body } = await fixture.api('POST', `${path}/${order}`);
        const before = sent();
        await gateway.clock.advance(withinMs + 15_000);
        assert.ok(sent() <= before + most, `${order} ${nth}: ${before - reached} before, ${sent() - before} after`);
        assert.ok(
          status === 200 || sent() - reached === count,
          `${order} ${nth} answered ${status} ${JSON.stringify(body)} when ${sent() - reached} were sent`,
        );
        reached = sent();
      }
      assert.ok(reached > others && reached < others + cancels * count);
    });
});
