import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FIELD_OPS, MAX_RULES as MOST } from '../../../../../../actors/services/contacts/segment-rules.ts';
import { MAX_RULES, opsOf, toDraft, toRules, withField, withOp } from '../../../../../../http/console/app/pages/segments/rules.ts';

it('a segment rule keeps its meaning when it is loaded and saved again', () => {
  const all = [
    { field: 'tag', op: 'in', value: ['VIP', 'Solo, Jateng'] },
    { field: 'attr.score', op: 'gt', value: 3.5 },
    { field: 'created_at', op: 'gt', value: '2026-01-02' },
    { field: 'created_at', op: 'within_days', value: 30 },
    { field: 'name', op: 'exists', value: false },
    { field: 'phone', op: 'starts_with', value: '62812' },
  ] as const;
  const stored = all.map(({ value, ...rule }) => ({ ...rule, value: typeof value === 'object' ? [...value] : value }));
  assert.deepEqual(toRules('any', stored.map(toDraft)), { any: stored });
  assert.deepEqual(
    toDraft({ field: 'created_at', op: 'gt', value: Date.UTC(2026, 0, 2) }).texts,
    ['2026-01-02'],
    'the first moment of a day is that day',
  );
});

it('a segment is built only if every rule has a value', () => {
  const tag = { field: 'tag', op: 'is', texts: ['VIP'] } as const;
  assert.equal(toRules('all', [tag, { field: 'name', op: 'contains', texts: [' '] }]), null);
  assert.equal(toRules('all', [{ field: 'tag', op: 'in', texts: ['', ' '] }]), null);
  assert.deepEqual(toRules('all', [tag]), { all: [{ field: 'tag', op: 'is', value: 'VIP' }] });
});

it('a segment rule loses its value if the value does not fit the new field or operator', () => {
  const tag = { field: 'tag', op: 'is', texts: ['VIP'] } as const;
  assert.deepEqual(withField(tag, 'created_at'), { field: 'created_at', op: 'within_days', texts: [] });
  assert.deepEqual(withOp(tag, 'is_not').texts, ['VIP']);
  assert.deepEqual(withOp(tag, 'exists').texts, []);
});

it('segment rules offer exactly the operators that the gateway accepts', () => {
  for (const [field, ops] of Object.entries(FIELD_OPS)) assert.deepEqual([...opsOf(field)].sort(), [...ops].sort(), field);
  assert.equal(MAX_RULES, MOST);
});
