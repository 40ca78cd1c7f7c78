import { newId } from '../../runtime/ids.ts';
import type { AutoReplies, RuleRow } from '../../store/auto-replies.ts';
import type { DeviceRow } from '../../store/devices.ts';
import type { MediaLibrary } from '../media/library.ts';
import { fits, isMediaType } from '../media/types.ts';
import { refusal } from '../refusals.ts';
import type { RegexCheck } from './regex-check.ts';

/** What callers say of a rule. */
export type RuleFields = Omit<RuleRow, 'id' | 'created_at'>;

export interface RulePorts {
  readonly autoReplies: AutoReplies;
  readonly regexCheck: Pick<RegexCheck, 'expectSafe'>;
  readonly media: Pick<MediaLibrary, 'use'>;
}

export const MOST_RULES = 500;
const LONGEST_PATTERN = 500;

/** Where a call leaves something out. */
export const RULE_DEFAULTS = {
  trigger_text: null,
  match_case: 0,
  reply_type: 'text',
  reply_body: null,
  reply_r2_key: null,
  reply_caption: null,
  cooldown_ms: 60_000,
  priority: 0,
  is_active: 1,
} as const satisfies Partial<RuleFields>;

type Device = Pick<DeviceRow, '_id' | 'tenant_id'>;

/** The rules of a device, in the order in which they were made. */
export async function rulesOf({ autoReplies }: Pick<RulePorts, 'autoReplies'>, { tenant_id, _id }: Device): Promise<readonly RuleRow[]> {
  return (await autoReplies.find(tenant_id, _id))?.rules ?? [];
}

/** Makes a rule; gives its id. Refuses VALIDATION_FAILED, UNSAFE_REGEX, NOT_FOUND for an unknown file, LIMIT_REACHED beyond 500 rules. */
export async function createRule(ports: RulePorts, device: Device, fields: RuleFields, now: number): Promise<string> {
  await expectSensible(ports, device, fields);
  const rule: RuleRow = { id: newId(now), ...fields, created_at: now };
  await ports.autoReplies.change(device.tenant_id, device._id, (rules) => {
    if (rules.length >= MOST_RULES) throw refusal('LIMIT_REACHED');
    return [...rules, rule];
  });
  return rule.id;
}

/** Changes the named fields of a rule. Refuses as `createRule`, and NOT_FOUND; CONFLICT where somebody else changes it at the same time. */
export async function changeRule(ports: RulePorts, device: Device, id: string, patch: Partial<RuleFields>): Promise<void> {
  const before = (await rulesOf(ports, device)).find((rule) => rule.id === id);
  if (!before) throw refusal('NOT_FOUND');
  const after = { ...before, ...patch };
  await expectSensible(ports, device, after);
  await ports.autoReplies.change(device.tenant_id, device._id, (rules) => {
    const at = rules.findIndex((rule) => rule.id === id);
    if (at < 0) throw refusal('NOT_FOUND');
    // What was checked is what is stored.
    if (JSON.stringify(rules[at]) !== JSON.stringify(before)) throw refusal('CONFLICT');
    return rules.with(at, after);
  });
}

/** Removes a rule and its cooldowns. Refuses NOT_FOUND. */
export async function removeRule({ autoReplies }: Pick<RulePorts, 'autoReplies'>, device: Device, id: string): Promise<void> {
  await autoReplies.change(device.tenant_id, device._id, (rules) => {
    if (!rules.some((rule) => rule.id === id)) throw refusal('NOT_FOUND');
    return rules.filter((rule) => rule.id !== id);
  });
  await autoReplies.forget(id);
}

async function expectSensible({ regexCheck, media }: RulePorts, { tenant_id }: Device, rule: RuleFields): Promise<void> {
  const { trigger_type, trigger_text, reply_type, reply_body, reply_r2_key } = rule;
  if (trigger_type !== 'any' && !trigger_text?.trim()) throw needed('trigger_text');
  if (reply_type === 'text' && !reply_body?.trim()) throw needed('reply_body');
  if (reply_type !== 'text' && !reply_r2_key) throw needed('reply_r2_key');
  if (trigger_type === 'regex' && trigger_text) {
    if (trigger_text.length > LONGEST_PATTERN) throw refusal('VALIDATION_FAILED', { reason: TOO_LONG });
    await regexCheck.expectSafe(trigger_text, rule.match_case === 1);
  }
  if (reply_type === 'text' || !reply_r2_key) return;
  const file = await media.use(tenant_id, reply_r2_key);
  if (!isMediaType(reply_type) || !fits(reply_type, file.content_type)) throw unfit(reply_type, file.content_type);
}

const needed = (field: string) =>
  refusal('VALIDATION_FAILED', { reason: { en: `${field} is required for this type`, id: `${field} wajib diisi untuk tipe ini` } });

const unfit = (type: string, contentType: string) =>
  refusal('VALIDATION_FAILED', {
    reason: { en: `the file is ${contentType}, which is not ${type}`, id: `berkas adalah ${contentType}, bukan ${type}` },
  });

const TOO_LONG = { en: 'a regular expression has at most 500 characters', id: 'ekspresi reguler paling banyak 500 karakter' };
