import type { DeviceDays } from '../../../store/devices/device-days.ts';
import { FIRST_CONTACT } from '../../../store/messaging/message-row.ts';
import type { MessageRow, Messages, Owner } from '../../../store/messaging/messages.ts';
import type { SendQueue } from '../../../store/sending/send-queue.ts';
import { isLid, phoneOf } from '../../network/jid.ts';
import { GATES, type Gate, type SendBudget } from '../behaviour/facts.ts';
import { nextInTurn, servedWith } from '../behaviour/fair-choice.ts';
import { isCampaign, lanesBehind } from '../behaviour/pacing.ts';
import type { DeviceTimers } from './device-timers.ts';
import type { Unheard } from './unheard.ts';

export interface SendSchedulerDeps {
  readonly messages: Pick<Messages, 'claim'>;
  readonly queue: SendQueue;
  readonly days: DeviceDays;
  readonly unheard: Pick<Unheard, 'among'>;
  readonly timers: Pick<DeviceTimers, 'of'>;
}

interface Portion extends SendBudget {
  readonly limit: number;
}

export interface Selection {
  readonly rows: readonly MessageRow[];
  readonly isSpent: boolean;
  readonly areAll: boolean;
  readonly isUnfinished: boolean;
  readonly unheard?: readonly string[];
}

export interface Claim {
  readonly rows: readonly MessageRow[];
  /** Chats whose campaign messages were not claimed, because a message received there may be a STOP. */
  readonly unheard: readonly string[];
}

const READ_AHEAD = 50;
const MAX_ROUNDS = 20;
const MAX_MET = 500;
const KEPT_MS = 86_400_000;

/** While limits apply (`isWatched`), chats take turns and first contacts come last. */
export class SendScheduler {
  readonly #deps: SendSchedulerDeps;
  readonly #owner: Owner;
  readonly #withheld: () => void;
  #served: ReadonlySet<string> = new Set();
  /** Chats to which this process has sent a first message. The store may not show these messages yet. */
  #met = new Set<string>();

  /** `withheld` is called if chosen messages expired or were cancelled before the claim. */
  constructor(deps: SendSchedulerDeps, owner: Owner, withheld: () => void = () => {}) {
    this.#deps = deps;
    this.#owner = owner;
    this.#withheld = withheld;
  }

  async take(portion: Portion, now: number): Promise<Selection> {
    for (let round = 0; ; round += 1) {
      const { rows: chosen, ...rest } = await this.choose(portion, now);
      const { rows, unheard } = await this.claim(chosen, portion.day, now);
      if (unheard.length > 0) return { rows, ...rest, areAll: false, unheard };
      if (rows.length > 0 || chosen.length === 0) return { rows, ...rest };
      // The chosen messages were cancelled or withheld, but more messages may be waiting behind them.
      if (round === MAX_ROUNDS) return { rows, ...rest, isUnfinished: true };
    }
  }

  async choose({ limit, gate, day, isWatched, campaigns }: Portion, now: number): Promise<Selection> {
    if (!isWatched) {
      const waiting = await this.#window(gate, limit, now);
      const rows = upToCampaigns(waiting, campaigns);
      return { rows, isSpent: false, areAll: waiting.length < limit && rows.length === waiting.length, isUnfinished: false };
    }
    const left = day ? day.limit - (await this.#deps.days.sent(this.#owner.sessionId, day.name)) : limit;
    const turn = await this.#inTurn(left > 0 ? Math.min(limit, left) : limit, left > 0 ? gate : GATES.replies, now);
    return { ...turn, isSpent: day !== null && left <= 0, areAll: false };
  }

  /** A crash before the claimed messages are counted may let the device exceed the day's warm-up limit. */
  async claim(chosen: readonly MessageRow[], day: SendBudget['day'], now: number): Promise<Claim> {
    const { messages, days, timers } = this.#deps;
    // Withhold campaign messages if the recipient's last message may be a STOP that is not processed yet.
    const campaigns = chosen.filter(isCampaign);
    const unheard = campaigns.length > 0 ? this.#deps.unheard.among(campaigns.map(({ chat_id }) => chat_id)) : [];
    const free = unheard.length > 0 ? chosen.filter((row) => !(isCampaign(row) && unheard.includes(row.chat_id))) : chosen;
    const rows = free.length > 0 ? await messages.claim(this.#owner, free, now, timers.of) : [];
    if (rows.length < free.length) this.#withheld();
    if (day && rows.length > 0)
      await days.add(this.#owner.sessionId, day.name, rows.filter(({ backoff }) => !backoff).length, day.endsAt + KEPT_MS);
    for (const { lane, chat_id } of rows) if (lane >= FIRST_CONTACT) await this.#meet(chat_id);
    return { rows, unheard };
  }

  #window(gate: Gate, limit: number, now: number): Promise<MessageRow[]> {
    return this.#deps.queue.window(this.#owner, lanesBehind(gate), limit, now);
  }

  async #meet(chat: string): Promise<void> {
    if (this.#met.size >= MAX_MET) this.#met = new Set();
    this.#met.add(chat);
    await this.#deps.queue.readmit(this.#owner, chat);
  }

  async #inTurn(limit: number, gate: Gate, now: number): Promise<Pick<Selection, 'rows' | 'isUnfinished'>> {
    const { rows: waiting, isUnfinished } = await this.#waiting(gate, now);
    const chosen: MessageRow[] = [];
    while (chosen.length < limit) {
      const row = await this.#next(waiting, now);
      if (!row) break;
      chosen.push(row);
      if (isCampaign(row)) break;
      const at = waiting.findIndex(({ _id }) => _id === row._id);
      if (at >= 0) waiting.splice(at, 1);
      else break;
    }
    return { rows: chosen, isUnfinished };
  }

  /** Messages that turn out to be the first ones to a person are moved to the end of the queue. */
  async #waiting(gate: Gate, now: number): Promise<{ readonly rows: MessageRow[]; readonly isUnfinished: boolean }> {
    const { queue } = this.#deps;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const rows = await this.#window(gate, READ_AHEAD, now);
      const fresh = rows.filter(({ lane, chat_id }) => lane < FIRST_CONTACT && isPerson(chat_id) && !this.#met.has(chat_id));
      const chats = [...new Set(fresh.map(({ chat_id }) => chat_id))];
      const strangers = chats.length > 0 ? await queue.strangers(this.#owner, chats) : new Set();
      const aside = fresh.filter(({ chat_id }) => strangers.has(chat_id));
      if (aside.length > 0) await queue.setAside(aside.map(({ _id }) => _id));
      const rest = rows.filter((row) => !aside.includes(row));
      if (rest.length > 0 || aside.length === 0) return { rows: rest, isUnfinished: false };
    }
    return { rows: [], isUnfinished: true };
  }

  async #next(waiting: readonly MessageRow[], now: number): Promise<MessageRow | null> {
    const choice = nextInTurn(waiting, this.#served, waiting.length < READ_AHEAD);
    if (!choice) return null;
    const other = choice.isCertain ? null : await this.#deps.queue.otherChat(this.#owner, choice.row, this.#served, now);
    const row = other ?? choice.row;
    this.#served = servedWith(this.#served, row.chat_id);
    return row;
  }
}

function upToCampaigns(rows: readonly MessageRow[], campaigns: number): readonly MessageRow[] {
  let left = campaigns;
  return rows.filter((row) => !isCampaign(row) || left-- > 0);
}

const isPerson = (chat: string): boolean => phoneOf(chat) !== null || isLid(chat);
