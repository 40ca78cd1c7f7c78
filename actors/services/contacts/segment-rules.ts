import type { SegmentRule, SegmentRules } from '../../../store/contacts/labels.ts';
import type { Fault } from '../../domain/refusals.ts';
import { ATTRIBUTE_KEY } from '../../domain/text-tokens.ts';

export const OPS = ['is', 'is_not', 'contains', 'starts_with', 'in', 'gt', 'lt', 'exists', 'within_days'] as const satisfies readonly Op[];

export type Rules = SegmentRules;
export type Rule = SegmentRule;
export type RuleValue = NonNullable<Rule['value']>;
type Op = Rule['op'];

export const MAX_RULES = 20;
export const MAX_VALUES = 100;
const MAX_DAYS = 3_650;

const TEXT: readonly Op[] = ['is', 'is_not', 'contains', 'starts_with', 'in', 'exists'];
const CHOICE: readonly Op[] = ['is', 'is_not', 'in', 'exists'];
const TIME: readonly Op[] = ['gt', 'lt', 'exists', 'within_days'];

export const FIELD_OPS: Readonly<Record<string, readonly Op[]>> = {
  name: TEXT,
  phone: TEXT,
  country: CHOICE,
  tag: CHOICE,
  group_id: CHOICE,
  created_at: TIME,
  last_message_at: TIME,
  consent: CHOICE,
  'attr.<key>': OPS,
};

const FIELDS = Object.keys(FIELD_OPS).join(', ');

export const attributeKeyOf = (field: string): string | null => (field.startsWith('attr.') ? field.slice('attr.'.length) : null);

export const isTimeField = (field: string): boolean => field === 'created_at' || field === 'last_message_at';

export function faultsOfRules({ all, any }: Rules): readonly Fault[] {
  return (all ?? any ?? []).flatMap((rule, nth): Fault[] => {
    const wrong = wrongWith(rule);
    if (!wrong) return [];
    const path = `rules.${all ? 'all' : 'any'}.${nth}.${wrong.part}`;
    return [{ path, en: `${path}: ${wrong.en}`, id: `${path}: ${wrong.id}` }];
  });
}

interface Wrong {
  readonly part: 'field' | 'op' | 'value';
  readonly en: string;
  readonly id: string;
}

function wrongWith({ field, op, value }: Rule): Wrong | null {
  const key = attributeKeyOf(field);
  const ops = key === null ? FIELD_OPS[field] : ATTRIBUTE_KEY.test(key) ? OPS : undefined;
  if (!ops || !(key !== null || Object.hasOwn(FIELD_OPS, field)))
    return {
      part: 'field',
      en: `unknown field ${field.slice(0, 60)}; use ${FIELDS}`,
      id: `kolom ${field.slice(0, 60)} tidak dikenal; gunakan ${FIELDS}`,
    };
  if (!ops.includes(op)) return { part: 'op', en: `${field} supports ${ops.join(', ')}`, id: `${field} mendukung ${ops.join(', ')}` };
  return fits(field, op, value) && hasDigits(field, op, value)
    ? null
    : { part: 'value', en: `value is not valid for ${op}`, id: `value tidak sesuai dengan ${op}` };
}

function fits(field: string, op: Op, value: RuleValue | undefined): boolean {
  switch (op) {
    case 'exists':
      return value === undefined || typeof value === 'boolean';
    case 'in':
      return Array.isArray(value) && value.length > 0;
    case 'within_days':
      return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_DAYS;
    case 'gt':
    case 'lt':
      return isTimeField(field) ? momentOf(value) !== null : typeof value === 'number' || typeof value === 'string';
    default:
      return typeof value === 'string' ? value.trim() !== '' : typeof value === 'number' && attributeKeyOf(field) !== null;
  }
}

/** Whether the value has digits. Only digits are compared, so a value without any would match everyone. */
const hasDigits = (field: string, op: Op, value: RuleValue | undefined): boolean =>
  field !== 'phone' || op === 'exists' || (Array.isArray(value) ? value : [value]).every((one) => /\d/.test(String(one)));

const WRITTEN_DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** A date without a time means midnight UTC. */
export function momentOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : null;
  if (typeof value !== 'string' || !WRITTEN_DATE.test(value)) return null;
  const at = Date.parse(value.length > 10 && !/(Z|[+-]\d{2}:\d{2})$/.test(value) ? `${value}Z` : value);
  return Number.isNaN(at) ? null : at;
}
