/** Converts Joi's errors to the faults of a VALIDATION_FAILED refusal, with a hint for misspelled fields. */

import type Joi from 'joi';
import { type Fault, faultsIn, invalid, MAX_FAULTS } from '../../actors/domain/refusals.ts';
import { Refusal } from '../../runtime/errors.ts';
import { closestTo } from './closest.ts';
import type { SchemaDescription } from './joi-reflection.ts';
import { fieldAt, reasonOf, unknownField } from './language.ts';
import type { Verdict } from './long-lists.ts';

const MAX_COMPARED = 10;

export function refusalFor({ details }: Pick<Verdict, 'details'>, schema: () => SchemaDescription, where: string): Refusal {
  const own = details.map(({ context }): unknown => context?.['error']).filter((cause) => cause instanceof Refusal);
  if (own.length === details.length && own[0]) return own[0];
  const byPath = new Map<string, Fault>();
  let unknown = 0;
  for (const item of details) {
    if (byPath.size > MAX_FAULTS) break;
    const path = fieldAt([...item.path, ...culprit(item)], where);
    if (byPath.has(path)) continue;
    const isUnknown = item.type === 'object.unknown';
    unknown += Number(isUnknown);
    byPath.set(
      path,
      isUnknown
        ? unknownAt(item.path, schema, where, unknown <= MAX_COMPARED)
        : { path, ...reasonOf(item, where, () => exampleAt(schema(), item.path)) },
    );
  }
  return invalid([...byPath.values()]);
}

function culprit({ type, context = {} }: Joi.ValidationErrorItem): readonly string[] {
  const { present, peers, peer }: Readonly<Record<string, unknown>> = context;
  const together = type === 'object.missing' ? [peers].flat().slice(0, 1) : [present ?? peer].flat().slice(-1);
  return TOGETHER.has(type) ? together.filter((name) => typeof name === 'string') : [];
}

const TOGETHER: ReadonlySet<string> = new Set(['object.oxor', 'object.xor', 'object.missing', 'object.with']);

function unknownAt(path: Joi.ValidationErrorItem['path'], schema: () => SchemaDescription, where: string, isCompared: boolean): Fault {
  const close = isCompared ? closestTo(String(path.at(-1)), fieldsAt(schema(), path.slice(0, -1))) : null;
  return { path: fieldAt(path, where), ...unknownField(fieldAt(path, where), close), isUnknown: true };
}

const fieldsAt = (schema: SchemaDescription, path: Path): readonly string[] =>
  nodesAt(schema, path).flatMap(({ keys = {} }) => Object.keys(keys));

function exampleAt(schema: SchemaDescription, path: Path): string | null {
  const examples = nodesAt(schema, path).flatMap(({ examples = [] }) => examples);
  return examples.find((one) => typeof one === 'string') ?? null;
}

type Path = readonly (string | number)[];

function nodesAt(schema: SchemaDescription, path: Path): readonly SchemaDescription[] {
  const [step, ...rest] = path;
  const own = step === undefined ? [schema] : [];
  if (schema.type === 'alternatives')
    return [...own, ...(schema.matches ?? []).flatMap((option) => (option.schema ? nodesAt(option.schema, path) : []))];
  if (step === undefined) return own;
  if (typeof step === 'number') return (schema.items ?? []).flatMap((item) => nodesAt(item, rest));
  const child = schema.keys?.[step];
  return child ? nodesAt(child, rest) : [];
}

export const faultsOf = (cause: unknown): readonly Fault[] | null =>
  cause instanceof Refusal && cause.code === 'VALIDATION_FAILED' ? faultsIn(cause) : null;
