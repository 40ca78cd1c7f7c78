import type { LabelLists, TemplateRow } from '../../../store/contacts/labels.ts';
import { beyondLimit } from '../../domain/plans.ts';
import { DEFAULT_COLOR, type LabelWriter, MAX_LABELS, newTag, tagKey } from '../contacts/labels.ts';
import { MAX_TEMPLATES, newTemplate } from '../contacts/templates.ts';
import type { PackText } from './packs/pack.ts';

export type Language = 'en' | 'id';

export interface ChosenPack {
  readonly industry: string;
  readonly language: Language;
  readonly text: PackText;
}

export interface Added {
  readonly templates: number;
  readonly tags: number;
  readonly auto_replies: number;
}

export const packKey = ({ industry, language }: ChosenPack, key: string): string => `${industry}.${language}.${key}`;

export async function addTags(labelWriter: LabelWriter, { text }: ChosenPack): Promise<number> {
  const { labels, tenantId, labelIndex, now } = labelWriter;
  let added = 0;
  for (const name of text.tags.filter((one) => !labelIndex.tags.everCalled(tagKey(one)))) {
    const outcome = await labels.tags.add(newTag(tenantId, name, DEFAULT_COLOR, now), MAX_LABELS.tags);
    if (outcome === 'full') throw beyondLimit(MAX_LABELS.tags, { en: 'tags', id: 'tag' });
    if (outcome === 'added') added += 1;
  }
  return added;
}

export async function addTemplates({ templates }: LabelLists, tenantId: string, pack: ChosenPack, now: number): Promise<number> {
  const there = await templates.list(tenantId);
  let added = 0;
  for (const [key, [name, body]] of Object.entries(pack.text.templates)) {
    const made = templateOf(tenantId, pack, { key, name, body }, now);
    const isThere = there.some((one) => one.pack === made.pack);
    if (!isThere && (await templates.add(made, MAX_TEMPLATES)) === 'added') added += 1;
  }
  return added;
}

interface TemplateText {
  readonly key: string;
  readonly name: string;
  readonly body: string;
}

const templateOf = (tenantId: string, pack: ChosenPack, { key, name, body }: TemplateText, now: number): TemplateRow =>
  newTemplate(
    tenantId,
    { name, message_type: 'text', body, media_r2_key: null, caption: null, language: pack.language },
    packKey(pack, key),
    now,
  );
