import { Refusal } from '../../../runtime/errors.ts';
import { at, entry } from '../../../runtime/invariant.ts';
import { digitsRead, type NumberRead, sentenceOf } from '../../domain/numbers/read-number.ts';
import { type Fault, invalid } from '../../domain/refusals.ts';
import type { NumberReader, Reader } from '../identities/number-reader.ts';
import type { Rule, Rules, RuleValue } from './segment-rules.ts';

/** `starts_with` and `contains` also accept parts of numbers. Fails with VALIDATION_FAILED. */
export async function withNumbersRead(numbers: NumberReader, reader: Reader & CallingCode, { all, any }: Rules): Promise<Rules> {
  const list = all ? 'all' : 'any';
  const faults: Fault[] = [];
  const texts = (all ?? any ?? []).flatMap((rule) => (rule.field === 'phone' ? wholeIn(rule) : []));
  const reads = await numbers.all(reader, texts);
  const byText = new Map(texts.map((text, nth) => [text, at(reads, nth)]));
  const rules = (all ?? any ?? []).map((rule, nth): Rule => {
    if (rule.field !== 'phone' || rule.value === undefined) return rule;
    try {
      return { ...rule, value: read(rule.op, rule.value, byText, reader.callingCode) };
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      const path = `rules.${list}.${nth}.value`;
      faults.push(faultAt(path, wholeIn(rule), byText));
      return rule;
    }
  });
  if (faults.length > 0) throw invalid(faults);
  return { [list]: rules };
}

function faultAt(path: string, texts: readonly string[], reads: Reads): Fault {
  for (const text of texts) {
    const found = reads.get(text);
    if (found?.kind !== 'ambiguous') continue;
    const { en, id } = sentenceOf(text, found);
    return { path, en: `${path}: ${en}`, id: `${path}: ${id}` };
  }
  return { path, en: `${path} is not a phone number`, id: `${path} bukan nomor telepon` };
}

interface CallingCode {
  readonly callingCode: string;
}

const wholeIn = ({ op, value }: Rule): readonly string[] =>
  op === 'is' || op === 'is_not' ? [String(value)] : op === 'in' && Array.isArray(value) ? value : [];

type Reads = ReadonlyMap<string, NumberRead>;

function read(op: Rule['op'], value: RuleValue, reads: Reads, callingCode: string): RuleValue {
  switch (op) {
    case 'is':
    case 'is_not':
      return whole(String(value), reads);
    case 'in':
      return Array.isArray(value) ? value.map((one) => whole(one, reads)) : value;
    case 'starts_with':
    case 'contains':
      return String(value).replace(/^\s*0(?=[1-9])/, callingCode);
    default:
      return value;
  }
}

const whole = (text: string, reads: Reads): string => `+${digitsRead(text, entry(reads, text))}`;
