import assert from 'node:assert/strict';
import { it } from 'node:test';
import Joi from 'joi';
import { requiredWhen } from '../../http/schemas.ts';
import { shortcutOf } from '../../http/shortcut.ts';
import { type Chance, seededChance } from '../../runtime/chance.ts';

const pick = <T>(chance: Chance, from: readonly T[]): T => from[Math.floor(chance() * from.length)]!;
const few = <T>(chance: Chance, max: number, make: () => T): T[] => Array.from({ length: Math.floor(chance() * (max + 1)) }, make);

const WORDS = ['', 'a', 'b', 'text', 'poll', ' a', 'abcdef', '5', 'true', '1e3'] as const;
const VALUES = [...WORDS, 0, -0, 1, 3, 7.5, -2, 2 ** 53, Number.MAX_SAFE_INTEGER, true, false, null] as const;
const NAMES = ['type', 'a', 'b', 'c'] as const;

/** A schema of the kinds that rows use, and of some that only Joi can judge. */
function someSchema(chance: Chance, depth: number): Joi.Schema {
  const schema = decorated(chance, bareSchema(chance, depth));
  return chance() < 0.1 ? (schema as Joi.AnySchema).description('said') : schema;
}

function bareSchema(chance: Chance, depth: number): Joi.AnySchema {
  const inner = depth > 0 ? [() => someObject(chance, depth - 1), () => someArray(chance, depth - 1)] : [];
  const makers: (() => Joi.AnySchema)[] = [
    () => someString(chance),
    () => someString(chance),
    () => someNumber(chance),
    () => Joi.boolean(),
    () => Joi.any(),
    () => Joi.alternatives(Joi.string().max(3), Joi.number()),
    () => Joi.string().valid('text', 'poll'),
    () => Joi.valid('a', 1, null),
    ...inner,
    ...inner,
  ];
  return pick(chance, makers)();
}

function someString(chance: Chance): Joi.AnySchema {
  let schema = Joi.string();
  if (chance() < 0.3) schema = schema.min(1);
  if (chance() < 0.3) schema = schema.max(3);
  if (chance() < 0.2) schema = schema.trim();
  if (chance() < 0.2) schema = schema.pattern(/^[a-z]*$/i);
  if (chance() < 0.1) schema = schema.allow('');
  if (chance() < 0.1) schema = schema.lowercase();
  return schema;
}

function someNumber(chance: Chance): Joi.AnySchema {
  let schema = Joi.number();
  if (chance() < 0.4) schema = schema.integer();
  if (chance() < 0.3) schema = schema.min(0);
  if (chance() < 0.3) schema = schema.max(5);
  if (chance() < 0.1) schema = schema.multiple(2);
  return schema;
}

function someArray(chance: Chance, depth: number): Joi.AnySchema {
  let schema = Joi.array();
  if (chance() < 0.8) schema = schema.items(someSchema(chance, depth));
  if (chance() < 0.3) schema = schema.max(2);
  if (chance() < 0.1) schema = schema.unique();
  return schema;
}

function someObject(chance: Chance, depth: number): Joi.AnySchema {
  const keys: Record<string, Joi.Schema> = {};
  for (const name of NAMES) {
    if (chance() < 0.7) keys[name] = someField(chance, depth, name, 'type' in keys);
  }
  return chance() < 0.1 && 'a' in keys && 'b' in keys ? Joi.object(keys).or('a', 'b') : Joi.object(keys);
}

function someField(chance: Chance, depth: number, name: string, canDepend: boolean): Joi.Schema {
  if (name === 'type') return decorated(chance, Joi.string().valid('text', 'poll', 'a'));
  const field = decorated(chance, bareSchema(chance, depth));
  if (!canDepend || chance() < 0.5) return field;
  if (chance() < 0.5) return requiredWhen(field, 'type', 'text', 'a');
  const is = pick(chance, [Joi.valid('text'), Joi.exist(), Joi.string().valid('poll')]);
  // biome-ignore lint/suspicious/noThenProperty: Joi's own word
  return field.when('type', { is, then: Joi.required(), otherwise: pick(chance, [Joi.forbidden(), Joi.optional(), Joi.valid('a')]) });
}

function decorated(chance: Chance, schema: Joi.AnySchema): Joi.AnySchema {
  let made = schema;
  if (chance() < 0.2) made = made.required();
  else if (chance() < 0.15) made = made.default(pick(chance, ['a', 1, true]));
  else if (chance() < 0.05) made = made.forbidden();
  if (chance() < 0.15) made = made.allow(null);
  if (chance() < 0.08) made = made.invalid('a', 1);
  return made;
}

function someValue(chance: Chance, depth: number): unknown {
  if (depth === 0 || chance() < 0.5) return pick(chance, VALUES);
  if (chance() < 0.3) return few(chance, 3, () => someValue(chance, depth - 1));
  return Object.fromEntries(few(chance, 4, () => [pick(chance, [...NAMES, ...NAMES, 'd']), someValue(chance, depth - 1)]));
}

/** A value that fits the schema more often than a blind one, so that the shortcut has something to say yes to. */
function likelyValue(chance: Chance, d: Joi.Description): unknown {
  if (chance() < 0.08) return someValue(chance, 2);
  const allowed = ((d['allow'] ?? []) as unknown[]).filter((value) => typeof value !== 'object' || value === null);
  if (allowed.length > 0 && chance() < 0.7) return pick(chance, allowed);
  switch (d.type) {
    case 'object': {
      const fields = Object.entries((d['keys'] ?? {}) as Record<string, Joi.Description>).filter(() => chance() < 0.75);
      return Object.fromEntries(fields.map(([name, child]) => [name, likelyValue(chance, child)]));
    }
    case 'array':
      return few(chance, 3, () => likelyValue(chance, d['items']?.[0] ?? {}));
    case 'number':
      return pick(chance, [0, 1, 3, 4]);
    case 'boolean':
      return chance() < 0.5;
    default:
      return pick(chance, WORDS);
  }
}

for (const convert of [false, true]) {
  it(`what the shortcut lets pass, Joi accepts with the same result (convert: ${convert})`, () => {
    let yes = 0;
    let no = 0;
    for (let seed = 1; seed <= 3_000; seed++) {
      const chance = seededChance(seed);
      const schema = someObject(chance, 2);
      const shortcut = shortcutOf(schema, { convert });
      if (!shortcut) continue;
      const described = schema.describe();
      for (let round = 0; round < 12; round++) {
        const value = likelyValue(chance, described);
        const { error, value: expected } = schema.validate(structuredClone(value), { convert });
        if (!shortcut.certainly(value)) {
          if (!error) no++;
          continue;
        }
        const shown = `${JSON.stringify(value)} against ${JSON.stringify(described)} (seed ${seed})`;
        assert.equal(error, undefined, shown);
        shortcut.fill?.(value);
        assert.deepEqual(value, expected, shown);
        yes++;
      }
    }
    assert.ok(yes > 2_000, `the shortcut said yes ${yes} times`);
    assert.ok(no < yes, `Joi accepted ${no} values that the shortcut did not dare to`);
  });
}

it('what the shortcut cannot judge for sure is left to Joi', () => {
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
    Joi.object({ a: Joi.any() }).unknown(),
    Joi.object({ a: Joi.string() }).prefs({ presence: 'required' }),
    Joi.object({ a: Joi.array().items(Joi.string()).single() }),
    Joi.object({ a: Joi.string().insensitive().valid('a') }),
  ];
  for (const schema of unjudged) assert.equal(shortcutOf(schema, { convert: false }), null, JSON.stringify(schema.describe()));
});
