import { child, type Stanza } from '../stanza.ts';
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
