import { type ClusteredKind, movable } from '../../runtime/cluster/cluster-actors.ts';
import { DRAIN_ORDER } from '../drain-order.ts';
import { jobs } from './behaviour/jobs.ts';
import { JobsEffects, type JobsEffectsDeps } from './effects/job-effects.ts';
import { JOBS_EFFECTS, type JobsCommand, type JobsEffect, type JobsEvent, type JobsState } from './protocol.ts';

export type JobsKind = ClusteredKind<string, JobsState, JobsCommand, JobsEvent, JobsEffect>;

const WEIGHT = 0.5;

/** Steps are idempotent, because a paused process may have lost its lease and repeat a step. */
export function jobsKind(deps: JobsEffectsDeps): JobsKind {
  return {
    behaviour: jobs,
    policy: { restart: 'transient', atMost: 5, withinMs: 60_000, backoffMs: (failures) => 250 * 2 ** failures },
    mailboxLimit: 1_000,
    sleepAfterMs: 60_000,
    wake: (tenantId) => tenantId,
    effectScopes: JOBS_EFFECTS,
    effectHandler: (tenantId, self) => new JobsEffects(deps, tenantId, self),
    lost: { type: 'fenced' },

    drainOrder: DRAIN_ORDER.jobs,
    drain: (actor, _must, timeoutMs) => actor.ask({ type: 'drain' }, timeoutMs),
    wanted: async () => (await deps.jobs.waiting()).map((tenantId) => movable(tenantId, WEIGHT)),
  };
}
