import type { ActorKind, Hands, Self } from '../actor.ts';
import type { Tagged } from '../behaviour.ts';
import { runtimeRefusal } from '../errors.ts';
import type { Lease, Leases } from './port.ts';

/** A kind whose actors run on one node at a time. */
export interface LeasedKind<Args, State, C extends Tagged, E extends Tagged, Effect>
  extends Omit<ActorKind<Args, State, C, E, Effect>, 'hands'> {
  /** `lease.isSafe()` is asked before each effect on the outside world. `release` closes what is open; the lease is given back after it. */
  hands(id: string, self: Self<E>, args: Args, lease: Lease): Hands<Effect>;
  /** Heard when the lease is lost or in doubt: end at once, write nothing. */
  readonly lost: E;
}

interface Held<Args> {
  readonly args: Args;
  readonly lease: Lease;
}

export interface Leased<Args, State, C extends Tagged, E extends Tagged, Effect> {
  readonly kind: ActorKind<Held<Args>, State, C, E, Effect>;
  /** Resolves once an actor that was told to end has closed what it had open and its lease is free. */
  gone(id: string): Promise<void>;
}

/** The key of an actor's lease. */
export const leaseKey = (kind: string, id: string): string => `${kind}/${id}`;

/** Makes a kind wake only under its lease: askers of an actor that another node holds hear ELSEWHERE. */
export function leased<Args, State, C extends Tagged, E extends Tagged, Effect>(
  inner: LeasedKind<Args, State, C, E, Effect>,
  leases: Leases,
): Leased<Args, State, C, E, Effect> {
  const { kind: name } = inner.behaviour;
  const ending = new Map<string, Promise<void>>();

  const kind: ActorKind<Held<Args>, State, C, E, Effect> = {
    ...inner,
    behaviour: { ...inner.behaviour, start: ({ args }, now) => inner.behaviour.start(args, now) },

    async wake(id) {
      // Our own last life may still be closing its socket: two of one node would be as bad as two nodes.
      await ending.get(id);
      const lease = await leases.acquire(leaseKey(name, id));
      if (!lease) throw runtimeRefusal('ELSEWHERE');
      const args = await Promise.resolve(inner.wake(id)).catch(async (cause) => {
        await leases.release(lease);
        throw cause;
      });
      if (args !== null) return { args, lease };
      await leases.release(lease);
      return null;
    },

    abandon: (_id, { lease }) => void leases.release(lease),

    hands(id, self, { args, lease }) {
      const hands = inner.hands(id, self, args, lease);
      lease.onLost(() => self.hear(inner.lost));
      return {
        perform: (effect) => hands.perform(effect),
        release() {
          const ended = Promise.resolve(hands.release?.())
            .catch(() => undefined)
            .then(() => leases.release(lease))
            .finally(() => {
              if (ending.get(id) === ended) ending.delete(id);
            });
          ending.set(id, ended);
        },
      };
    },
  };
  return { kind, gone: async (id) => ending.get(id) };
}
