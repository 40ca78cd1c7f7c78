/**
 * A device reduced to the parts that load a cluster: it wakes under its lease, takes ownership in the store, waits for its
 * turn to log in, and stores that it is online. The lease, the lease check before each effect, the login queue and the
 * writes are the product's own. The network protocol is left out. A test compares the writes with a real gateway's.
 */
import { deviceOfActor } from '../../../actors/device/actor-id.ts';
import type { LoginRateLimiter } from '../../../actors/device/effects/login-rate-limiter.ts';
import { weigh } from '../../../actors/device/placement-weight.ts';
import { DRAIN_ORDER } from '../../../actors/drain-order.ts';
import type { ReplyTo, Step } from '../../../runtime/actor-system/behaviour.ts';
import { reply, stop } from '../../../runtime/actor-system/behaviour.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { ClusteredKind } from '../../../runtime/cluster/cluster-actors.ts';
import type { DeviceDirectory } from '../../../store/devices/device-directory.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import type { Login, Phones } from './phones.ts';

export type Command = { readonly type: 'drain'; readonly must: boolean; readonly replyTo: ReplyTo<null> } | { readonly type: 'work' };
type Event = { readonly type: 'opened' } | { readonly type: 'fenced' };
type Effect = { readonly do: 'login' } | { readonly do: 'noteOnline' };

interface Owned {
  readonly epoch: number;
}

export interface DeviceParts {
  readonly node: string;
  readonly clock: Clock;
  readonly devices: Devices;
  readonly directory: DeviceDirectory;
  readonly phones: Phones;
  readonly logins: () => LoginRateLimiter;
  /** Whether the node's process is still running. */
  readonly isAlive: () => boolean;
}

export const KIND = 'device';

export function smallDevice(parts: DeviceParts): ClusteredKind<Owned, null, Command, Event, Effect> {
  const { node, clock, devices, directory, phones } = parts;
  return {
    behaviour: { kind: KIND, start: () => [null, { do: 'login' }], handle },
    policy: { restart: 'transient', atMost: 5, withinMs: 60_000, backoffMs: (failures) => 250 * 2 ** failures },
    mailboxLimit: 1_000,
    drainOrder: DRAIN_ORDER.device,
    effectScopes: { login: 'network', noteOnline: 'fenced' },
    lost: { type: 'fenced' },
    drain: (actor, must, timeoutMs) => actor.ask({ type: 'drain', must }, timeoutMs),
    async wanted() {
      const found = await Promise.all([directory.wanted(), directory.unpublished()]);
      return found.flat().map((one) => weigh(one, clock.now()));
    },
    async wake(id) {
      const { tenantId, sessionId } = deviceOfActor(id);
      const row = await devices.own(tenantId, sessionId, node);
      return row && { epoch: row.epoch };
    },
    effectHandler(id, self, { epoch }, lease) {
      const { tenantId, sessionId } = deviceOfActor(id);
      let login: Login | null = null;
      let leave = (): void => {};
      const logIn = (): void => {
        if (!lease.isSafe()) return self.receive({ type: 'fenced' });
        login = phones.open(sessionId, epoch, parts.isAlive, () => self.receive({ type: 'opened' }));
      };
      async function noteOnline(): Promise<void> {
        const at = clock.now();
        await devices.write(tenantId, sessionId, epoch, { status: 'connected', connected_at: at, last_seen_at: at });
      }
      return {
        perform(effect) {
          if (effect.do === 'login') leave = parts.logins().enter(tenantId, logIn);
          else noteOnline().catch(() => {});
        },
        release() {
          leave();
          login?.close();
        },
      };
    },
  };
}

function handle(state: null, message: Command | Event): Step<null, Effect | ReturnType<typeof reply> | typeof stop> {
  switch (message.type) {
    case 'opened':
      return [state, { do: 'noteOnline' }];
    case 'fenced':
      return [state, stop];
    case 'drain':
      return [state, reply(message.replyTo, null)];
    case 'work':
      return [state];
  }
}
