import type { LoginRefusal } from '../faults.ts';
import { children, el, isGroup, type Stanza, THE_SERVER } from '../stanza.ts';
import type { Connection, Listener } from '../wire/connection.ts';
import type { Introduction } from '../wire/noise.ts';
import { takeCall } from './calls.ts';
import { type Exchange, seconds } from './exchange.ts';
import type { Linked } from './linked.ts';
import { Logins, refuseLogin, unlink } from './logins.ts';
import { takeMessage } from './messages.ts';
import { pairDeviceSign } from './pairing.ts';
import { answer } from './queries.ts';
import type { Answer } from './query.ts';
import { takeReceipt } from './receipts.ts';

const OUTDATED = 405;

/** Routes every client stanza to the responsible part of the server. */
export class Router implements Listener {
  readonly #exchange: Exchange;
  readonly #logins: Logins;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#logins = new Logins(exchange);
  }

  introduced(connection: Connection, { payload }: Introduction): void {
    const newcomer = payload.devicePairingData;
    const build = payload.userAgent?.appVersion?.tertiary ?? 0;
    this.#exchange.journal.event('introduced', connection.name, { build, phone: String(payload.username ?? '') });
    const refused = this.#refuses(build, Boolean(newcomer?.eIdent?.length));
    if (refused) refuseLogin(this.#exchange, connection, refused);
    else if (newcomer?.eIdent?.length) this.#exchange.pairings.offer(connection, newcomer);
    else this.#enter(connection, payload);
  }

  /** Logs a client in. Without a passive login, pending stanzas follow immediately, without a request. */
  #enter(connection: Connection, { username, device, passive }: Introduction['payload']): void {
    this.#logins.enter(connection, String(username ?? ''), device ?? 0);
    const linked = this.#logins.of(connection);
    if (linked && passive === false) this.#logins.activate(linked);
  }

  #refuses(build: number, isNewcomer: boolean): Pick<LoginRefusal, 'code' | 'says'> | null {
    const { faults } = this.#exchange;
    if (faults.refusesBuild(build)) return { code: OUTDATED };
    return isNewcomer ? faults.refusesNewcomer() : null;
  }

  async heard(connection: Connection, stanza: Stanza): Promise<void> {
    if (stanza.tag === 'iq') return this.#asked(connection, stanza);
    const linked = this.#logins.of(connection);
    if (!linked) return stanza.tag === 'ack' ? this.#exchange.passkeys.acked(connection, stanza) : undefined;
    switch (stanza.tag) {
      case 'message':
        return takeMessage(this.#exchange, linked, stanza);
      case 'receipt':
        return takeReceipt(this.#exchange, linked, stanza);
      case 'ack':
        return stanza.attrs['class'] === 'message' ? linked.mailbox.takeMessage(stanza.attrs['id'] ?? '') : linked.mailbox.take(stanza);
      case 'call':
        takeCall(this.#exchange, linked, stanza);
        return connection.send(el('ack', { class: 'call', id: stanza.attrs['id'], from: stanza.attrs['to'] }));
      case 'presence':
      case 'chatstate':
        return this.#exchange.people.seesPresence(linked, stanza);
      case 'ib':
        return;
      default:
        this.#exchange.journal.event('trouble', connection.name, { what: 'unknown stanza', tag: stanza.tag });
    }
  }

  closed(connection: Connection): void {
    this.#exchange.pairings.closed(connection);
    this.#exchange.codes.closed(connection);
    this.#exchange.passkeys.closed(connection);
    this.#logins.leave(connection);
  }

  #asked(connection: Connection, iq: Stanza): void {
    const signed = pairDeviceSign(iq);
    if (signed) return this.#exchange.pairings.signed(connection, signed);
    if (iq.attrs['type'] === 'result' || iq.attrs['type'] === 'error') return;
    const [asked] = children(iq);
    if (asked?.tag === 'link_code_companion_reg')
      return reply(this.#exchange, connection, iq, this.#exchange.codes.heard(connection, asked));
    const passkey = asked && this.#exchange.passkeys.heard(connection, asked);
    if (passkey) return reply(this.#exchange, connection, iq, passkey);
    const linked = this.#logins.of(connection);
    if (!linked && iq.attrs['xmlns'] === 'w:p') return reply(this.#exchange, connection, iq, []);
    if (linked) this.#answer(connection, linked, iq);
  }

  #answer(connection: Connection, linked: Linked, iq: Stanza): void {
    const [asked] = children(iq);
    reply(this.#exchange, connection, iq, answer(this.#exchange, linked, iq));
    if (asked?.tag === 'active') this.#logins.activate(linked);
    if (asked?.tag === 'remove-companion-device') unlink(this.#exchange, linked);
  }
}

/** The response to a ping contains the time. */
function reply(exchange: Exchange, connection: Connection, iq: Stanza, said: Answer): void {
  const t = iq.attrs['xmlns'] === 'w:p' ? seconds(exchange) : undefined;
  const to = { from: isGroup(iq.attrs['to'] ?? '') ? iq.attrs['to'] : THE_SERVER, id: iq.attrs['id'], t };
  if (said === 'silence') return;
  if ('error' in said) connection.send(el('iq', { ...to, type: 'error' }, [el('error', { code: said.error, text: said.text })]));
  else connection.send(el('iq', { ...to, type: 'result' }, said));
}
