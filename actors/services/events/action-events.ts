import type { MessageAddress } from '../../domain/message-address.ts';
import type { CallEnd } from '../../network/calls.ts';
import type { InboundAction, InboundCall } from '../../network/port.ts';
import { person } from './message-events.ts';
import type { Draft } from './types.ts';

export function voteEvent(
  sessionId: string,
  { netId, target, choices, fromName, at }: InboundAction & { readonly choices: readonly string[] },
  { place, message_id }: { readonly place: MessageAddress; readonly message_id: string | null },
): Draft {
  const data = { message_id, wa_message_id: target, ...chat(place), choices, voter: writer(place, fromName) };
  return { session_id: sessionId, type: 'poll.vote', row: `vote ${sessionId}:${netId}`, occurred_at: at, data };
}

export function callEvent(sessionId: string, { callId, video, group, at }: InboundCall, place: MessageAddress): Draft {
  const data = { call_id: callId, ...chat(place), video, group_id: group ?? null, caller: writer(place, null) };
  return { session_id: sessionId, type: 'call.received', row: `call ${sessionId}:${callId}`, occurred_at: at, data };
}

export function callEndEvent(sessionId: string, { callId, outcome, durationMs, at }: CallEnd, place: MessageAddress): Draft {
  const data = { call_id: callId, ...chat(place), caller: writer(place, null), outcome, duration_ms: durationMs };
  return { session_id: sessionId, type: 'call.ended', row: `call ${sessionId}:${callId} ${outcome}`, occurred_at: at, data };
}

const chat = ({ chat, from, lid }: MessageAddress) => person(chat, chat === from ? lid : null);
const writer = ({ from, lid }: MessageAddress, name: string | null) => ({ ...person(from, lid), username: null, name });
