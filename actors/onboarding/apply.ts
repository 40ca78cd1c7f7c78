import type { TemplateRow, WordLists } from '../../store/words.ts';
import { MOST_TEMPLATES, newTemplate } from '../crm/templates.ts';
import { type Scribe, tagIdsFor, type Vocabulary } from '../crm/vocabulary.ts';
import type { PackText } from './packs/pack.ts';

export type Language = 'en' | 'id';

/** A pack in one language, under its industry. */
export interface ChosenPack {
  readonly industry: string;
  readonly language: Language;
  readonly text: PackText;
}

/** How many of each were not there before. */
export interface Added {
  readonly templates: number;
  readonly tags: number;
  readonly auto_replies: number;
}

/** What something of a pack is known by, wherever it was renamed to. */
export const packKey = ({ industry, language }: ChosenPack, key: string): string => `${industry}.${language}.${key}`;

/** Adds the tags that are not there; how many. Refuses LIMIT_REACHED. */
export async function addTags(scribe: Scribe, { text }: ChosenPack): Promise<number> {
  const before = scribe.vocabulary.tags.size;
  await tagIdsFor(scribe, text.tags);
  return sizeOf(scribe.vocabulary) - before;
}

const sizeOf = ({ tags }: Vocabulary): number => tags.size;

/** Adds the templates that are not there, by what they are known by and by name; how many. */
export async function addTemplates({ templates }: WordLists, tenantId: string, pack: ChosenPack, now: number): Promise<number> {
  const there = await templates.list(tenantId);
  let added = 0;
  for (const [key, [name, body]] of Object.entries(pack.text.templates)) {
    const made = templateOf(tenantId, pack, { key, name, body }, now);
    const isThere = there.some((one) => one.pack === made.pack);
    if (!isThere && there.length + added < MOST_TEMPLATES && (await templates.add(made))) added += 1;
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
