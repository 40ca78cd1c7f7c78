import type { Refusal } from '../../runtime/errors.ts';
import { entry } from '../../runtime/invariant.ts';
import { refusal } from './refusals.ts';

/** Money is an integer: US cents, or whole rupiah, which have no smaller unit. */
export type Currency = 'IDR' | 'USD';

export interface Plan {
  readonly name: string;
  readonly devices: number;
  readonly messages: number;
  readonly send_per_minute: number;
  readonly key_cap: number;
  readonly keys: number;
  readonly stores: number;
  readonly ai_replies: number;
  readonly open_drafts: number;
  readonly draft_recipients: number;
  readonly media_bytes: number;
  /** Price per month. Null if the plan is not sold in that currency; 0 if it is free. */
  readonly prices: Readonly<Record<Currency, number | null>>;
  /** Price per 1,000 messages; null if messages beyond the quota are not allowed. */
  readonly overage: Readonly<Record<Currency, number>> | null;
  readonly zone?: string;
}

export type Plans = ReadonlyMap<string, Plan>;

type Stored = Pick<Plan, 'open_drafts' | 'draft_recipients' | 'media_bytes'>;
const GB = 1_000_000_000;
const DEFAULT_STORED: Stored = { open_drafts: 20, draft_recipients: 50_000, media_bytes: GB };
const DEFAULT_KEYS = 10;
const STORED: Readonly<Record<string, Stored>> = {
  starter: { open_drafts: 50, draft_recipients: 200_000, media_bytes: 10 * GB },
  pro: { open_drafts: 100, draft_recipients: 500_000, media_bytes: 50 * GB },
  business: { open_drafts: 200, draft_recipients: 2_000_000, media_bytes: 250 * GB },
};

const DEFAULTS: Readonly<Record<string, Omit<Plan, 'name' | keyof Stored>>> = {
  free: {
    devices: 2,
    messages: 1_000,
    send_per_minute: 30,
    key_cap: 300,
    keys: 10,
    stores: 5,
    ai_replies: 50,
    prices: { IDR: 0, USD: 0 },
    overage: null,
  },
  starter: {
    devices: 5,
    messages: 10_000,
    send_per_minute: 60,
    key_cap: 600,
    keys: 25,
    stores: 5,
    ai_replies: 500,
    prices: { IDR: 149_000, USD: 900 },
    overage: null,
  },
  pro: {
    devices: 20,
    messages: 100_000,
    send_per_minute: 120,
    key_cap: 1_200,
    keys: 100,
    stores: 5,
    ai_replies: 5_000,
    prices: { IDR: 499_000, USD: 2_900 },
    overage: { IDR: 15_000, USD: 100 },
  },
  business: {
    devices: 100,
    messages: 1_000_000,
    send_per_minute: 300,
    key_cap: 3_000,
    keys: 500,
    stores: 5,
    ai_replies: 50_000,
    prices: { IDR: 1_999_000, USD: 11_900 },
    overage: { IDR: 10_000, USD: 70 },
  },
};

const COUNTS = [
  'devices',
  'messages',
  'send_per_minute',
  'key_cap',
  'keys',
  'stores',
  'ai_replies',
  'open_drafts',
  'draft_recipients',
  'media_bytes',
] as const;
const FIELDS: readonly string[] = [...COUNTS, 'prices', 'overage'];

/** Reads `{pro: {devices: 30}, enterprise: {…}}`. Throws an error that explains any bad value. */
export function plansFrom(config: unknown): Plans {
  const changes = config === undefined || config === null ? {} : asObject('plans', config);
  const names = new Set([...Object.keys(DEFAULTS), ...Object.keys(changes)]);
  return new Map([...names].map((name) => [name, planFrom(name, changes[name])]));
}

export const planOf = (plans: Plans, name: string): Plan => plans.get(name) ?? entry(plans, 'free');

export const planFor = (plans: Plans, tenant: { readonly plan: string; readonly profile: { readonly timezone: string } } | null): Plan => ({
  ...planOf(plans, tenant?.plan ?? 'free'),
  ...(tenant && { zone: tenant.profile.timezone }),
});

export function beyondPlan(plans: Plans, plan: Plan, count: 'devices' | 'stores' | 'keys', thing: Thing): Refusal {
  const have = plan[count];
  const [more] = [...plans.values()].filter((other) => other[count] > have).sort((a, b) => a[count] - b[count]);
  const next = more ? { en: `; ${more.name} has ${more[count]}`, id: `; ${more.name} memiliki ${more[count]}` } : { en: '', id: '' };
  return refusal('LIMIT_REACHED', {
    reason: { en: `${plan.name} has ${have} ${thing.en}${next.en}`, id: `${plan.name} memiliki ${have} ${thing.id}${next.id}` },
  });
}

export const beyondLimit = (limit: number, thing: Thing): Refusal =>
  refusal('LIMIT_REACHED', {
    reason: { en: `at most ${limit} ${thing.en}, on every plan`, id: `paling banyak ${limit} ${thing.id}, pada semua paket` },
  });

const MAX_LISTED_BYTES = 4 * 1024 * 1024;

export function expectListed(bytes: number, { en, id }: Thing): void {
  if (bytes > MAX_LISTED_BYTES) throw beyondLimit(MAX_LISTED_BYTES, { en: `bytes of ${en}`, id: `byte ${id}` });
}

interface Thing {
  readonly en: string;
  readonly id: string;
}

function planFrom(name: string, change: unknown): Plan {
  const fields: Partial<Plan> & Record<string, unknown> = {
    keys: DEFAULT_KEYS,
    ...DEFAULT_STORED,
    ...STORED[name],
    ...DEFAULTS[name],
    ...(change === undefined ? {} : asObject(`plans.${name}`, change)),
  };
  const stranger = Object.keys(fields).find((field) => !FIELDS.includes(field));
  if (stranger !== undefined) throw new Error(`plans.${name}.${stranger} is not a field of a plan: use ${FIELDS.join(', ')}.`);
  const count = (field: (typeof COUNTS)[number]): number => countFrom(`plans.${name}.${field}`, fields[field]);
  return {
    name,
    devices: count('devices'),
    messages: count('messages'),
    send_per_minute: count('send_per_minute'),
    key_cap: count('key_cap'),
    keys: count('keys'),
    stores: count('stores'),
    ai_replies: count('ai_replies'),
    open_drafts: count('open_drafts'),
    draft_recipients: count('draft_recipients'),
    media_bytes: count('media_bytes'),
    prices: pricesFrom(`plans.${name}.prices`, fields.prices ?? {}),
    overage: overageFrom(`plans.${name}.overage`, fields.overage ?? null),
  };
}

function pricesFrom(path: string, value: unknown): Plan['prices'] {
  const prices = asObject(path, value);
  const one = (currency: Currency): number | null =>
    prices[currency] === undefined || prices[currency] === null ? null : countFrom(`${path}.${currency}`, prices[currency]);
  return { IDR: one('IDR'), USD: one('USD') };
}

function overageFrom(path: string, value: unknown): Plan['overage'] {
  if (value === null) return null;
  const prices = asObject(path, value);
  return { IDR: countFrom(`${path}.IDR`, prices['IDR']), USD: countFrom(`${path}.USD`, prices['USD']) };
}

function countFrom(path: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`${path} must be a whole number from 0, not ${JSON.stringify(value)}.`);
}

function asObject(path: string, value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new Error(`${path} must be an object, not ${JSON.stringify(value)}.`);
}
