import type { Logger } from 'pino';
import type { EffectHandler, Self } from '../../../runtime/actor-system/actor.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { JobPatch, JobRow, Jobs } from '../../../store/jobs/jobs.ts';
import type { JobsEffect, JobsEvent } from '../protocol.ts';

export interface JobsEffectsDeps {
  readonly jobs: Jobs;
  readonly step: (job: JobRow, now: number) => Promise<JobPatch>;
  readonly isStoreDown: (cause: unknown) => boolean;
  readonly isOverloaded: (cause: unknown) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A job fails after this many failures in a row, so that the jobs after it can run. */
const MAX_FAILURES = 5;

export class JobsEffects implements EffectHandler<JobsEffect> {
  readonly #deps: JobsEffectsDeps;
  readonly #tenantId: string;
  readonly #self: Self<JobsEvent>;

  constructor(deps: JobsEffectsDeps, tenantId: string, self: Self<JobsEvent>) {
    this.#deps = deps;
    this.#tenantId = tenantId;
    this.#self = self;
  }

  perform(_step: JobsEffect): void {
    this.#work().then(
      (type) => this.#self.receive({ type }),
      (cause) => {
        this.#deps.log.error({ event: 'job.store_error', err: cause, tenant: this.#tenantId }, 'job step failed: store error');
        this.#self.receive({ type: 'stepFailed' });
      },
    );
  }

  async #work(): Promise<'stepDone' | 'nothingLeft' | 'stepFailed'> {
    const { jobs, clock } = this.#deps;
    const job = await jobs.next(this.#tenantId);
    if (!job) return 'nothingLeft';
    const { patch, isFailure } = await this.#step(job);
    await jobs.advance(job, patch, clock.now());
    return isFailure ? 'stepFailed' : 'stepDone';
  }

  async #step(job: JobRow): Promise<{ patch: JobPatch; isFailure: boolean }> {
    const { step, isStoreDown, isOverloaded, clock, log } = this.#deps;
    try {
      return { patch: await step(job, clock.now()), isFailure: false };
    } catch (cause) {
      if (isStoreDown(cause)) throw cause;
      if (isOverloaded(cause)) {
        log.warn(
          { event: 'job.step_postponed', err: cause, tenant: this.#tenantId, job: job._id },
          'job step postponed: the gateway is overloaded',
        );
        return { patch: {}, isFailure: true };
      }
      log.error({ event: 'job.step_failed', err: cause, tenant: this.#tenantId, job: job._id }, 'job step failed');
      const failures = job.failures + 1;
      return { patch: { failures, ...(failures >= MAX_FAILURES && { status: 'failed' as const }) }, isFailure: true };
    }
  }
}
