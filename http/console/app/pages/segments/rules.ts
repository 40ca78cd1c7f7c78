import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';

type Rule = Schemas['SegmentRule'];
type Rules = Schemas['SegmentRulesInput'];
export type Op = Rule['op'];
export type Match = 'all' | 'any';

/** `texts` contains the values. Only the operator `in` has more than one. */
export interface DraftRule {
  readonly field: string;
  readonly op: Op;
  readonly texts: readonly string[];
}

const TEXT: readonly Op[] = ['is', 'is_not', 'contains', 'starts_with', 'in', 'exists'];
const CHOICE: readonly Op[] = ['is', 'is_not', 'in', 'exists'];
const TIME: readonly Op[] = ['within_days', 'gt', 'lt', 'exists'];
const ANY: readonly Op[] = ['is', 'is_not', 'contains', 'starts_with', 'in', 'gt', 'lt', 'exists', 'within_days'];

const OPS = {
  name: TEXT,
  phone: TEXT,
  country: CHOICE,
  tag: CHOICE,
  group_id: CHOICE,
  created_at: TIME,
  last_message_at: TIME,
  consent: CHOICE,
} as const satisfies Readonly<Record<string, readonly Op[]>>;

export type KnownField = keyof typeof OPS;

export const FIELDS: readonly KnownField[] = ['tag', 'name', 'phone', 'country', 'group_id', 'created_at', 'last_message_at', 'consent'];

export const MAX_RULES = 20;

export const isKnown = (field: string): field is KnownField => Object.hasOwn(OPS, field);

export const isTime = (field: string): boolean => field === 'created_at' || field === 'last_message_at';

export const opsOf = (field: string): readonly Op[] => (isKnown(field) ? OPS[field] : ANY);

export const FIRST: DraftRule = { field: 'tag', op: 'is', texts: [] };

export function withField(rule: DraftRule, field: string): DraftRule {
  const ops = opsOf(field);
  return { field, op: ops.includes(rule.op) ? rule.op : (ops[0] ?? 'is'), texts: [] };
}

export const withOp = (rule: DraftRule, op: Op): DraftRule => ({ ...rule, op, texts: kindOf(rule.op) === kindOf(op) ? rule.texts : [] });

const kindOf = (op: Op): string => (op === 'is_not' || op === 'contains' || op === 'starts_with' ? 'is' : op === 'lt' ? 'gt' : op);

export function toRules(match: Match, drafts: readonly DraftRule[]): Rules | null {
  const rules = drafts.map(toRule);
  const whole = rules.filter((rule) => rule !== null);
  return whole.length === rules.length && whole.length > 0 ? { [match]: whole } : null;
}

function toRule({ field, op, texts }: DraftRule): Rule | null {
  const [text = ''] = texts.map((one) => one.trim());
  if (op === 'exists') return { field, op, value: text !== 'false' };
  if (op === 'in') {
    const values = texts.map((one) => one.trim()).filter((one) => one !== '');
    return values.length === 0 ? null : { field, op, value: values };
  }
  if (text === '') return null;
  const isNumber = op === 'within_days' || ((op === 'gt' || op === 'lt') && !isTime(field));
  return { field, op, value: isNumber && Number.isFinite(Number(text)) ? Number(text) : text };
}

/** Converts a rule to a draft. Saving the draft without changes gives an equivalent rule. */
export function toDraft({ field, op, value }: Rule): DraftRule {
  if (Array.isArray(value)) return { field, op, texts: value };
  if (value === undefined) return { field, op, texts: [] };
  return { field, op, texts: [isTime(field) && op !== 'within_days' && typeof value === 'number' ? dayOf(value) : String(value)] };
}

const dayOf = (at: number): string => new Date(at).toISOString().replace('T00:00:00.000Z', '');
