import { child, el, type Stanza } from '../stanza.ts';
import type { Account } from './account.ts';
import type { Exchange } from './exchange.ts';
import type { Linked } from './linked.ts';

/** An outgoing call. */
export interface Call {
  readonly id: string;
  /** Called number, as digits. */
  readonly to: string;
  state: 'ringing' | 'rejected' | 'over';
}

/** `number`: caller's number as its client reports it. */
export interface CallForm {
  readonly video?: boolean;
  readonly number?: string | null;
  /** Group whose members are called. */
  readonly group?: string;
}

export const offerOf = (attrs: Parameters<typeof el>[1], { video = false, group }: CallForm): Stanza =>
  el('offer', { ...attrs, ...(group !== undefined && { 'group-jid': group }) }, [el(video ? 'video' : 'audio', {})]);

/** Notifies that a call from `caller` was answered on another device of the account. */
export function acceptedElsewhere(caller: string, id: string, t: number): Stanza {
  const accepted = el('terminate', { 'call-id': id, reason: 'accepted_elsewhere', 'call-creator': caller });
  return el('call', { from: caller, id: `${id}-elsewhere`, t }, [accepted]);
}

/** Records that a person calls or gives up. */
export function noteCall(from: Account, to: Account | null, id: string, what: string): void {
  const call = from.calls.find((each) => each.id === id);
  if (call) call.state = 'over';
  else if (what === 'offer' && to) from.calls.push({ id, to: to.digits, state: 'ringing' });
}

/** Handles a computer's rejection, which names the call and its caller. The caller's phone stops ringing. */
export function takeCall({ directory, journal }: Exchange, { account, line }: Linked, stanza: Stanza): void {
  const reject = child(stanza, 'reject');
  if (!reject) return;
  const { 'call-id': id, 'call-creator': creator = '', count } = reject.attrs;
  const caller = directory.of(stanza.attrs['to'] ?? '');
  const call = caller?.calls.find((each) => each.id === id && each.to === account.digits);
  if (!call || directory.of(creator) !== caller || count !== '0')
    return journal.event('violation', line, { what: 'rejects no call', id, creator });
  if (call.state === 'ringing') call.state = 'rejected';
}
