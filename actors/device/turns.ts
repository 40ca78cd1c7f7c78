import type { DeviceDays } from '../../store/device-days.ts';
import type { MessageRow, Messages, Owner } from '../../store/messages.ts';
import { ASIDE, type Queue } from '../../store/queue.ts';
import { isLid, phoneOf } from '../network/jid.ts';
import { isCampaign, lanesBehind } from './pace.ts';
import { GATES, type Gate, type Turn } from './protocol.ts';

export interface TurnPorts {
  readonly messages: Pick<Messages, 'claim'>;
  readonly queue: Queue;
  readonly days: DeviceDays;
}

/** So much of what may leave. */
interface Portion extends Turn {
  readonly limit: number;
}

export interface Taken {
  readonly rows: readonly MessageRow[];
  /** The young device has sent what it may today. */
  readonly isSpent: boolean;
}

const WINDOW = 50;
const MOST_ROUNDS = 20;
const MOST_SERVED = 500;
const KEPT_MS = 86_400_000;

/**
 * Whose turn it is on a device. Where its pace is watched, first contacts are put aside, and each chat waits for the others once. Of what
 * campaigns send, one message at a time is taken, the last of what is taken with it.
 */
export class Turns {
  readonly #ports: TurnPorts;
  readonly #owner: Owner;
  /** Chats that had their turn in this round. */
  #served = new Set<string>();
  /** Chats that had their first contact from here; it is perhaps not seen in the store yet. */
  #met = new Set<string>();

  constructor(ports: TurnPorts, owner: Owner) {
    this.#ports = ports;
    this.#owner = owner;
  }

  /** No rows: none waits, as far as may leave. */
  async take(portion: Portion, now: number): Promise<Taken> {
    for (let round = 0; ; round += 1) {
      const { rows: chosen, isSpent } = await this.choose(portion);
      const rows = await this.claim(chosen, portion.day, now);
      // Cancelled or withheld meanwhile: others may wait behind them.
      if (rows.length > 0 || chosen.length === 0 || round === MOST_ROUNDS) return { rows, isSpent };
    }
  }

  /** Who would be taken now; they stay where they wait. */
  async choose({ limit, gate, day, isWatched }: Portion): Promise<Taken> {
    if (!isWatched) return { rows: upToCampaign(await this.#window(gate, limit)), isSpent: false };
    const left = day ? day.limit - (await this.#ports.days.sent(this.#owner.sessionId, day.name)) : limit;
    const rows = await this.#inTurn(left > 0 ? Math.min(limit, left) : limit, left > 0 ? gate : GATES.replies);
    return { rows, isSpent: day !== null && left <= 0 };
  }

  /** Those of them that still wait. A crash before what was claimed is counted lets a young device send that much more on its day. */
  async claim(chosen: readonly MessageRow[], day: Turn['day'], now: number): Promise<readonly MessageRow[]> {
    const { messages, days } = this.#ports;
    const rows = chosen.length > 0 ? await messages.claim(this.#owner, chosen, now) : [];
    if (day && rows.length > 0) await days.add(this.#owner.sessionId, day.name, rows.length, day.endsAt + KEPT_MS);
    for (const { lane, chat_id } of rows) if (lane >= ASIDE) await this.#meet(chat_id);
    return rows;
  }

  #window(gate: Gate, limit: number): Promise<MessageRow[]> {
    return this.#ports.queue.window(this.#owner, lanesBehind(gate), limit);
  }

  async #meet(chat: string): Promise<void> {
    if (this.#met.size >= MOST_SERVED) this.#met = new Set();
    this.#met.add(chat);
    await this.#ports.queue.readmit(this.#owner, chat);
  }

  async #inTurn(limit: number, gate: Gate): Promise<readonly MessageRow[]> {
    const waiting = await this.#waiting(gate);
    const chosen: MessageRow[] = [];
    while (chosen.length < limit && waiting.length > 0) {
      const row = await this.#next(waiting);
      chosen.push(row);
      if (isCampaign(row)) break;
      const at = waiting.findIndex(({ _id }) => _id === row._id);
      if (at >= 0) waiting.splice(at, 1);
      else break;
    }
    return chosen;
  }

  /** What waits behind the gate, but for first contacts that were not seen to be such before: they go behind everybody. */
  async #waiting(gate: Gate): Promise<MessageRow[]> {
    const { queue } = this.#ports;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const rows = await this.#window(gate, WINDOW);
      const fresh = rows.filter(({ lane, chat_id }) => lane < ASIDE && isPerson(chat_id) && !this.#met.has(chat_id));
      const chats = [...new Set(fresh.map(({ chat_id }) => chat_id))];
      const strangers = chats.length > 0 ? await queue.strangers(this.#owner, chats) : new Set();
      const aside = fresh.filter(({ chat_id }) => strangers.has(chat_id));
      if (aside.length > 0) await queue.setAside(aside.map(({ _id }) => _id));
      const rest = rows.filter((row) => !aside.includes(row));
      if (rest.length > 0 || aside.length === 0) return rest;
    }
    return [];
  }

  /** The first, or the first of its lane and priority that is for a chat which had no turn yet. */
  async #next(waiting: readonly MessageRow[]): Promise<MessageRow> {
    const [head] = waiting;
    const row = (await this.#unserved(head!, waiting)) ?? head!;
    if (this.#served.has(row.chat_id) || this.#served.size >= MOST_SERVED) this.#served = new Set();
    this.#served.add(row.chat_id);
    return row;
  }

  async #unserved(head: MessageRow, waiting: readonly MessageRow[]): Promise<MessageRow | null> {
    if (!this.#served.has(head.chat_id)) return head;
    const peers = waiting.filter(({ lane, priority }) => lane === head.lane && priority === head.priority);
    const other = peers.find(({ chat_id }) => !this.#served.has(chat_id));
    if (other || waiting.length < WINDOW) return other ?? null;
    return this.#ports.queue.otherChat(this.#owner, head, this.#served);
  }
}

function upToCampaign(rows: readonly MessageRow[]): readonly MessageRow[] {
  const first = rows.findIndex(isCampaign);
  return first < 0 ? rows : rows.slice(0, first + 1);
}

const isPerson = (chat: string): boolean => phoneOf(chat) !== null || isLid(chat);
