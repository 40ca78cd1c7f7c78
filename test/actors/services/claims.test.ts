import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { plansFrom } from '../../../actors/domain/plans.ts';
import { withFreePhone } from '../../../actors/services/accounts/free-phone.ts';
import { createOneTimeCodeService } from '../../../actors/services/accounts/one-time-codes.ts';
import { createRecount } from '../../../actors/services/analytics/recount.ts';
import { withinLimits } from '../../../actors/services/campaigns/draft-limits.ts';
import { actOnce } from '../../../actors/services/messaging/idempotency.ts';
import { CLAIM_MS } from '../../../runtime/claims.ts';
import { newId } from '../../../runtime/ids.ts';
import { oneTimeCodesIn } from '../../../store/accounts/one-time-codes.ts';
import { phoneClaimsIn } from '../../../store/accounts/phone-claims.ts';
import { tenantsIn } from '../../../store/accounts/tenants.ts';
import { agentsIn } from '../../../store/agents/agents.ts';
import { bucketsIn } from '../../../store/analytics/buckets.ts';
import { type CountedMessage, countedMessagesIn } from '../../../store/analytics/counted-messages.ts';
import { campaignsIn } from '../../../store/campaigns/campaigns.ts';
import { draftReservationsIn } from '../../../store/campaigns/draft-reservations.ts';
import { idempotencyIn } from '../../../store/messaging/idempotency.ts';
import type { Store } from '../../../store/port.ts';
import { retentionIn } from '../../../store/privacy/retention.ts';
import { anEngine } from '../../support/billing/engine.ts';
import { eachStore } from '../../support/stores.ts';
import { timerless } from './privacy/jobs-fixture.ts';

const NOW = Date.UTC(2026, 5, 1);
const MOST_MS = 10_000;
const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** Begins work that never ends, as of a process that dies in the middle. False: it was not let in. */
const begins = (work: (died: <T>() => Promise<T>) => Promise<unknown>): Promise<boolean> =>
  new Promise((resolve) => {
    const died = <T>(): Promise<T> => {
      resolve(true);
      return never<T>();
    };
    work(died).then(
      () => resolve(false),
      () => resolve(false),
    );
  });

/** Every claim in a stored record. Each takes it at `now` for a process that dies at once; false: it is not free. */
const CLAIMS: Readonly<Record<string, (store: Store) => (now: number) => Promise<boolean>>> = {
  'a phone that is about to be registered': (store) => (now) => {
    const people = { tenants: tenantsIn(store), agents: agentsIn(store), phoneClaims: phoneClaimsIn(store), clock: timerless(() => now) };
    return begins((died) => withFreePhone(people, '6281200000001', now, () => died()));
  },
  'a code on its way': (store) => async (now) =>
    (await createOneTimeCodeService(
      oneTimeCodesIn(store),
      'secret',
      timerless(() => now),
    ).issue('6281200000001', 'login', now)) !== null,
  'figures that are counted': (store) => {
    const [buckets, countedMessages] = [bucketsIn(store), countedMessagesIn(store)];
    const marked = buckets.mark([{ tenantId: 't', sessionId: 's', at: NOW }], NOW - CLAIM_MS);
    return async (now) => {
      await marked;
      return begins((died) => {
        const reading = {
          ...countedMessages,
          inBucket: () => ({ [Symbol.asyncIterator]: () => ({ next: () => died<IteratorResult<CountedMessage>>() }) }),
        };
        return createRecount({ buckets, countedMessages: reading, clock: { now: () => now }, chatKey: () => '' }).continueAll(now);
      });
    };
  },
  'room for drafts': (store) => (now) => {
    const deps = { campaigns: campaignsIn(store), reservations: draftReservationsIn(store), clock: timerless(() => now) };
    const limits = { open_drafts: 1, draft_recipients: 1 };
    const more = { drafts: 1, recipients: 1 };
    return begins((died) => withinLimits(deps, { tenantId: 't', name: newId(now), limits, more, now }, () => died()));
  },
  'a payment page': (store) => (now) =>
    new Promise((resolve, reject) => {
      // Whoever waits for somebody else's page sets a timer of less than a claim.
      const after = (ms: number) => {
        if (ms < CLAIM_MS / 4) resolve(false);
        return () => {};
      };
      const provider = {
        ...{ id: 'sandbox' as const, currencies: ['IDR' as const], goesByReference: true, verify: () => null },
        create: () => {
          resolve(true);
          return never<never>();
        },
        ask: () => never<never>(),
      };
      const clock = { now: () => now, monotonic: () => now, after };
      anEngine(store, { clock, plans: plansFrom({}), providers: [provider] })
        .buy('t', 'pro')
        .catch(reject);
    }),
  'a call with a key': (store) => (now) => {
    const idempotency = idempotencyIn(store, (_group, text) => text);
    return begins((died) => actOnce({ idempotency }, { key: 'k', tenantId: 't', request: {} }, now, () => died()));
  },
  'a run of retention': (store) => {
    const retention = retentionIn(store);
    const days = { messages: 30, media: 0, webhooks: 0, audit: 0 };
    const saved = retention.save('t', 0, { days, pending: null, due_at: NOW });
    return async (now) => (await saved) && (await retention.claim('t', now, now + CLAIM_MS)) !== null;
  },
};

eachStore('a claim held by a crashed process', (kind) => {
  for (const [name, of] of Object.entries(CLAIMS))
    it(`holds ${name} for at most ten seconds`, async (t) => {
      const store = await kind.fresh(t);
      const take = of(store);
      await store.prepare();
      assert.equal(await take(NOW), true, 'it is free');
      assert.equal(await take(NOW + 1), false, 'it is held');
      assert.equal(await take(NOW + MOST_MS), true, 'it is free again');
    });
});

/** Times of that kind over ten seconds, and why. */
const LONGER: Readonly<Record<string, string>> = {
  'actors/services/ai-reply/documents.ts STALE_MS':
    'no claim: the job belongs to an actor, and is ordered again only when the order was lost',
  'actors/services/messaging/idempotency.ts NETWORK_CALL_MS': 'the device may be on another node, and goes on asking the network',
  'store/auto-reply/auto-replies.ts CLAIMS_KEPT_MS': 'no claim: a message is answered once',
  'store/media/media-usage.ts RESERVED_MS': 'no claim: bytes that count towards the limit',
  'store/privacy/erasures.ts PREPARED_MS': 'no claim: an erasure that nobody was told of counts towards the limit',
};
const CLAIM_NAME =
  /const (\w*(?:CLAIM|CLAIMS|LEASE|RESERVED|ABANDONED|PREPARED|IN_FLIGHT|STALE|SENDING|NETWORK_CALL)\w*_MS) = ([\d_* ]+);/g;

describe('the source code', () => {
  it('has no claim that outlives its process by more than ten seconds', () => {
    const found = globSync(['actors/services/**/*.ts', 'store/**/*.ts', 'runtime/claims.ts', 'scripts/wiring/**/*.ts']).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(CLAIM_NAME)].map(([, name, value = '']) => {
        const ms = value.split('*').reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1);
        return [`${file} ${name}`, ms] as const;
      }),
    );
    assert.ok(found.some(([name, ms]) => name === 'runtime/claims.ts CLAIM_MS' && ms <= MOST_MS));
    assert.deepEqual(
      found
        .filter(([, ms]) => ms > MOST_MS)
        .map(([name]) => name)
        .sort(),
      Object.keys(LONGER).sort(),
    );
  });
});
