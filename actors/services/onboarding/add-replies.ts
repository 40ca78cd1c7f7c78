import { derivedId } from '../../../runtime/derived-ids.ts';
import type { AutoReplies, RuleRow } from '../../../store/auto-reply/auto-replies.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { MAX_RULES, RULE_DEFAULTS } from '../auto-reply/rules.ts';
import { type ChosenPack, packKey } from './apply.ts';

export async function addReplies(
  autoReplies: Pick<AutoReplies, 'change'>,
  { tenant_id, _id, created_at }: Pick<DeviceRow, 'tenant_id' | '_id' | 'created_at'>,
  pack: ChosenPack,
  now: number,
): Promise<number> {
  let added = 0;
  await autoReplies.change(tenant_id, _id, (rules) => {
    const there = new Set(rules.map(({ id }) => id));
    // A rule's ID is derived from its key, so that the rule is recognised even if it was changed.
    const idOf = (key: string): string => derivedId(`pack ${packKey(pack, key)} ${_id}`, created_at);
    const fresh = Object.entries(pack.text.replies)
      .filter(([key]) => !there.has(idOf(key)))
      .map(([key, [name, label, reply]]) => ruleOf(idOf(key), { name, label, reply }, now))
      .slice(0, Math.max(0, MAX_RULES - rules.length));
    added = fresh.length;
    return [...rules, ...fresh];
  });
  return added;
}

interface ReplyText {
  readonly name: string;
  readonly label: string;
  readonly reply: string;
}

const PRIORITY = -10;

function ruleOf(id: string, { name, label, reply }: ReplyText, created_at: number): RuleRow {
  return { ...RULE_DEFAULTS, id, name, trigger_type: 'contains', trigger_text: label, reply_body: reply, priority: PRIORITY, created_at };
}
