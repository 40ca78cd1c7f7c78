/** What a tenant's plan allows (api.md "Billing"). */
export interface Plan {
  readonly name: string;
  readonly devices: number;
  /** Messages a month. */
  readonly messages: number;
  /** Sends a minute and key. */
  readonly send_per_minute: number;
  /** The most requests a minute that one API key may be given. */
  readonly key_cap: number;
  readonly stores: number;
  /** AI replies a month. */
  readonly ai_replies: number;
  /** What a message beyond the quota costs, in minor units of each currency; null: none is sent beyond it. */
  readonly overage: Readonly<Record<'IDR' | 'USD', number>> | null;
}

/** The plans by name. `free` is always among them: every tenant starts there. */
export type Plans = ReadonlyMap<string, Plan>;

const DEFAULTS: Readonly<Record<string, Omit<Plan, 'name'>>> = {
  free: { devices: 2, messages: 1_000, send_per_minute: 30, key_cap: 300, stores: 5, ai_replies: 50, overage: null },
  starter: { devices: 5, messages: 10_000, send_per_minute: 60, key_cap: 600, stores: 5, ai_replies: 500, overage: null },
  pro: {
    devices: 20,
    messages: 100_000,
    send_per_minute: 120,
    key_cap: 1_200,
    stores: 5,
    ai_replies: 5_000,
    overage: { IDR: 50, USD: 1 },
  },
  business: {
    devices: 100,
    messages: 1_000_000,
    send_per_minute: 300,
    key_cap: 3_000,
    stores: 5,
    ai_replies: 50_000,
    overage: { IDR: 25, USD: 1 },
  },
};

const COUNTS = ['devices', 'messages', 'send_per_minute', 'key_cap', 'stores', 'ai_replies'] as const;
const FIELDS: readonly string[] = [...COUNTS, 'overage'];

/**
 * The plan table with what configuration changes: `{pro: {devices: 30}, enterprise: {…all fields…}}`, null and undefined change nothing.
 * Throws an Error of one sentence that names the bad value.
 */
export function plansFrom(config: unknown): Plans {
  const changes = config === undefined || config === null ? {} : asObject('plans', config);
  const names = new Set([...Object.keys(DEFAULTS), ...Object.keys(changes)]);
  return new Map([...names].map((name) => [name, planFrom(name, changes[name])]));
}

/** A tenant whose plan left the configuration falls back to `free`. */
export const planOf = (plans: Plans, name: string): Plan => plans.get(name) ?? plans.get('free')!;

function planFrom(name: string, change: unknown): Plan {
  const fields = { ...DEFAULTS[name], ...(change === undefined ? {} : asObject(`plans.${name}`, change)) };
  const stranger = Object.keys(fields).find((field) => !FIELDS.includes(field));
  if (stranger !== undefined) throw new Error(`plans.${name}.${stranger} is not a field of a plan: use ${FIELDS.join(', ')}.`);
  const count = (field: (typeof COUNTS)[number]): number => countFrom(`plans.${name}.${field}`, fields[field]);
  return {
    name,
    devices: count('devices'),
    messages: count('messages'),
    send_per_minute: count('send_per_minute'),
    key_cap: count('key_cap'),
    stores: count('stores'),
    ai_replies: count('ai_replies'),
    overage: overageFrom(`plans.${name}.overage`, fields.overage ?? null),
  };
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
