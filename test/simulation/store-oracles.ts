import { CAMPAIGN_TRANSITIONS } from '../../store/campaigns/campaign-status.ts';
import { MESSAGE_TRANSITIONS } from '../../store/messaging/message-status.ts';
import type { Row } from '../support/simulated-mongo/table.ts';
import type { World } from './world.ts';

type Moves = Readonly<Record<string, readonly string[]>>;
const MOVES: Readonly<Record<string, Moves>> = { messages: MESSAGE_TRANSITIONS, campaigns: CAMPAIGN_TRANSITIONS };
/** Collections whose rows have one owner at a time, numbered by `epoch`. */
const OWNED: ReadonlySet<string> = new Set(['devices', 'campaigns']);

/**
 * Checks promises at each write in the store itself, because a missing condition of a write may have no visible effect
 * for hundreds of worlds. Tracks which process received which epoch, and thereby detects late writes of former owners.
 */
export class StoreOracles {
  /** Time since which a person has been opted out, by `<tenant>:<digits>`. */
  readonly optedOut = new Map<string, number>();
  readonly #world: World;
  /** The epoch given to a process, by `<process> <row>`. */
  readonly #granted = new Map<string, number>();
  /** Messages whose quota was refunded, until they use quota again. */
  readonly #refunded = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    world.mongo.changed = (table, before, after) => this.#changed(table, before, after);
  }

  #changed(table: string, before: Row | null, after: Row | null): void {
    if (before && after) {
      this.#expectMove(table, before, after);
      this.#expectEpoch(table, before, after);
      if (table === 'devices') this.#expectLogins(before, after);
    }
    if (after && OWNED.has(table)) this.#grant(before, after);
    if (after && table === 'usage') this.#expectQuota(after);
    if (after && table === 'messages') {
      this.#expectOwned(before, after);
      this.#expectOneRefund(before, after);
    }
    if (table === 'consents') this.#noteConsent(after ?? before, after);
  }

  #expectMove(table: string, before: Row, after: Row): void {
    const [from, to] = [String(before['status']), String(after['status'])];
    const moves = MOVES[table];
    if (!moves || from === to || moves[from]?.includes(to)) return;
    this.#world.history.violated('moves of a status', `${table} ${after._id} went from ${from} to ${to}`);
  }

  #expectEpoch(table: string, before: Row, after: Row): void {
    const [was, is] = [before['epoch'], after['epoch']];
    if (typeof was !== 'number' || typeof is !== 'number') return;
    const { history, writer } = this.#world;
    if (is < was) history.violated('epochs only rise', `${table} ${after._id} went from epoch ${was} to ${is}, by ${writer.process}`);
    const own = this.#granted.get(`${writer.process} ${after._id}`);
    if (!OWNED.has(table) || is !== was || own === undefined || own >= was || !setsStatus(writer.args)) return;
    const detail = `${writer.process} wrote ${table} ${after._id} in the name of epoch ${own}, which is at ${was}`;
    history.violated('no write of an older epoch', detail);
  }

  #grant(before: Row | null, after: Row): void {
    const [was, is] = [before?.['epoch'], after['epoch']];
    if (typeof is === 'number' && (typeof was !== 'number' || is > was)) {
      this.#granted.set(`${this.#world.writer.process} ${after._id}`, is);
      this.#world.history.note(`${this.#world.writer.process} owns ${after._id} (epoch ${is})`);
    }
  }

  /**
   * Only the owner of a device may claim its rows. A late claim is allowed only if no later owner has touched the row.
   */
  #expectOwned(before: Row | null, after: Row): void {
    if (!before || before['status'] === 'sending' || after['status'] !== 'sending') return;
    const device = this.#world.mongo.row('devices', String(after['session_id']));
    if (Number(after['epoch']) < Number(device?.['epoch'])) this.#world.history.remark('a row was claimed in the name of an older epoch');
  }

  /**
   * A device keeps its login times of a day, and worlds are shorter. One that starts from a row that was read before its
   * lease writes an older list back.
   */
  #expectLogins(before: Row, after: Row): void {
    const kept = new Set(loginsOf(after));
    const lost = loginsOf(before).filter((at) => !kept.has(at));
    if (lost.length === 0) return;
    const { history, writer } = this.#world;
    history.violated('a device forgets no login', `${writer.process} removed the logins ${lost} of ${after._id}`);
  }

  #expectOneRefund(before: Row | null, after: Row): void {
    if (before?.['quota_month'] === null && after['quota_month'] !== null) this.#refunded.delete(after._id);
    const { refund } = after;
    if (typeof refund !== 'string' || refund === before?.['refund']) return;
    if (this.#refunded.has(after._id))
      this.#world.history.violated('one refund for a message', `${after._id} got the refund ${refund}, too`);
    this.#refunded.add(after._id);
  }

  #expectQuota(after: Row): void {
    const used = Number(after['messages']);
    const { history, quota } = this.#world;
    if (used > quota) history.violated('quota never over', `${after._id} is at ${used} of ${quota}`);
    if (used < 0) history.violated('quota never below zero', `${after._id} is at ${used}`);
  }

  #noteConsent(row: Row | null, after: Row | null): void {
    if (!row) return;
    if (after?.['status'] !== 'opted_out') this.optedOut.delete(row._id);
    else if (!this.optedOut.has(row._id)) this.optedOut.set(row._id, this.#world.time.monotonic());
  }
}

const loginsOf = ({ reconnects }: Row): readonly unknown[] => (Array.isArray(reconnects) ? reconnects : []);

function setsStatus([, update]: readonly unknown[]): boolean {
  const set = typeof update === 'object' && update !== null && '$set' in update ? update.$set : null;
  return typeof set === 'object' && set !== null && 'status' in set;
}
