import type { NetworkFact } from '../facts.ts';
import type { Inboxes } from './inboxes.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

export type TellAccount = (digits: string, ...facts: readonly NetworkFact[]) => void;

export function accountTeller({ devices, names, clock }: SandboxDeps, inboxes: Inboxes): TellAccount {
  return (digits, ...facts) => {
    for (const device of devices.of(digits)) inboxes.put(device, { type: 'facts', token: names.message(), at: clock.now(), facts });
  };
}
