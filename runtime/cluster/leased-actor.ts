/**
 * Makes a kind of actor wake only under its lease, and checks the lease before each effect that is
 * not fenced. Callers of an actor that another node holds get ELSEWHERE.
 */

import type { ActorKind, EffectHandler, Self } from '../actor-system/actor.ts';
import type { Tagged, TaggedEffect } from '../actor-system/behaviour.ts';
import { runtimeRefusal } from '../errors.ts';
import type { Lease, Leases } from './port.ts';

/**
 * `network` effects are visible outside the gateway. `guarded` effects write without a fencing
 * epoch. `fenced` effects need no lease check.
 */
export type EffectScope = 'network' | 'guarded' | 'fenced';

export type EffectScopes<Effect extends TaggedEffect> = Readonly<Record<Effect['do'], EffectScope>>;

export interface LeasedKind<Args, State, C extends Tagged, E extends Tagged, Effect extends TaggedEffect>
  extends Omit<ActorKind<Args, State, C, E, Effect>, 'effectHandler'> {
  readonly effectScopes: EffectScopes<Effect>;
  /** `lease` is for work that outlives its effect. It is held until the handler's `release` finishes. */
  effectHandler(id: string, self: Self<E>, args: Args, lease: Lease): EffectHandler<Effect>;
  /** Event for a lost or doubtful lease. The actor must stop immediately and write nothing. */
  readonly lost: E;
}

interface Held<Args> {
  readonly args: Args;
  readonly lease: Lease;
}

export interface Leased<Args, State, C extends Tagged, E extends Tagged, Effect extends TaggedEffect> {
  readonly kind: ActorKind<Held<Args>, State, C, E, Effect>;
  /** Resolves once a stopped actor has released its lease, even if it was stopped while waking. */
  gone(id: string): Promise<void>;
  allGone(): Promise<unknown>;
}

export const leaseKey = (kind: string, id: string): string => `${kind}/${id}`;

export function leased<Args, State, C extends Tagged, E extends Tagged, Effect extends TaggedEffect>(
  inner: LeasedKind<Args, State, C, E, Effect>,
  leases: Leases,
  lost?: (kind: string) => void,
): Leased<Args, State, C, E, Effect> {
  const { kind: name } = inner.behaviour;
  const waking = new Map<string, Promise<unknown>>();
  const ending = new Map<string, Promise<void>>();
  const needsLease = new Set(Object.entries(inner.effectScopes).flatMap(([effect, scope]) => (scope === 'fenced' ? [] : [effect])));

  const gone = async (id: string): Promise<void> => {
    await waking.get(id)?.catch(() => undefined);
    await ending.get(id);
  };

  function free(id: string, lease: Lease, closed: Promise<unknown>): void {
    const ended = closed
      .catch(() => undefined)
      .then(() => leases.release(lease))
      .finally(() => {
        if (ending.get(id) === ended) ending.delete(id);
      });
    ending.set(id, ended);
  }

  async function take(id: string): Promise<Held<Args> | null> {
    // Waits until the previous incarnation has stopped, because it may still be closing its socket.
    await gone(id);
    const lease = await leases.acquire(leaseKey(name, id));
    if (!lease) throw runtimeRefusal('ELSEWHERE');
    const args = await Promise.resolve(inner.wake(id)).catch(async (cause) => {
      await leases.release(lease);
      throw cause;
    });
    if (args !== null) return { args, lease };
    await leases.release(lease);
    return null;
  }

  const kind: ActorKind<Held<Args>, State, C, E, Effect> = {
    ...inner,
    behaviour: { ...inner.behaviour, start: ({ args }, now) => inner.behaviour.start(args, now) },

    wake(id) {
      const woken = take(id).finally(() => {
        if (waking.get(id) === woken) waking.delete(id);
      });
      waking.set(id, woken);
      return woken;
    },

    abandon: (id, { lease }) => free(id, lease, Promise.resolve()),

    effectHandler(id, self, { args, lease }) {
      const effectHandler = inner.effectHandler(id, self, args, lease);
      lease.onLost(() => {
        lost?.(name);
        self.receive(inner.lost);
      });
      return {
        perform(effect) {
          if (needsLease.has(effect.do) && !lease.isSafe()) return self.receive(inner.lost);
          effectHandler.perform(effect);
        },
        release: () => free(id, lease, Promise.resolve(effectHandler.release?.())),
      };
    },
  };
  return { kind, gone, allGone: () => Promise.all([...waking.keys(), ...ending.keys()].map(gone)) };
}
