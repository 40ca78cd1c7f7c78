import { forAtMost } from '../../../../runtime/clock.ts';
import { RecentCache } from '../../../../runtime/recent-cache.ts';
import type { CallOutcome } from '../../calls.ts';
import type { KeptEvent } from '../../port.ts';
import type { BinaryNode } from '../library.ts';
import { attempt, type ConnectionContext } from '../session/connection-context.ts';

const REMEMBERED = 200;

/** When each call was answered on the phone (epoch ms); null while it rings. */
type Ringing = RecentCache<string, number | null>;

/** Replaces the library's handler, which acknowledges calls before they can be stored. */
export function handleCalls(context: ConnectionContext): void {
  const { ws } = context.socket;
  const ringing: Ringing = new RecentCache(REMEMBERED);
  ws.removeAllListeners('CB:call');
  ws.on('CB:call', (node: BinaryNode) => {
    const acknowledge = (): void => attempt(context, 'an ack', () => context.socket.sendMessageAck(node));
    attempt(context, 'a call', async () => {
      const told = await eventsOf(context, node, ringing);
      keepAll(context, told, acknowledge);
    });
  });
}

function keepAll(context: ConnectionContext, [first, ...others]: readonly KeptEvent[], stored: () => void): void {
  if (first) context.keep(first, () => keepAll(context, others, stored));
  else stored();
}

async function eventsOf(context: ConnectionContext, { attrs, content }: BinaryNode, ringing: Ringing): Promise<readonly KeptEvent[]> {
  const { library } = context;
  const { from: chat, t } = attrs;
  const inside = Array.isArray(content) ? content[0] : undefined;
  if (!chat || !inside) return [];
  const { 'call-id': callId, from: own, 'call-creator': creator, caller_pn: number, 'group-jid': group } = inside.attrs;
  const from = own || creator;
  if (!callId || !from) return [];
  const at = Number(t ?? 0) * 1_000;
  const begins = inside.tag === 'offer' || inside.tag === 'offer_notice';
  const outcome = begins ? null : outcomeOf(context, inside, from, ringing.get(callId));
  if (!begins && outcome === null) return [];
  const who = { from, ...(number && (await isNumberOf(context, number, from)) && { fromAlt: number, chatAlt: number }) };
  const ended = (what: CallOutcome, durationMs: number | null): KeptEvent => {
    return { type: 'callEnded', token: `call ${callId} ${what}`, callId, outcome: what, durationMs, at, chat: from, ...who };
  };
  if (outcome !== null) {
    const durationMs = durationOf(outcome, at, ringing.get(callId));
    if (outcome === 'answered') ringing.set(callId, at);
    return [ended(outcome, durationMs)];
  }
  const video = inside.attrs['media'] === 'video' || library.getBinaryNodeChild(inside, 'video') !== undefined;
  const call: KeptEvent = { type: 'call', token: `call ${callId}`, callId, video, ...(group && { group }), at, chat, ...who };
  // A call that arrived while this device was offline is no longer ringing, so report it as missed.
  if (attrs['offline'] !== undefined) return [call, ended('missed', null)];
  ringing.set(callId, null);
  return [call];
}

const durationOf = (outcome: CallOutcome, at: number, since: number | null | undefined): number | null =>
  outcome === 'ended' && typeof since === 'number' ? Math.max(0, at - since) : null;

function outcomeOf(
  { library, creds: { me } }: ConnectionContext,
  { tag, attrs: { reason, from, 'call-creator': creator } }: BinaryNode,
  caller: string,
  since: number | null | undefined,
): CallOutcome | null {
  if (creator && isOurs(creator)) return null;
  if (tag === 'accept') return isOurs(from ?? caller) || since === null ? 'answered' : null;
  if (tag === 'reject') return 'rejected';
  if (tag !== 'terminate') return null;
  if (reason === 'accepted_elsewhere') return 'answered';
  if (reason === 'rejected_elsewhere') return 'rejected';
  return reason !== 'timeout' && typeof since === 'number' ? 'ended' : 'missed';

  function isOurs(jid: string): boolean {
    return library.areJidsSameUser(jid, me.id) || library.areJidsSameUser(jid, me.lid);
  }
}

/** Whether the number belongs to the caller. Callers can claim any number, so it needs confirmation. */
async function isNumberOf({ library, socket, clock }: ConnectionContext, number: string, caller: string): Promise<boolean> {
  if (!library.isLidUser(caller) || !library.isPnUser(number)) return false;
  const asking = socket.signalRepository.lidMapping.getLIDForPN(number).catch(() => null);
  let lid: string | null = null;
  const answered = asking.then((found) => {
    lid = found;
  });
  await forAtMost(clock, CALLER_FOUND_WITHIN_MS, answered);
  return library.areJidsSameUser(lid ?? undefined, caller);
}

const CALLER_FOUND_WITHIN_MS = 3_000;
