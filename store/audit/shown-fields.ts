import { before as textBefore } from '../../runtime/invariant.ts';
import type { AuditChange } from './entry.ts';

/**
 * Fields whose values are shown. A trailing `*` matches any ending. All other fields may contain
 * secrets or texts.
 */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  api_keys: ['name', 'prefix', 'session_ids', 'scopes', 'allowed_ips', 'rate_limit_per_minute', 'expires_at', 'revoked_at', 'primary'],
  agents: ['name', 'is_active'],
  ai_documents: ['name', 'status'],
  ai_settings: [
    'settings.enabled',
    'settings.session_ids',
    'settings.only_when',
    'settings.language',
    'settings.max_per_chat_hour',
    'settings.threshold',
  ],
  assignments: ['mode', 'only_online'],
  attributes: ['key', 'label', 'type'],
  auto_replies: [],
  campaigns: ['name', 'status', 'session_id', 'rotator_id', 'scheduled_at', 'consent_attested_at'],
  consent_configs: ['config.*'],
  consents: ['status', 'source'],
  contact_groups: ['name'],
  devices: ['name', 'ignore.*', 'habits.*'],
  move_ins: ['accepted.*', 'ignored.*', 'dropped_count', 'status'],
  passkeys: ['name'],
  privacy_erasures: [],
  privacy_holds: ['until'],
  privacy_retention: ['days.*', 'pending.*', 'pending'],
  recurring: ['name', 'is_active', 'schedule_type', 'schedule_config.*', 'timezone'],
  rotators: ['name', 'session_ids', 'strategy'],
  second_factors: [],
  segments: ['name'],
  store_links: ['name', 'platform', 'session_id', 'enabled', 'abandoned_delay_min', 'abandoned_only_marketing'],
  tags: ['name', 'color'],
  templates: ['name', 'language', 'message_type'],
  tenants: ['name', 'plan', 'suspended', 'profile.*', 'settings.*', 'retention_days.*'],
  webhooks: ['events', 'disabled_at'],
};

/** Fields of new records that are listed without their values, because they decide where data goes. */
const LISTED_WHEN_NEW: Readonly<Record<string, readonly string[]>> = { devices: ['proxy_url'] };

const BOOKKEEPING =
  /^(_id|tenant_id|place|key|seq|rev|epoch|created_at|updated_at|settings_revision|outbox.*|audit_.*|due_at|\w+_hash|hash|earlier|expires_at_sweep)$/;
const MAX_TEXT = 200;
const CHANGED = 'changed';

/** `before` is null for a new record. The result then contains only shown fields. */
export function changesOf(collection: string, before: object | null, set: object): AuditChange[] {
  const shown = SHOWN[collection] ?? [];
  const isShown = (field: string): boolean =>
    shown.some((name) => (name.endsWith('*') ? field.startsWith(name.slice(0, -1)) : field === name));
  return leavesOf(set, before)
    .flatMap(({ field, from, to }) => {
      if (BOOKKEEPING.test(topOf(field)) && !isShown(field)) return [];
      if (JSON.stringify(from ?? null) === JSON.stringify(to ?? null)) return [];
      if (isShown(field)) return [{ field, from: cut(from), to: cut(to) }];
      if (before === null && !(LISTED_WHEN_NEW[collection] ?? []).includes(field)) return [];
      return [{ field: topOf(field), from: CHANGED, to: CHANGED }];
    })
    .filter(({ field }, nth, all) => all.findIndex((one) => one.field === field) === nth);
}

const topOf = (field: string): string => textBefore(field, '.');

interface Leaf {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

function leavesOf(set: object, before: object | null): Leaf[] {
  return Object.entries(set).flatMap(([path, to]) => leaves(path, valueAt(before, path), to));
}

function leaves(field: string, from: unknown, to: unknown): Leaf[] {
  if (!isPlain(to) || (from !== undefined && from !== null && !isPlain(from))) return [{ field, from, to }];
  return Object.entries(to).flatMap(([name, value]) => leaves(`${field}.${name}`, isPlain(from) ? from[name] : undefined, value));
}

const valueAt = (record: object | null, path: string): unknown =>
  path.split('.').reduce<unknown>((at, name) => (isPlain(at) ? at[name] : undefined), record);

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function cut(value: unknown): unknown {
  if (typeof value === 'string' && value.length > MAX_TEXT) return `${value.slice(0, MAX_TEXT)}…`;
  return value ?? null;
}
