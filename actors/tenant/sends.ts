import type { Released } from '../later/release.ts';
import type { Sends, TenantEffect } from './protocol.ts';

export type SendsStep = readonly [sends: Sends, effects: readonly TenantEffect[]];

export const unknown: Sends = { rev: -1, phase: 'idle', nextAt: null };

/** The agenda as a look saw it: what was put on it since is released where it is due. */
export function seen(sends: Sends, rev: number): SendsStep {
  return rev === sends.rev ? [sends, []] : release({ ...sends, rev });
}

export function due(sends: Sends, now: number): SendsStep {
  return sends.nextAt !== null && sends.nextAt <= now ? release({ ...sends, nextAt: null }) : [sends, []];
}

export function released(sends: Sends, { more, nextAt }: Released): SendsStep {
  const rested: Sends = { ...sends, phase: 'idle', nextAt };
  return more || sends.phase === 'again' ? release(rested) : [rested, []];
}

function release(sends: Sends): SendsStep {
  if (sends.phase !== 'idle') return [{ ...sends, phase: 'again' }, []];
  return [{ ...sends, phase: 'releasing' }, [{ do: 'release' }]];
}
