import { MAX_FAULTS } from '../../actors/domain/refusals.ts';
import { isFields, optionsOf } from './cut-lists.ts';
import { type Fields, flagsOf, type SchemaDescription } from './joi-reflection.ts';

interface Rest {
  unknown: number;
}

/**
 * Keeps one unknown field more than an error lists, so that the value stays invalid but is cheap to
 * validate.
 */
export function cutUnknown(value: unknown, schema: SchemaDescription): unknown {
  return cut(value, schema, { unknown: MAX_FAULTS + 1 });
}

function cut(value: unknown, schema: SchemaDescription, rest: Rest): unknown {
  if (Array.isArray(value)) return cutItems(value, ofType(schema, 'array')[0]?.items ?? [], rest);
  return isFields(value) ? cutFields(value, ofType(schema, 'object'), rest) : value;
}

function cutFields(value: Fields, options: readonly SchemaDescription[], rest: Rest): Fields {
  const takesOthers = options.length === 0 || options.some(takesAnyName);
  const kept: [string, unknown][] = [];
  let isCut = false;
  for (const [name, before] of Object.entries(value)) {
    const child = childOf(options, name);
    if (!child && !takesOthers) {
      rest.unknown -= 1;
      isCut ||= rest.unknown < 0;
      if (rest.unknown < 0) continue;
    }
    const after = child ? cut(before, child, rest) : before;
    isCut ||= after !== before;
    kept.push([name, after]);
  }
  return isCut ? Object.fromEntries(kept) : value;
}

function cutItems(list: readonly unknown[], [item, ...others]: readonly SchemaDescription[], rest: Rest): readonly unknown[] {
  if (!item || others.length > 0) return list;
  const after = list.map((one) => cut(one, item, rest));
  return after.some((one, nth) => one !== list[nth]) ? after : list;
}

const takesAnyName = (schema: SchemaDescription): boolean =>
  !schema.keys || schema.patterns !== undefined || flagsOf(schema)['unknown'] === true;

function childOf(options: readonly SchemaDescription[], name: string): SchemaDescription | undefined {
  for (const { keys } of options) if (keys && Object.hasOwn(keys, name)) return keys[name];
  return undefined;
}

function ofType(schema: SchemaDescription, type: 'array' | 'object'): readonly SchemaDescription[] {
  if (schema.type === type) return [schema];
  return schema.type === 'alternatives' ? optionsOf(schema).filter((option) => option.type === type) : [];
}
