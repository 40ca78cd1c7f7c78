/** permanent: always restart. transient: restart only after a failure. temporary: never restart. */
export type Restart = 'permanent' | 'transient' | 'temporary';

/** After more than `atMost` failures within `withinMs`, the actor is no longer restarted. */
export interface RestartPolicy {
  readonly restart: Restart;
  readonly atMost: number;
  readonly withinMs: number;
  readonly backoffMs: (failures: number) => number;
}

export type RestartDecision =
  | { readonly do: 'restart'; readonly afterMs: number; readonly failures: readonly number[] }
  | { readonly do: 'stop' }
  | { readonly do: 'escalate' };

export function decideRestart(
  policy: RestartPolicy,
  ended: 'normally' | 'in failure',
  failures: readonly number[],
  now: number,
): RestartDecision {
  if (policy.restart === 'temporary') return ended === 'normally' ? { do: 'stop' } : { do: 'escalate' };
  if (policy.restart === 'transient' && ended === 'normally') return { do: 'stop' };

  const recent = [...failures.filter((at) => now - at < policy.withinMs), now];
  if (recent.length > policy.atMost) return { do: 'escalate' };
  return { do: 'restart', afterMs: policy.backoffMs(recent.length), failures: recent };
}
