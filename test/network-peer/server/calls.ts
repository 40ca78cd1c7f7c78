import { child, el, type Stanza } from '../stanza.ts';
import type { Account } from './account.ts';
import type { Exchange } from './exchange.ts';
import type { Linked } from './linked.ts';

/** A call that somebody made. */
export interface Call {
  readonly id: string;
  /** Digits. */
  readonly to: string;
  state: 'ringing' | 'rejected' | 'over';
}

/** `number`: whose number its client says is calling. */
export interface CallForm {
  readonly video?: boolean;
  readonly number?: string | null;
  /** The group whose members are called. */
  readonly group?: string;
}

export const offerOf = (attrs: Parameters<typeof el>[1], { video = false, group }: CallForm): Stanza =>
  el('offer', { ...attrs, ...(group !== undefined && { 'group-jid': group }) }, [el(video ? 'video' : 'audio', {})]);

/** A call of `caller` was answered on another device of the account. */
export function acceptedElsewhere(caller: string, id: string, t: number): Stanza {
  const accepted = el('terminate', { 'call-id': id, reason: 'accepted_elsewhere', 'call-creator': caller });
  return el('call', { from: caller, id: `${id}-elsewhere`, t }, [accepted]);
}

/** A person calls, or gives up. */
export function noteCall(from: Account, to: Account | null, id: string, what: string): void {
  const call = from.calls.find((each) => each.id === id);
  if (call) call.state = 'over';
  else if (what === 'offer' && to) from.calls.push({ id, to: to.digits, state: 'ringing' });
}

/** A computer rejects a call: it names the call and who made it, and the caller's phone stops to ring. */
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
