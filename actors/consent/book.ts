import type { ConsentRow, ConsentSource, ConsentStatus, Consents, OwedEntry } from '../../store/consents.ts';
import type { EventLog } from '../events/event-log.ts';
import { person } from '../events/message-events.ts';
import type { Draft } from '../events/types.ts';
import { addressOf } from './people.ts';

/** What somebody's consent is to be. `at` is epoch ms. */
export interface Wish {
  readonly status: ConsentStatus;
  readonly source: ConsentSource;
  readonly note: string | null;
  readonly at: number;
}

/** What a person said themselves: `cause` is the message that says it, heard by the device `sessionId`; it is confirmed to them. */
export interface SaidWish extends Wish {
  readonly cause: string;
  readonly sessionId?: string;
}

export interface ConsentBookPorts {
  readonly consents: Consents;
  readonly eventLog: Pick<EventLog, 'record'>;
  /** Stops what waits for these chats and is marketing; repeating it changes nothing. */
  withhold(tenantId: string, chats: readonly string[]): Promise<void>;
  /** Confirms a change to the person, once however often it is asked. */
  confirm(row: ConsentRow, entry: OwedEntry): Promise<void>;
}

/** Changes of consent, and all that follows from them. */
export interface ConsentBook {
  /** Sets one person's; the history gets an entry whether it differs or not. */
  set(tenantId: string, who: string, wish: Wish): Promise<{ readonly row: ConsentRow; readonly changed: boolean }>;
  /**
   * Sets many people's; whose status is that already stays as it is, and whose changed since `asked` (epoch ms; the wish is carried out late
   * or again) keep what they said then. Gives how many changed.
   */
  setAll(tenantId: string, people: readonly string[], wish: Wish, asked?: number): Promise<number>;
  /** A person said it: set once, also when it is heard again after a crash. */
  hear(tenantId: string, who: string, said: SaidWish): Promise<void>;
  /** These two are the same person: what was said under the hidden address is the number's. The newer wish of the two holds. */
  unite(tenantId: string, lid: string, phone: string): Promise<void>;
  /** Does what is still owed of changes before `until`: their process died. Gives how many. */
  settleOwed(until: number): Promise<number>;
}

const SETTLED_AT_ONCE = 500;
/** More confirmations in an hour are not for people: two machines talk to each other. */
const MOST_CONFIRMED = 3;
const HOUR_MS = 3_600_000;

export function createConsentBook({ consents, eventLog, withhold, confirm }: ConsentBookPorts): ConsentBook {
  /** In the order of what must not be missed; each step may be repeated. */
  async function settle(rows: readonly ConsentRow[]): Promise<void> {
    for (const [tenantId, own] of Map.groupBy(rows, ({ tenant_id }) => tenant_id)) {
      const out = own.filter(({ status }) => status === 'opted_out');
      if (out.length > 0)
        await withhold(
          tenantId,
          out.map(({ who }) => addressOf(who)),
        );
      await consents.remember(own);
      await eventLog.record(tenantId, own.flatMap(eventsOf), { again: true });
    }
    for (const row of rows) for (const entry of row.owed) if (entry.confirm) await confirm(row, entry);
    await consents.settled(rows);
  }

  async function settleAll(rows: readonly ConsentRow[]): Promise<void> {
    for (let from = 0; from < rows.length; from += SETTLED_AT_ONCE) await settle(rows.slice(from, from + SETTLED_AT_ONCE));
  }

  return {
    async set(tenantId, who, wish) {
      const [row] = await consents.change(tenantId, [who], (_who, before) => changedBy(tenantId, who, before, wish));
      if (!row) throw new Error('a change that is always wanted was not made');
      await settle([row]);
      return { row, changed: row.owed.at(-1)!.was !== wish.status };
    },

    async setAll(tenantId, people, wish, asked = Number.POSITIVE_INFINITY) {
      const rows = await consents.change(tenantId, [...new Set(people)], (who, before) =>
        before && (before.status === wish.status || before.updated_at > asked) ? null : changedBy(tenantId, who, before, wish),
      );
      await settleAll(rows);
      return rows.length;
    },

    async hear(tenantId, who, said) {
      const [row] = await consents.change(tenantId, [who], async (_who, before) => {
        // Read after the record: what it does not owe any more is in the history by now.
        const isKnown = before !== null && (await consents.wasCausedBy(tenantId, who, said.cause)) !== null;
        return isKnown ? null : changedBy(tenantId, who, before, said);
      });
      const owing = row ?? (await consents.find(tenantId, who));
      if (owing?.owes) await settle([owing]);
    },

    async unite(tenantId, lid, phone) {
      for (let hidden = await consents.find(tenantId, lid); hidden !== null; hidden = await consents.find(tenantId, lid)) {
        const { status, source, note, updated_at: at, _id, seq } = hidden;
        const said = { status, source, note, at, cause: `${_id}#${seq}` };
        await settle(await consents.change(tenantId, [phone], (_who, before) => takenIn(tenantId, phone, before, said)));
        if (await consents.remove(hidden)) return;
      }
    },

    async settleOwed(until) {
      const rows = await consents.owing(until, SETTLED_AT_ONCE);
      await settle(rows);
      return rows.length;
    },
  };
}

/** What was said elsewhere by the same person: null where they said something newer here. Of two at once, the one that opts out holds. */
function takenIn(tenantId: string, who: string, before: ConsentRow | null, said: SaidWish): ConsentRow | null {
  const isLate = said.at === before?.updated_at && said.status === 'opted_out' && before.status !== said.status;
  const isNewer = before === null || said.at > before.updated_at || isLate;
  return isNewer ? changedBy(tenantId, who, before, said) : null;
}

function changedBy(tenant_id: string, who: string, before: ConsentRow | null, wish: Wish | SaidWish): ConsentRow {
  const { status, source, note, at } = wish;
  const said = 'cause' in wish ? wish : null;
  const seq = (before?.seq ?? 0) + 1;
  const recent = before && at - before.confirmed.since < HOUR_MS ? before.confirmed : { since: at, count: 0 };
  const confirms = said?.sessionId !== undefined && recent.count < MOST_CONFIRMED;
  const entry: OwedEntry = {
    status,
    source,
    note,
    at,
    seq,
    was: before?.status ?? null,
    ...(said && { cause: said.cause, confirm: confirms }),
    ...(said?.sessionId !== undefined && { session_id: said.sessionId }),
  };
  return {
    _id: `${tenant_id}:${who}`,
    tenant_id,
    who,
    status,
    source,
    note,
    created_at: before?.created_at ?? at,
    updated_at: at,
    seq,
    owed: [...(before?.owed ?? []), entry],
    owes: true,
    confirmed: confirms ? { since: recent.since, count: recent.count + 1 } : recent,
  };
}

/** One for each change that made a difference. */
function eventsOf({ _id, who, owed }: ConsentRow): readonly Draft[] {
  return owed
    .filter(({ status, was }) => status !== was)
    .map(({ status, was, source, at, seq, session_id = null }) => ({
      session_id,
      type: 'consent.changed',
      row: `consent ${_id}#${seq}`,
      occurred_at: at,
      data: { ...person(addressOf(who)), status, previous: was, source },
    }));
}
