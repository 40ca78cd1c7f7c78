import assert from 'node:assert/strict';
import { it } from 'node:test';
import { autoRepliesIn, type RuleRow } from '../../../store/auto-reply/auto-replies.ts';
import { eachStore } from '../../support/stores.ts';

const AT_ONCE = 20;

const aRule = (id: string): RuleRow => ({
  id,
  name: id,
  trigger_type: 'any',
  trigger_text: null,
  match_case: 0,
  reply_type: 'text',
  reply_body: 'Hello',
  reply_r2_key: null,
  reply_caption: null,
  cooldown_ms: 0,
  priority: 0,
  is_active: 1,
  created_at: 1,
});

eachStore("concurrent changes to a device's rules", (kind) => {
  it('are applied one at a time, and each change is computed only once', async (t) => {
    const store = await kind.fresh(t);
    const autoReplies = autoRepliesIn(store);
    await store.prepare();
    let decided = 0;
    const add = (nth: number) =>
      autoReplies.change('t', 'd', (rules) => {
        decided += 1;
        return [...rules, aRule(`r${nth}`)];
      });
    await Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => add(nth)));
    assert.equal((await autoReplies.find('t', 'd'))?.rules.length, AT_ONCE);
    assert.equal(decided, AT_ONCE);
  });
});
