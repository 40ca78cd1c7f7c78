import type { CampaignContent, CampaignRow, CampaignTemplate } from '../../../store/campaigns/campaigns.ts';
import type { ListedValues, RecipientRow } from '../../../store/campaigns/recipients.ts';
import { shownText, templateObject } from '../../domain/official-templates.ts';
import { compile, MAX_CAPTION_LENGTH, MAX_TEXT_LENGTH, render, type TokenValues } from '../../domain/text-tokens.ts';
import { isLid } from '../../network/jid.ts';
import { valuesFor } from '../contacts/templates.ts';

type Content = Pick<CampaignContent, 'body' | 'caption' | 'media_r2_key'> & Pick<CampaignRow, 'official'>;

export interface Written {
  readonly text: string | null;
  readonly missing: readonly string[];
  readonly template?: Readonly<Record<string, unknown>>;
}

/** Fills in the text for a person. Returns null if the result is too long. */
type Write = (person: Listed, known: TokenValues | undefined) => Written | null;

type Listed = ListedValues & Pick<RecipientRow, 'phone'>;

export function writerOf(row: Content): Write {
  if (row.official) return templateWriterOf(row.official);
  const text = textOf(row);
  const compiled = compile(text ?? '');
  if (compiled.tokens.length === 0) return () => ({ text, missing: [] });
  // The text of a file may be as long as a text message. A caption may not.
  const maxLength = text === row.body ? MAX_TEXT_LENGTH : MAX_CAPTION_LENGTH;
  return (person, known) => render(compiled, valuesOf(person, known), maxLength);
}

function templateWriterOf(template: CampaignTemplate): Write {
  const variables = Object.fromEntries(template.variables.map(({ name, value }) => [name, value]));
  return (person, known) => {
    const given = valuesFor(variables, valuesOf(person, known));
    const missing = [...given].flatMap(([name, value]) => (value.trim() === '' ? [name] : []));
    const text = shownText(template.components, given);
    if (text.length > MAX_CAPTION_LENGTH) return null;
    return { text, missing, template: templateObject(template, given) };
  };
}

export const lacksValue = ({ official }: Content, { missing }: Written): boolean => Boolean(official) && missing.length > 0;

/** Only the values of an official template have placeholders; braces in its text are vendor variables. */
export const tokenTextOf = (row: Content): string => (row.official ? valuesIn(row.official) : (textOf(row) ?? ''));

export const tokenTextsOf = ({ body, caption, official }: Content): readonly (string | null)[] =>
  official ? [valuesIn(official)] : [body, caption];

const valuesIn = ({ variables }: CampaignTemplate): string => variables.map(({ value }) => value).join(' ');

export const textOf = ({ body, caption, media_r2_key }: Content): string | null => (media_r2_key === null ? body : (caption ?? body));

export const needsMore = (row: Content): boolean => tokenTextOf(row).includes('{');

/** Listed values take precedence over the contact's values, unless they are blank. */
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
