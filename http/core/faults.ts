import type Joi from 'joi';
import { type Fault, faultsIn, invalid } from '../../actors/domain/refusals.ts';
import { Refusal } from '../../runtime/errors.ts';
import { closestTo } from './closest.ts';
import type { SchemaDescription } from './joi-reflection.ts';
import { fieldAt, reasonOf, unknownField } from './language.ts';
import type { Verdict } from './long-lists.ts';

/** A request with more faults than this is read no further by anybody. */
const MAX_FAULTS = 50;

/**
 * The refusal for what Joi found: VALIDATION_FAILED with every fault, one a field. The only fault being a custom rule's own Refusal
 * (INVALID_NUMBER), it is that.
 */
export function refusalFor({ details }: Pick<Verdict, 'details'>, schema: () => SchemaDescription, where: string): Refusal {
  const own = details.map(({ context }): unknown => context?.['error']).filter((cause) => cause instanceof Refusal);
  if (own.length === details.length && own[0]) return own[0];
  const byPath = new Map<string, Fault>();
  for (const item of details) {
    const path = fieldAt([...item.path, ...culprit(item)], where);
    if (!byPath.has(path)) byPath.set(path, { path, ...textOf(item, schema, where) });
  }
  return invalid([...byPath.values()].slice(0, MAX_FAULTS));
}

/** Of what is wrong with several fields of an object together: the one that is too many, or the first that is missing. */
function culprit({ type, context = {} }: Joi.ValidationErrorItem): readonly string[] {
  const { present, peers, peer }: Readonly<Record<string, unknown>> = context;
  const together = type === 'object.missing' ? [peers].flat().slice(0, 1) : [present ?? peer].flat().slice(-1);
  return TOGETHER.has(type) ? together.filter((name) => typeof name === 'string') : [];
}

const TOGETHER: ReadonlySet<string> = new Set(['object.oxor', 'object.xor', 'object.missing', 'object.with']);

function textOf(item: Joi.ValidationErrorItem, schema: () => SchemaDescription, where: string): Pick<Fault, 'en' | 'id'> {
  if (item.type !== 'object.unknown') return reasonOf(item, where);
  const name = String(item.path.at(-1));
  return unknownField(fieldAt(item.path, where), closestTo(name, fieldsAt(schema(), item.path.slice(0, -1))));
}

/** The fields that an object at this path may have. */
function fieldsAt(schema: SchemaDescription, path: readonly (string | number)[]): readonly string[] {
  const [step, ...rest] = path;
  if (schema.type === 'alternatives') {
    return (schema.matches ?? []).flatMap((option) => (option.schema ? fieldsAt(option.schema, path) : []));
  }
  if (step === undefined) return Object.keys(schema.keys ?? {});
  if (typeof step === 'number') return (schema.items ?? []).flatMap((item) => fieldsAt(item, rest));
  const child = schema.keys?.[step];
  return child ? fieldsAt(child, rest) : [];
}

/** The faults that a refusal names; null: it refuses for another reason. */
export const faultsOf = (cause: unknown): readonly Fault[] | null =>
  cause instanceof Refusal && cause.code === 'VALIDATION_FAILED' ? faultsIn(cause) : null;
