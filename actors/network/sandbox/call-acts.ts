import type { CallOutcome } from '../calls.ts';
import { networkRefusal } from '../network-refusal.ts';
import type { MadeCall } from './account-pages.ts';
import { whereabouts } from './addresses.ts';
import type { Inboxes } from './inboxes.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

export type CallAct =
  | { readonly act: 'call'; readonly to: string; readonly video?: boolean; readonly group_id?: string }
  | { readonly act: 'answer' | 'hang_up' | 'miss'; readonly call_id: string };

export const CALL_ACTS = ['call', 'answer', 'hang_up', 'miss'] as const;

export const isCallAct = (order: { readonly act: string }): order is CallAct => CALL_ACTS.some((act) => act === order.act);

export function endCall(deps: SandboxDeps, inboxes: Inboxes, own: string, { act, call_id }: Extract<CallAct, { call_id: string }>): void {
  const { caller, calls } = found(deps, own, call_id);
  const isRinging = calls.some(({ state }) => state === 'ringing');
  const isOn = calls.some(({ state }) => state === 'answered');
  if (!(isRinging || (isOn && act === 'hang_up'))) throw networkRefusal(409, OVER);
  const hungUp = isOn ? 'ended' : own === caller ? 'missed' : 'rejected';
  const outcome = act === 'answer' ? 'answered' : act === 'miss' ? 'missed' : hungUp;
  for (const call of calls) became(deps, inboxes, caller, call, outcome);
}

export function became(deps: SandboxDeps, inboxes: Inboxes, caller: string, call: MadeCall, outcome: CallOutcome): void {
  const at = deps.clock.now();
  const durationMs = outcome === 'ended' && call.answeredAt !== undefined ? at - call.answeredAt : null;
  call.state = outcome;
  if (outcome === 'answered') call.answeredAt = at;
  const where = whereabouts(deps.phones.named(caller), `${call.to}@s.whatsapp.net`);
  for (const device of deps.devices.of(call.to))
    inboxes.put(device, { type: 'callEnded', token: deps.names.message(), callId: call.id, outcome, durationMs, at, ...where });
}

function found({ pages }: SandboxDeps, own: string, id: string): { readonly caller: string; readonly calls: readonly MadeCall[] } {
  const made = pages.madeCall(id);
  const calls = made?.calls.filter((call) => made.caller === own || call.to === own) ?? [];
  if (!made || calls.length === 0) throw networkRefusal(404);
  return { caller: made.caller, calls };
}

const OVER = { en: 'the call is over', id: 'panggilan sudah selesai' };
