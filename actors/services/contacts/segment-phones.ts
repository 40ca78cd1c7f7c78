import { Refusal } from '../../../runtime/errors.ts';
import { resolveNumber } from '../../domain/phone-numbers.ts';
import { type Fault, invalid } from '../../domain/refusals.ts';
import type { Rule, Rules, RuleValue } from './segment-rules.ts';

/**
 * Rules whose numbers stand in international format, whatever they were written in. A whole number is asked for by `is`,
 * `is_not` and `in`, a part of one by `starts_with` and `contains`. Refuses VALIDATION_FAILED, naming every value that is no number.
 */
export function withNumbersRead({ all, any }: Rules, callingCode: string): Rules {
  const list = all ? 'all' : 'any';
  const faults: Fault[] = [];
  const rules = (all ?? any ?? []).map((rule, nth): Rule => {
    if (rule.field !== 'phone' || rule.value === undefined) return rule;
    try {
      return { ...rule, value: read(rule.op, rule.value, callingCode) };
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      const path = `rules.${list}.${nth}.value`;
      faults.push({ path, en: `${path} is not a phone number`, id: `${path} bukan nomor telepon` });
      return rule;
    }
  });
  if (faults.length > 0) throw invalid(faults);
  return { [list]: rules };
}

function read(op: Rule['op'], value: RuleValue, callingCode: string): RuleValue {
  switch (op) {
    case 'is':
    case 'is_not':
      return whole(String(value), callingCode);
    case 'in':
      return Array.isArray(value) ? value.map((one) => whole(one, callingCode)) : value;
    case 'starts_with':
    case 'contains':
      return String(value).replace(/^\s*0(?=[1-9])/, callingCode);
    default:
      return value;
  }
}

const whole = (text: string, callingCode: string): string => `+${resolveNumber(text, callingCode)}`;
