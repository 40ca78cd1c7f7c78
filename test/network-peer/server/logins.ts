import type { LoginRefusal } from '../faults.ts';
import { el, THE_SERVER } from '../stanza.ts';
import type { Connection } from '../wire/connection.ts';
import { type Exchange, seconds } from './exchange.ts';
import type { Linked } from './linked.ts';
import { announceDevice } from './notices.ts';

const UNLINKED = 401;
const BANNED = 403;

/** The active sessions, and what each receives after its login. */
export class Logins {
  readonly #exchange: Exchange;
  readonly #linked = new Map<Connection, Linked>();

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  of(connection: Connection): Linked | null {
    return this.#linked.get(connection) ?? null;
  }

  enter(connection: Connection, digits: string, device: number): void {
    const { directory, faults, journal } = this.#exchange;
    connection.phone = digits;
    connection.name = `${digits}:${device}`;
    const account = directory.account(digits);
    const linked = account.linked.get(device);
    const refused = faults.refusesLogin(digits) ?? (account.isBanned ? { code: BANNED } : null);
    const isKnown = linked?.facts.noiseKey.equals(connection.introduction.key);
    if (refused !== null || !linked || !isKnown) return refuseLogin(this.#exchange, connection, refused ?? { code: UNLINKED });
    linked.connection?.end(el('stream:error', {}, [el('conflict', { type: 'replaced' })]));
    linked.connection = connection;
    linked.isActive = false;
    this.#linked.set(connection, linked);
    journal.event('logged-in', linked.line);
    connection.send(el('success', { t: seconds(this.#exchange), lid: linked.lid, props: 27, location: 'peer' }));
  }

  /** Handles a ready session: sends all pending stanzas and, at the first login, the phone's data for a new device. */
  activate(linked: Linked): void {
    const { journal, people } = this.#exchange;
    const { waiting } = linked.mailbox;
    const count = waiting.length;
    journal.event('active', linked.line, { waiting: count });
    const counts = { count, message: count, notification: 0, receipt: 0, appdata: 0 };
    if (count) linked.connection?.send(el('ib', { from: THE_SERVER }, [el('offline_preview', counts)]));
    for (const stanza of waiting) linked.connection?.send({ ...stanza, attrs: { ...stanza.attrs, offline: '0' } });
    linked.connection?.send(el('ib', { from: THE_SERVER }, [el('offline', { count })]));
    linked.isActive = true;
    if (linked.isWelcome) return;
    linked.isWelcome = true;
    people.welcome(linked);
  }

  leave(connection: Connection): void {
    const linked = this.of(connection);
    this.#linked.delete(connection);
    if (linked?.connection !== connection) return;
    linked.connection = null;
    linked.isActive = false;
  }
}

export function refuseLogin({ journal }: Exchange, connection: Connection, { code, says }: Pick<LoginRefusal, 'code' | 'says'>): void {
  journal.event('login-refused', connection.name, { code });
  connection.end(el('failure', { reason: code, location: 'lla', ...says }));
}

/** Unlinks a device, regardless of who requested it. */
export function unlink(exchange: Exchange, linked: Linked): void {
  const { journal } = exchange;
  linked.account.linked.delete(linked.device);
  announceDevice(exchange, linked.account, 'remove', linked.device);
  journal.event('unlinked', linked.line);
  linked.connection?.end(el('stream:error', { code: UNLINKED }, [el('conflict', { type: 'device_removed' })]));
}
