import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { plansFrom } from '../../../actors/domain/plans.ts';
import { withFreePhone } from '../../../actors/services/accounts/free-phone.ts';
import { createOneTimeCodeService } from '../../../actors/services/accounts/one-time-codes.ts';
import { createRecount } from '../../../actors/services/analytics/recount.ts';
import { withinLimits } from '../../../actors/services/campaigns/draft-limits.ts';
import { sweepMedia } from '../../../actors/services/media/sweep.ts';
import { actOnce } from '../../../actors/services/messaging/idempotency.ts';
import { endAbandonedRefunds, giveBackUnsent } from '../../../actors/services/messaging/unsent-quota.ts';
import { CLAIM_MS } from '../../../runtime/claims.ts';
import { newId } from '../../../runtime/ids.ts';
import { aTenant } from '../../../scripts/bench/planted.ts';
import { oneTimeCodesIn } from '../../../store/accounts/one-time-codes.ts';
import { phoneClaimsIn } from '../../../store/accounts/phone-claims.ts';
import { tenantsIn } from '../../../store/accounts/tenants.ts';
import { agentsIn } from '../../../store/agents/agents.ts';
import { bucketsIn } from '../../../store/analytics/buckets.ts';
import { type CountedMessage, countedMessagesIn } from '../../../store/analytics/counted-messages.ts';
import { campaignsIn } from '../../../store/campaigns/campaigns.ts';
import { draftReservationsIn } from '../../../store/campaigns/draft-reservations.ts';
import { checkpointsIn } from '../../../store/jobs/checkpoints.ts';
import { type JobRow, jobsIn } from '../../../store/jobs/jobs.ts';
import { idempotencyIn } from '../../../store/messaging/idempotency.ts';
import { messagesIn } from '../../../store/messaging/messages.ts';
import type { Store } from '../../../store/port.ts';
import { deletionsIn } from '../../../store/privacy/deletions.ts';
import { erasuresIn } from '../../../store/privacy/erasures.ts';
import { exportsIn } from '../../../store/privacy/exports.ts';
import { retentionIn } from '../../../store/privacy/retention.ts';
import { anEngine } from '../../support/billing/engine.ts';
import { aMessageRow } from '../../support/message-row.ts';
import { eachStore } from '../../support/stores.ts';
import { timerless } from './privacy/jobs-fixture.ts';

const NOW = Date.UTC(2026, 5, 1);
const YEAR_MS = 365 * 86_400_000;
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

/** A job about privacy that waits for a process. `jobs-killed.test.ts` and `erasure-killed.test.ts` do the work after each crash. */
const waiting = { tenant_id: 't', open: true, step: 0, claimed_until: 0, counts: {}, created_at: NOW, done_at: null } as const;

/** Every claim in a stored record. Each function claims at `now` for a process that dies immediately, or returns false. */
const CLAIMS: Readonly<Record<string, (store: Store) => (now: number) => Promise<boolean>>> = {
  'a phone registration': (store) => (now) => {
    const people = { tenants: tenantsIn(store), agents: agentsIn(store), phoneClaims: phoneClaimsIn(store), clock: timerless(() => now) };
    return begins((died) => withFreePhone(people, '6281200000001', now, () => died()));
  },
  'a login code that is being sent': (store) => async (now) =>
    (await createOneTimeCodeService(
      oneTimeCodesIn(store),
      'secret',
      timerless(() => now),
    ).issue('6281200000001', 'login', now)) !== null,
  'a recount of figures': (store) => {
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
  'a draft slot': (store) => (now) => {
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
  'a call with an Idempotency-Key': (store) => (now) => {
    const idempotency = idempotencyIn(store, (_group, text) => text);
    return begins((died) => actOnce({ idempotency }, { key: 'k', tenantId: 't', request: {} }, now, () => died()));
  },
  'a retention run': (store) => {
    const retention = retentionIn(store);
    const days = { messages: 30, media: 0, webhooks: 0, audit: 0 };
    const saved = retention.save('t', 0, { days, pending: null, due_at: NOW });
    return async (now) => (await saved) && (await retention.claim('t', now, now + CLAIM_MS)) !== null;
  },
  'an erasure': (store) => {
    const [erasures, row] = [erasuresIn(store), { ...waiting, _id: 'e', phone_hash: 'hash', proof: null }];
    const begun = erasures.prepare(row, 1).then(() => erasures.begin(row));
    return async (now) => (await begun) && (await erasures.claim('t', now, now + CLAIM_MS)) !== null;
  },
  'an export': (store) => {
    const exports = exportsIn(store);
    const row = { ...waiting, _id: 'e', of: 'tenant', status: 'queued', after: null, failures: 0, expires_at: null } as const;
    const stored = exports.createWithin(row, 1);
    return async (now) => (await stored) && (await exports.claim('t', now, now + CLAIM_MS)) !== null;
  },
  'an account deletion': (store) => {
    const deletions = deletionsIn(store);
    const { tenant_id: _id, step: _, created_at: requested_at, ...row } = waiting;
    const stored = deletions.add({ ...row, _id, requested_at, effective_at: NOW, ended: true, begun: false });
    return async (now) => (await stored) !== null && (await deletions.claim('t', now, now + CLAIM_MS)) !== null;
  },
  'a health check of a business': (store) => {
    const tenants = tenantsIn(store);
    const due = aTenant(store, '6281200000001').then(({ _id }) => tenants.hurry(_id, NOW));
    return async (now) => {
      await due;
      return (await tenants.due(now, CLAIM_MS)) !== null;
    };
  },
  'a refund': (store) => {
    const messages = messagesIn(store);
    const row = aMessageRow({ _id: newId(NOW), created_at: NOW, status: 'cancelled', quota_month: '2026-06' });
    const stored = messages.accept(row);
    return async (now) => {
      await stored;
      // Refunds are as old as their ids, and ids never go back: this is later than all others.
      const at = now + YEAR_MS;
      if (now === NOW) return begins((died) => giveBackUnsent({ messages, usage: { giveBackOnce: () => died() } }, [row], at));
      let count = 0;
      const giveBackOnce = async (): Promise<void> => {
        count += 1;
      };
      await endAbandonedRefunds({ messages, usage: { giveBackOnce } }, at);
      return count === 1;
    };
  },
  'a sweep of stored files': (store) => (now) => {
    const deps = { owners: [], checkpoints: checkpointsIn(store), clock: timerless(() => now) };
    return begins((died) => sweepMedia({ ...deps, bytes: { list: () => died(), discard: async () => {} } }, now));
  },
};

eachStore('a claim held by a crashed process', (kind) => {
  for (const [name, of] of Object.entries(CLAIMS))
    it(`blocks ${name} for at most ten seconds`, async (t) => {
      const store = await kind.fresh(t);
      const take = of(store);
      await store.prepare();
      assert.equal(await take(NOW), true, 'it is free');
      assert.equal(await take(NOW + 1), false, 'it is held');
      assert.equal(await take(NOW + MOST_MS), true, 'it is free again');
    });
});

eachStore('a job interrupted by a crash', (kind) => {
  it("is continued by the tenant's next owner, and can no longer be changed by the former one", async (t) => {
    const store = await kind.fresh(t);
    const jobs = jobsIn(store);
    await store.prepare();
    const times = { created_at: NOW, updated_at: NOW };
    const row: JobRow = {
      ...{ _id: newId(NOW), tenant_id: 't', kind: 'document', document_id: 'd', status: 'queued', open: true },
      ...{ after: '', failures: 0, rev: 0, ...times },
    };
    await jobs.add(row);
    const [former, next] = [await jobs.next('t'), await jobs.next('t')];
    assert.deepEqual(await jobs.waiting(), ['t']);
    assert.ok(next && (await jobs.advance(next, { after: 'x' }, NOW + 1)));
    assert.equal(former && (await jobs.advance(former, { status: 'done' }, NOW + 2)), null);
  });
});

/** Times of that kind over ten seconds, and why. */
const LONGER: Readonly<Record<string, string>> = {
  'actors/services/ai-reply/documents.ts STALE_MS':
    'no claim: the job belongs to an actor, and is ordered again only when the order was lost',
  'actors/services/messaging/idempotency.ts NETWORK_CALL_MS': 'the device may be on another node, and goes on asking the network',
  'actors/services/agents/team.ts SETTLE_AFTER_MS': 'no claim: a departure is processed again, in case its process died',
  'actors/services/live/connection-limit.ts SEAT_LIFE_MS':
    'not stored: a seat in Redis, which each live stream renews; a shorter one would multiply the calls to Redis',
  'actors/services/move-in/move-in.ts INTERRUPTED_AFTER_MS': 'no claim: what is shown; another move-in can begin at once',
  'actors/services/privacy/erasure.ts SETTLED_WITHIN_MS': 'no claim: the network may still acknowledge a message that is on the wire',
  'store/auto-reply/auto-replies.ts CLAIMS_KEPT_MS': 'no claim: a message is answered once',
  'store/media/media-usage.ts RESERVED_MS': 'no claim: bytes that count towards the limit',
  'store/privacy/erasures.ts PREPARED_MS': 'no claim: an erasure that nobody was told of counts towards the limit',
};
const CLAIM_NAME =
  /const (\w*(?:CLAIM|CLAIMS|LEASE|RESERVED|ABANDONED|PREPARED|IN_FLIGHT|STALE|SENDING|NETWORK_CALL|SEAT|PART|INTERRUPTED|SETTLED?)\w*_MS) = ([\d_* ]+);/g;

describe('the source code', () => {
  it('defines no claim that lasts longer than ten seconds after its process crashes', () => {
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
