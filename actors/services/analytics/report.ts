import { idFloor } from '../../../runtime/derived-ids.ts';
import type { Agents } from '../../../store/agents/agents.ts';
import type { Unanswered } from '../../../store/ai-reply/unanswered.ts';
import {
  type BucketFigures,
  bucketAt,
  type CostFigures,
  type GroupFigures,
  type MachineFigures,
  type MessageCounts,
} from '../../../store/analytics/bucket-row.ts';
import type { Buckets } from '../../../store/analytics/buckets.ts';
import type { Campaigns } from '../../../store/campaigns/campaigns.ts';
import type { Consents, OptOut } from '../../../store/consent/consents.ts';
import type { Contacts } from '../../../store/contacts/contacts.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import { sumCosts } from '../../domain/analytics/costs.ts';
import { dateOf, type Period, periodOf } from '../../domain/analytics/periods.ts';
import {
  addBucket,
  addGroup,
  type Figures,
  figuresOf,
  figuresOfGroup,
  type GroupTally,
  newGroupTally,
  newTally,
  type Tally,
} from '../../domain/analytics/tally.ts';
import { wallOf, weekdayOf } from '../../domain/zones.ts';
import { addressOf } from '../../network/subject.ts';
import type { Recount } from './recount.ts';

/**
 * Computes figures for the console and the API, by period, device, agent and campaign. Reports add
 * up buckets of 15 minutes (store/analytics/buckets.ts) after changed buckets are recounted
 * (recount.ts). Buckets contain only keyed hashes of chats.
 */

export interface ReportDeps {
  readonly buckets: Pick<Buckets, 'between'>;
  readonly recount: Pick<Recount, 'freshen'>;
  readonly contacts: Pick<Contacts, 'count'>;
  readonly consents: Pick<Consents, 'optedOutBetween'>;
  readonly devices: Pick<Devices, 'list'>;
  readonly agents: Pick<Agents, 'list'>;
  readonly campaigns: Pick<Campaigns, 'find'>;
  readonly unanswered: Pick<Unanswered, 'list'>;
  chatKey(tenantId: string, chatId: string): string;
}

export interface Asked {
  readonly tenantId: string;
  readonly zone: string;
  readonly days: number;
  readonly now: number;
}

export interface Shown extends Figures {
  readonly opt_outs: number;
  readonly new_contacts: number | null;
}

export type Overview = { readonly [Field in keyof Shown]: { readonly value: Shown[Field]; readonly previous: Shown[Field] } };
export type DayFigures = MessageCounts & { readonly date: string };
export type Item = Shown & { readonly id: string; readonly name: string | null };

export interface Reports {
  overview(asked: Asked): Promise<Overview>;
  daily(asked: Asked): Promise<readonly DayFigures[]>;
  /** Counts by weekday (0 = Sunday) and hour. */
  hourly(asked: Asked): Promise<readonly (readonly number[])[]>;
  devices(asked: Asked, only: readonly string[] | null): Promise<readonly Item[]>;
  /** The owner's id is the tenant's id. `only` restricts the result to this agent. */
  agents(asked: Asked, owner: string | null, only: string | null): Promise<readonly Item[]>;
  machines(asked: Asked): Promise<MachineFigures & { readonly silent: number }>;
  /** With `campaignId`, returns the campaign's costs since its start, whatever the period. */
  costs(asked: Asked, only: readonly string[] | null, campaignId: string | null): Promise<readonly CostItem[]>;
  blasts(asked: Asked): Promise<readonly Item[]>;
}

export type CostItem = Omit<CostFigures, 'automatic'> & { readonly session_id: string };

const MAX_OPT_OUTS = 20_000;
const MAX_BLASTS = 500;
const SUMMED_TOGETHER = 5_000;
const MAX_UNANSWERED = 1_000;

export function createReports(deps: ReportDeps): Reports {
  const { buckets, recount, contacts, consents, devices, agents, campaigns } = deps;

  async function each(
    tenantId: string,
    { since, until }: Pick<Period, 'since' | 'until'>,
    visit: (figures: BucketFigures, at: number, sessionId: string) => void,
  ): Promise<void> {
    for await (const { figures, at, session_id } of buckets.between(tenantId, since, until)) if (figures) visit(figures, at, session_id);
  }

  async function begun({ tenantId, zone, days, now }: Asked): Promise<Period> {
    await recount.freshen(tenantId, now);
    return periodOf(zone, days, now);
  }

  async function whole(tenantId: string, period: Pick<Period, 'since' | 'until'>): Promise<Shown> {
    const tally = newTally();
    await each(tenantId, period, (figures) => addBucket(tally, figures));
    const { since, until } = period;
    const made = { _id: { $gte: idFloor(since), $lt: idFloor(until) } };
    const [optOuts, newContacts] = await Promise.all([
      consents.optedOutBetween(tenantId, since, until, MAX_OPT_OUTS),
      contacts.count(tenantId, made),
    ]);
    return { ...figuresOf(tally), opt_outs: optOuts.length, new_contacts: newContacts };
  }

  /** Counts opt-outs of people to whom a message was sent before. */
  function optOutsIn(tenantId: string, optOuts: readonly OptOut[], since: (key: string) => number | null | undefined): number {
    return optOuts.filter(({ subject, updated_at }) => {
      const at = since(deps.chatKey(tenantId, addressOf(subject)));
      return at !== undefined && updated_at >= (at ?? 0);
    }).length;
  }

  async function groups(asked: Asked, kind: GroupFigures['kind']): Promise<ReadonlyMap<string, Shown>> {
    const { tenantId } = asked;
    const period = await begun(asked);
    const all = newTally();
    const byId = new Map<string, GroupTally>();
    await each(tenantId, period, (figures) => {
      addBucket(all, figures);
      for (const group of figures.groups) if (group.kind === kind) addGroup(entry(byId, group.id, newGroupTally), group);
    });
    const optOuts = await consents.optedOutBetween(tenantId, period.since, period.until, MAX_OPT_OUTS);
    return new Map(
      [...byId].map(([id, tally]) => {
        const opt_outs = optOutsIn(tenantId, optOuts, (key) => tally.chats.get(key));
        return [id, { ...figuresOfGroup(tally, all), opt_outs, new_contacts: null }];
      }),
    );
  }

  /** Returns the period in which the campaign's messages were created. Empty if it has not started. */
  async function campaignSpan(tenantId: string, campaignId: string, now: number): Promise<Pick<Period, 'since' | 'until'>> {
    const campaign = await campaigns.find(tenantId, campaignId);
    const since = bucketAt(campaign?.started_at ?? now);
    return { since, until: campaign?.started_at ? (campaign.completed_at ?? now) + 1 : since };
  }

  return {
    async overview(asked) {
      const period = await begun(asked);
      const value = await whole(asked.tenantId, period);
      const previous = await whole(asked.tenantId, { since: period.previousSince, until: period.since });
      return paired(value, previous);
    },

    async daily(asked) {
      const period = await begun(asked);
      const days = Array.from({ length: period.days }, () => newTally().counts);
      await each(asked.tenantId, period, (figures, at) => {
        const counts = days[wallOf(asked.zone, at).day - period.first];
        if (counts) for (const field of COUNTS) counts[field] += figures[field];
      });
      return days.map((counts, nth) => ({ date: dateOf(period.first + nth), ...counts }));
    },

    async hourly(asked) {
      const hours = Array.from({ length: 7 }, () => new Array<number>(24).fill(0));
      await each(asked.tenantId, await begun(asked), ({ received }, at) => {
        const { day, ms } = wallOf(asked.zone, at);
        const row = hours[weekdayOf(day)] ?? [];
        const hour = Math.floor(ms / 3_600_000);
        row[hour] = (row[hour] ?? 0) + received;
      });
      return hours;
    },

    async devices(asked, only) {
      const { tenantId } = asked;
      const period = await begun(asked);
      const byId = new Map<string, Tally>();
      const known = (await devices.list(tenantId, only)).toReversed();
      for (const { _id } of known) byId.set(_id, newTally());
      await each(tenantId, period, (figures, _at, sessionId) => {
        if (only === null || only.includes(sessionId)) addBucket(entry(byId, sessionId, newTally), figures);
      });
      const optOuts = await consents.optedOutBetween(tenantId, period.since, period.until, MAX_OPT_OUTS);
      const names = new Map(known.map(({ _id, name, wa_name }) => [_id, name ?? wa_name]));
      return [...byId].map(([id, tally]) => ({
        id,
        name: names.get(id) ?? null,
        ...figuresOf(tally),
        opt_outs: optOutsIn(tenantId, optOuts, (key) => tally.chats.get(key)?.firstOut),
        new_contacts: null,
      }));
    },

    async agents(asked, owner, only) {
      const figures = await groups(asked, 'agent');
      const team = [{ _id: asked.tenantId, name: owner }, ...(await agents.list(asked.tenantId))];
      const names = new Map(team.map(({ _id, name }): [string, string | null] => [_id, name]));
      for (const id of figures.keys()) if (!names.has(id)) names.set(id, null);
      return [...names].flatMap(([id, name]) => (only === null || only === id ? [{ id, name, ...(figures.get(id) ?? NONE) }] : []));
    },

    async machines(asked) {
      const period = await begun(asked);
      const sum = { ai: 0, handed_over: 0, matched: 0 };
      await each(asked.tenantId, period, ({ machine }) => {
        sum.ai += machine?.ai ?? 0;
        sum.handed_over += machine?.handed_over ?? 0;
        sum.matched += machine?.matched ?? 0;
      });
      const questions = await deps.unanswered.list(asked.tenantId, MAX_UNANSWERED);
      const askers = questions.flatMap((question) => question.askers);
      return { ...sum, silent: askers.filter(({ at }) => at >= period.since && at < period.until).length };
    },

    async costs(asked, only, campaignId) {
      const { tenantId, now } = asked;
      const period = await begun(asked);
      const span = campaignId === null ? period : await campaignSpan(tenantId, campaignId, now);
      const entries: (CostFigures & { readonly session_id: string })[] = [];
      const bySession = ({ session_id }: { readonly session_id: string }): string => session_id;
      await each(tenantId, span, (figures, _at, session_id) => {
        if (only !== null && !only.includes(session_id)) return;
        entries.push(...costsOf(figures, campaignId).map((one) => ({ ...one, session_id })));
        if (entries.length >= SUMMED_TOGETHER) entries.splice(0, Number.POSITIVE_INFINITY, ...sumCosts(entries, bySession));
      });
      return sumCosts(entries, bySession).map(({ automatic: _automatic, ...shown }) => shown);
    },

    async blasts(asked) {
      const figures = await groups(asked, 'blast');
      const newest = [...figures].toSorted(([one], [other]) => (one < other ? 1 : -1)).slice(0, MAX_BLASTS);
      const named = newest.map(async ([id, shown]) => ({ id, name: (await campaigns.find(asked.tenantId, id))?.name ?? null, ...shown }));
      return Promise.all(named);
    },
  };
}

const costsOf = ({ costs = [], groups }: BucketFigures, campaignId: string | null): readonly CostFigures[] =>
  campaignId === null ? costs : groups.flatMap((group) => (group.kind === 'blast' && group.id === campaignId ? (group.costs ?? []) : []));

const COUNTS = ['sent', 'received', 'delivered', 'read', 'failed'] as const;
const NONE: Shown = { ...figuresOf(newTally()), opt_outs: 0, new_contacts: null };

function entry<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}

const pair = <T>(value: T, previous: T): { readonly value: T; readonly previous: T } => ({ value, previous });

function paired(value: Shown, previous: Shown): Overview {
  return {
    sent: pair(value.sent, previous.sent),
    received: pair(value.received, previous.received),
    delivered: pair(value.delivered, previous.delivered),
    read: pair(value.read, previous.read),
    failed: pair(value.failed, previous.failed),
    delivery_rate: pair(value.delivery_rate, previous.delivery_rate),
    read_rate: pair(value.read_rate, previous.read_rate),
    reply_rate: pair(value.reply_rate, previous.reply_rate),
    opt_outs: pair(value.opt_outs, previous.opt_outs),
    new_contacts: pair(value.new_contacts, previous.new_contacts),
    active_chats: pair(value.active_chats, previous.active_chats),
    median_first_reply_ms: pair(value.median_first_reply_ms, previous.median_first_reply_ms),
  };
}
