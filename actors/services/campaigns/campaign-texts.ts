import type { CampaignContent } from '../../../store/campaigns/campaigns.ts';
import type { ListedValues, RecipientRow } from '../../../store/campaigns/recipients.ts';
import { compile, MAX_CAPTION_LENGTH, MAX_TEXT_LENGTH, render, type TokenValues } from '../../domain/text-tokens.ts';
import { isLid } from '../../network/jid.ts';

type Content = Pick<CampaignContent, 'body' | 'caption' | 'media_r2_key'>;

/** The text for one person, null where there is none, and the tokens that stay empty in it; null: it comes out too long. */
type Write = (
  person: Listed,
  known: TokenValues | undefined,
) => { readonly text: string | null; readonly missing: readonly string[] } | null;

/** What of a recipient fills tokens. */
type Listed = ListedValues & Pick<RecipientRow, 'phone'>;

export function writerOf(row: Content): Write {
  const text = textOf(row);
  const compiled = compile(text ?? '');
  if (compiled.tokens.length === 0) return () => ({ text, missing: [] });
  // A `body` under a file may be as long as any.
  const maxLength = text === row.body ? MAX_TEXT_LENGTH : MAX_CAPTION_LENGTH;
  return (person, known) => render(compiled, valuesOf(person, known), maxLength);
}

/** Under a file `caption` wins over `body`. */
export const textOf = ({ body, caption, media_r2_key }: Content): string | null => (media_r2_key === null ? body : (caption ?? body));

/** Does it have tokens? */
export const needsMore = (row: Content): boolean => textOf(row)?.includes('{') ?? false;

/** Listed values win over known ones, unless they are blank. */
function valuesOf(listed: Listed, known: TokenValues = {}): TokenValues {
  const value = (field: keyof ListedValues): string | null => (listed[field]?.trim() ? listed[field] : (known[field] ?? null));
  return {
    phone: isLid(listed.phone) ? null : `+${listed.phone}`,
    name: value('name'),
    var1: value('var1'),
    var2: value('var2'),
    var3: value('var3'),
    var4: value('var4'),
    var5: value('var5'),
    ...(known.attrs && { attrs: known.attrs }),
  };
}
