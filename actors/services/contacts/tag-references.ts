import { folded } from '../../../store/contacts/contacts.ts';
import type { SegmentRow, TagRow } from '../../../store/contacts/labels.ts';
import type { LabelIndex } from './labels.ts';
import type { Rule, Rules } from './segment-rules.ts';

/**
 * Resolves tags in the rules of segments. Callers read and write the names of tags. The store also
 * keeps their ids (`tag_ids`, in store/contacts/labels.ts). A segment therefore still includes a
 * tag that was renamed, and never another tag that takes over the old name.
 */

type Named = Pick<SegmentRow, 'rules' | 'updated_at'>;
type Tags = Pick<LabelIndex, 'tags'>;

export const NO_TAG = '';

/** Adds tag ids to rules. `updated_at` is when the names in the rules were written. */
export function withTagIds({ rules, updated_at }: Named, labelIndex: Tags): Rules {
  return eachTagRule(rules, (rule, names) => ({
    ...rule,
    tag_ids: names.map((name, nth) => rule.tag_ids?.[nth] ?? labelIndex.tags.meantAt(folded(name), updated_at)?._id ?? null),
  }));
}

export const rulesNow = (segment: Named, labelIndex: Tags): Rules => renamed(segment, labelIndex, () => NO_TAG);

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
