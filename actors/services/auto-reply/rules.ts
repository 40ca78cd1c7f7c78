import { newId } from '../../../runtime/ids.ts';
import type { AutoReplies, RuleRow } from '../../../store/auto-reply/auto-replies.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { hasText } from '../../../store/messaging/message-row.ts';
import { beyondLimit, expectListed } from '../../domain/plans.ts';
import { CHANGED_MEANWHILE, type Fault, invalid, refusal } from '../../domain/refusals.ts';
import type { MediaLibrary } from '../media/library.ts';
import { fits, isMediaType } from '../media/types.ts';
import type { RegexCheck } from './regex-check.ts';

export type RuleFields = Omit<RuleRow, 'id' | 'created_at'>;

export interface RuleDeps {
  readonly autoReplies: AutoReplies;
  readonly regexCheck: Pick<RegexCheck, 'expectSafe'>;
  readonly media: Pick<MediaLibrary, 'use'>;
}

export const MAX_RULES = 500;
const LONGEST_PATTERN = 500;

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

export async function rulesOf({ autoReplies }: Pick<RuleDeps, 'autoReplies'>, { tenant_id, _id }: Device): Promise<readonly RuleRow[]> {
  return (await autoReplies.find(tenant_id, _id))?.rules ?? [];
}

export async function createRule(deps: RuleDeps, device: Device, fields: RuleFields, now: number): Promise<string> {
  await expectSensible(deps, device, fields);
  await expectFile(deps, device, fields);
  const rule: RuleRow = { id: newId(now), ...shown(fields), created_at: now };
  await deps.autoReplies.change(device.tenant_id, device._id, (rules) => {
    if (rules.length >= MAX_RULES) throw beyondLimit(MAX_RULES, { en: 'rules per device', id: 'aturan per perangkat' });
    return listable([...rules, rule]);
  });
  return rule.id;
}

export async function changeRule(deps: RuleDeps, device: Device, id: string, patch: Partial<RuleFields>): Promise<void> {
  const before = (await rulesOf(deps, device)).find((rule) => rule.id === id);
  if (!before) throw refusal('NOT_FOUND');
  const after = shown({ ...before, ...patch });
  await expectSensible(deps, device, after);
  if (patch.reply_type !== undefined || patch.reply_r2_key !== undefined) await expectFile(deps, device, after);
  await deps.autoReplies.change(device.tenant_id, device._id, (rules) => {
    const at = rules.findIndex((rule) => rule.id === id);
    if (at < 0) throw refusal('NOT_FOUND');
    // The rule must not have changed since its new version was checked.
    if (JSON.stringify(rules[at]) !== JSON.stringify(before)) throw refusal('CONFLICT', { reason: CHANGED_MEANWHILE });
    return listable(rules.with(at, after));
  });
}

export async function removeRule({ autoReplies }: Pick<RuleDeps, 'autoReplies'>, device: Device, id: string): Promise<void> {
  await autoReplies.change(device.tenant_id, device._id, (rules) => {
    if (!rules.some((rule) => rule.id === id)) throw refusal('NOT_FOUND');
    return rules.filter((rule) => rule.id !== id);
  });
  await autoReplies.forget(id);
}

function listable(rules: readonly RuleRow[]): readonly RuleRow[] {
  expectListed(Buffer.byteLength(JSON.stringify(rules)), { en: 'rules for one device', id: 'aturan satu perangkat' });
  return rules;
}

const shown = <Fields extends RuleFields>(rule: Fields): Fields => (hasText(rule.reply_type) ? rule : { ...rule, reply_caption: null });

async function expectSensible({ regexCheck }: RuleDeps, { tenant_id }: Device, rule: RuleFields): Promise<void> {
  const { trigger_type, trigger_text } = rule;
  const faults = faultsIn(rule);
  if (faults.length > 0) throw invalid(faults);
  if (trigger_type === 'regex' && trigger_text) {
    await regexCheck.expectSafe(tenant_id, trigger_text, rule.match_case === 1);
  }
}

async function expectFile({ media }: RuleDeps, { tenant_id }: Device, { reply_type, reply_r2_key }: RuleFields): Promise<void> {
  if (reply_type === 'text' || !reply_r2_key) return;
  const file = await media.use(tenant_id, reply_r2_key);
  if (!isMediaType(reply_type) || !fits(reply_type, file.content_type)) throw unfit(reply_type, file.content_type);
}

function faultsIn({ trigger_type, trigger_text, reply_type, reply_body, reply_r2_key }: RuleFields): readonly Fault[] {
  const faults: Fault[] = [];
  if (trigger_type !== 'any' && !trigger_text?.trim()) faults.push(needed('trigger_text'));
  if (reply_type === 'text' && !reply_body?.trim()) faults.push(needed('reply_body'));
  if (reply_type !== 'text' && !reply_r2_key) faults.push(needed('reply_r2_key'));
  if (trigger_type === 'regex' && (trigger_text?.length ?? 0) > LONGEST_PATTERN) faults.push({ path: 'trigger_text', ...TOO_LONG });
  return faults;
}

const needed = (path: string): Fault => ({
  path,
  en: `${path} is required for this type`,
  id: `${path} wajib diisi untuk tipe ini`,
});

const unfit = (type: string, contentType: string) =>
  refusal('VALIDATION_FAILED', {
    field: 'reply_r2_key',
    reason: { en: `the file is ${contentType}, which is not ${type}`, id: `jenis berkas ini ${contentType}, bukan ${type}` },
  });

const TOO_LONG = { en: 'a regular expression may have at most 500 characters', id: 'ekspresi reguler paling banyak 500 karakter' };
