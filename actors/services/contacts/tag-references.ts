import { folded } from '../../../store/contacts/contacts.ts';
import type { SegmentRow, TagRow } from '../../../store/contacts/labels.ts';
import type { LabelIndex } from './labels.ts';
import type { Rule, Rules } from './segment-rules.ts';

/**
 * Tags in the rules of segments. Callers write and read names; the store keeps the ids beside them (`tag_ids` of a
 * rule, in store/contacts/labels.ts), so that a segment follows a tag that is renamed and never takes in another tag
 * that gets the old name. A tag that was removed is gone: a rule that meant it finds nobody.
 */
type Named = Pick<SegmentRow, 'rules' | 'updated_at'>;
type Tags = Pick<LabelIndex, 'tags'>;

/** The name of no tag. */
export const NO_TAG = '';

/** Rules to be stored. `updated_at`: when their names were written, epoch ms. */
export function withTagIds({ rules, updated_at }: Named, labelIndex: Tags): Rules {
  return eachTagRule(rules, (rule, names) => ({
    ...rule,
    tag_ids: names.map((name, nth) => rule.tag_ids?.[nth] ?? labelIndex.tags.meantAt(folded(name), updated_at)?._id ?? null),
  }));
}

/** The rules of a segment by the present names, to be compiled. */
export const rulesNow = (segment: Named, labelIndex: Tags): Rules => renamed(segment, labelIndex, () => NO_TAG);

/** The rules of a segment as callers read them. */
export const shownRules = (segment: Named, labelIndex: Tags): Rules => renamed(segment, labelIndex, (name) => name);

function renamed(segment: Named, labelIndex: Tags, whenGone: (name: string) => string): Rules {
  return eachTagRule(withTagIds(segment, labelIndex), ({ tag_ids = [], ...rule }, names) => {
    const now = names.map((name, nth) => {
      const id = tag_ids[nth] ?? null;
      return id === null ? name : nameOf(labelIndex.tags.byId(id), name, whenGone);
    });
    return { ...rule, value: Array.isArray(rule.value) ? now : (now[0] ?? '') };
  });
}

/** The spelling of the caller stays while it is the same name. */
function nameOf(tag: TagRow | undefined, written: string, whenGone: (name: string) => string): string {
  if (!tag) return whenGone(written);
  return tag.key === folded(written) ? written : tag.name;
}

function eachTagRule({ all, any }: Rules, change: (rule: Rule, names: readonly string[]) => Rule): Rules {
  const rules = (all ?? any ?? []).map((rule) => {
    if (rule.field !== 'tag' || rule.op === 'exists') return rule;
    return change(rule, Array.isArray(rule.value) ? rule.value : [String(rule.value)]);
  });
  return all ? { all: rules } : { any: rules };
}
