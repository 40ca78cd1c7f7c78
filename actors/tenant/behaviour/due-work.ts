import type { DueWork, Released, TenantEffect } from '../protocol.ts';

/**
 * One kind of due work in the tenant actor. Only one run is active at a time; work that arrives
 * during a run triggers another run afterwards. The work itself is in the store. The state holds
 * only the phase and the next due time.
 */

export type WorkStep = readonly [work: DueWork, effects: readonly TenantEffect[]];

type Does = Extract<TenantEffect, { do: 'release' | 'bill' }>;

export const unknown: DueWork = { rev: -1, phase: 'idle', nextAt: null };

export function seen(work: DueWork, does: Does, rev: number): WorkStep {
  return rev === work.rev ? [work, []] : start({ ...work, rev }, does);
}

export function due(work: DueWork, does: Does, now: number): WorkStep {
  return work.nextAt !== null && work.nextAt <= now ? start({ ...work, nextAt: null }, does) : [work, []];
}

export function done(work: DueWork, does: Does, { more, nextAt }: Released): WorkStep {
  const drained: DueWork = { ...work, phase: 'idle', nextAt };
  return more || work.phase === 'again' ? start(drained, does) : [drained, []];
}

function start(work: DueWork, does: Does): WorkStep {
  if (work.phase !== 'idle') return [{ ...work, phase: 'again' }, []];
  return [{ ...work, phase: 'running' }, [does]];
}
