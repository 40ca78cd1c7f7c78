import assert from 'node:assert/strict';
import { it } from 'node:test';
import Joi from 'joi';
import { itemTestOf } from '../../../http/core/list-item-test.ts';
import { requiredWhen } from '../../../http/core/schemas.ts';
import { type Random, seededRandom } from '../../../runtime/random.ts';

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
const few = <T>(random: Random, max: number, make: () => T): T[] => Array.from({ length: Math.floor(random() * (max + 1)) }, make);

const WORDS = ['', 'a', 'b', 'text', 'poll', ' a', 'abcdef', '5', 'true', '1e3'] as const;
const VALUES = [...WORDS, 0, -0, 1, 3, 7.5, -2, 2 ** 53, Number.MAX_SAFE_INTEGER, true, false, null] as const;
const NAMES = ['type', 'a', 'b', 'c'] as const;

/** A schema of the kinds that rows use, and of some that only Joi can judge. */
function someSchema(random: Random, depth: number): Joi.Schema {
  const schema = decorated(random, bareSchema(random, depth));
  return random() < 0.1 ? (schema as Joi.AnySchema).description('said') : schema;
}

function bareSchema(random: Random, depth: number): Joi.AnySchema {
  const inner = depth > 0 ? [() => someObject(random, depth - 1), () => someArray(random, depth - 1)] : [];
  const makers: (() => Joi.AnySchema)[] = [
    () => someString(random),
    () => someString(random),
    () => someNumber(random),
    () => Joi.boolean(),
    () => Joi.any(),
    () => Joi.alternatives(Joi.string().max(3), Joi.number()),
    () => Joi.string().valid('text', 'poll'),
    () => Joi.valid('a', 1, null),
    ...inner,
    ...inner,
  ];
  return pick(random, makers)();
}

function someString(random: Random): Joi.AnySchema {
  let schema = Joi.string();
  if (random() < 0.3) schema = schema.min(1);
  if (random() < 0.3) schema = schema.max(3);
  if (random() < 0.2) schema = schema.trim();
  if (random() < 0.2) schema = schema.pattern(/^[a-z]*$/i);
  if (random() < 0.1) schema = schema.allow('');
  if (random() < 0.1) schema = schema.lowercase();
  return schema;
}

function someNumber(random: Random): Joi.AnySchema {
  let schema = Joi.number();
  if (random() < 0.4) schema = schema.integer();
  if (random() < 0.3) schema = schema.min(0);
  if (random() < 0.3) schema = schema.max(5);
  if (random() < 0.1) schema = schema.multiple(2);
  return schema;
}

function someArray(random: Random, depth: number): Joi.AnySchema {
  let schema = Joi.array();
  if (random() < 0.8) schema = schema.items(someSchema(random, depth));
  if (random() < 0.3) schema = schema.max(2);
  if (random() < 0.1) schema = schema.unique();
  return schema;
}

function someObject(random: Random, depth: number): Joi.AnySchema {
  const keys: Record<string, Joi.Schema> = {};
  for (const name of NAMES) {
    if (random() < 0.7) keys[name] = someField(random, depth, name, 'type' in keys);
  }
  if (random() < 0.1 && 'a' in keys && 'b' in keys) return Joi.object(keys).or('a', 'b');
  return random() < 0.1 ? Joi.object(keys).unknown() : Joi.object(keys);
}

function someField(random: Random, depth: number, name: string, canDepend: boolean): Joi.Schema {
  if (name === 'type') return decorated(random, Joi.string().valid('text', 'poll', 'a'));
  const field = decorated(random, bareSchema(random, depth));
  if (!canDepend || random() < 0.5) return field;
  if (random() < 0.5) return requiredWhen(field, 'type', 'text', 'a');
  const is = pick(random, [Joi.valid('text'), Joi.exist(), Joi.string().valid('poll')]);
  // biome-ignore lint/suspicious/noThenProperty: Joi's own word
  return field.when('type', { is, then: Joi.required(), otherwise: pick(random, [Joi.forbidden(), Joi.optional(), Joi.valid('a')]) });
}

function decorated(random: Random, schema: Joi.AnySchema): Joi.AnySchema {
  let made = schema;
  if (random() < 0.2) made = made.required();
  else if (random() < 0.15) made = made.default(pick(random, ['a', 1, true]));
  else if (random() < 0.05) made = made.forbidden();
  if (random() < 0.15) made = made.allow(null);
  if (random() < 0.08) made = made.invalid('a', 1);
  return made;
}

function someValue(random: Random, depth: number): unknown {
  if (depth === 0 || random() < 0.5) return pick(random, VALUES);
  if (random() < 0.3) return few(random, 3, () => someValue(random, depth - 1));
  return Object.fromEntries(few(random, 4, () => [pick(random, [...NAMES, ...NAMES, 'd']), someValue(random, depth - 1)]));
}

/** A value that fits the schema more often than a blind one, so that the test has something to pass. */
function likelyValue(random: Random, d: Joi.Description): unknown {
  if (random() < 0.08) return someValue(random, 2);
  const allowed = ((d['allow'] ?? []) as unknown[]).filter((value) => typeof value !== 'object' || value === null);
  if (allowed.length > 0 && random() < 0.7) return pick(random, allowed);
  switch (d.type) {
    case 'object': {
      const fields = Object.entries((d['keys'] ?? {}) as Record<string, Joi.Description>).filter(() => random() < 0.75);
      return Object.fromEntries(fields.map(([name, child]) => [name, likelyValue(random, child)]));
    }
    case 'array':
      return few(random, 3, () => likelyValue(random, d['items']?.[0] ?? {}));
    case 'number':
      return pick(random, [0, 1, 3, 4]);
    case 'boolean':
      return random() < 0.5;
    default:
      return pick(random, WORDS);
  }
}

it('a list item skips validation by Joi only if Joi would return the same result', () => {
  let yes = 0;
  let no = 0;
  for (let seed = 1; seed <= 2_000; seed++) {
    const random = seededRandom(seed);
    const schema = someObject(random, 2);
    const certainly = itemTestOf(schema);
    if (!certainly) continue;
    const described = schema.describe();
    for (let round = 0; round < 12; round++) {
      const value = likelyValue(random, described);
      const { error, value: expected } = schema.validate(structuredClone(value), { convert: false });
      if (!certainly(value)) {
        if (!error) no++;
        continue;
      }
      const shown: string = `${JSON.stringify(value)} against ${JSON.stringify(described)} (seed ${seed})`;
      assert.equal(error, undefined, shown);
      assert.deepEqual(value, expected, shown);
      yes++;
    }
  }
  assert.ok(yes > 500, `the test passed ${yes} values`);
  assert.ok(no < yes, `Joi accepted ${no} values that the test refused`);
});

it('schemas that the fast list check does not support are validated by Joi', () => {
  const unjudged: Joi.Schema[] = [
    Joi.object({ a: Joi.string().custom((value) => value) }),
    Joi.object({ a: Joi.string().uri() }),
    Joi.object({ a: Joi.string().uppercase() }),
    Joi.object({ a: Joi.date() }),
    Joi.object({ a: Joi.string().default(() => 'x') }),
    Joi.object({ a: Joi.number().min(Joi.ref('b')), b: Joi.number() }),
    Joi.object({ a: Joi.string().strip() }),
    Joi.object({ a: Joi.any() }).rename('b', 'a'),
    Joi.object({ a: Joi.any(), b: Joi.any() }).and('a', 'b'),
    Joi.object({ a: Joi.any().external(async () => {}) }),
    Joi.object({ a: Joi.string().empty('') }),
    Joi.object({ a: Joi.string() }).prefs({ presence: 'required' }),
    Joi.object({ a: Joi.array().items(Joi.string()).single() }),
    Joi.object({ a: Joi.string().insensitive().valid('a') }),
  ];
  for (const schema of unjudged) assert.equal(itemTestOf(schema), null, JSON.stringify(schema.describe()));
});
