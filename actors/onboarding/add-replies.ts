import { derivedId } from '../../runtime/ids.ts';
import type { AutoReplies, RuleRow } from '../../store/auto-replies.ts';
import type { DeviceRow } from '../../store/devices.ts';
import { MOST_RULES, RULE_DEFAULTS } from '../auto-reply/rules.ts';
import { type ChosenPack, packKey } from './apply.ts';

/** Adds the answers of a pack to those of a device that are not there; how many. They come after the business's own. */
export async function addReplies(
  autoReplies: Pick<AutoReplies, 'change'>,
  { tenant_id, _id, created_at }: Pick<DeviceRow, 'tenant_id' | '_id' | 'created_at'>,
  pack: ChosenPack,
  now: number,
): Promise<number> {
  let added = 0;
  await autoReplies.change(tenant_id, _id, (rules) => {
    const there = new Set(rules.map(({ id }) => id));
    // The same id however often it is applied: it is known by it, whatever is changed of it.
    const idOf = (key: string): string => derivedId(`pack ${packKey(pack, key)} ${_id}`, created_at);
    const fresh = Object.entries(pack.text.replies)
      .filter(([key]) => !there.has(idOf(key)))
      .map(([key, [name, word, reply]]) => ruleOf(idOf(key), { name, word, reply }, now))
      .slice(0, Math.max(0, MOST_RULES - rules.length));
    added = fresh.length;
    return [...rules, ...fresh];
  });
  return added;
}

interface ReplyText {
  readonly name: string;
  readonly word: string;
  readonly reply: string;
}

const PRIORITY = -10;

function ruleOf(id: string, { name, word, reply }: ReplyText, created_at: number): RuleRow {
  return { ...RULE_DEFAULTS, id, name, trigger_type: 'contains', trigger_text: word, reply_body: reply, priority: PRIORITY, created_at };
}
