import type { CampaignRow } from '../../../store/campaigns/campaigns.ts';
import type { ListedValues, RecipientRow } from '../../../store/campaigns/recipients.ts';
import type { OptedOut } from '../consent/opted-out.ts';
import type { Forms, FormsOf } from '../identities/forms.ts';
import type { Audiences } from './audiences.ts';
import { lacksValue, needsMore, type Written, writerOf } from './campaign-texts.ts';
import type { WrittenLately } from './written-lately.ts';

/**
 * Decides which people a campaign leaves out, and why. The preview and the release share this code.
 * Reasons are checked in the order of `LeftOut`. Consent, tags and earlier messages are read from
 * the store at the time of the call. Nothing is written.
 */

export interface LeftOutDeps {
  readonly optedOut: OptedOut;
  readonly formsOf: FormsOf;
  readonly audiences: Pick<Audiences, 'known' | 'tagged'>;
  readonly writtenLately: WrittenLately;
}

export type LeftOut = 'opted_out' | 'excluded' | 'duplicate' | 'recently_messaged' | 'no_template_value' | 'text_too_long' | 'empty_text';

type Content = Pick<
  CampaignRow,
  'message_type' | 'body' | 'caption' | 'media_r2_key' | 'official' | 'exclude_tag_ids' | 'skip_if_messaged_within_hours'
>;

export type Person = ListedValues & Pick<RecipientRow, 'phone'>;

/** `written` is null if the person is left out for an earlier reason, or the text is too long. */
export interface Judged<P> {
  readonly person: P;
  readonly reason: LeftOut | null;
  readonly written: Written | null;
  /** The person's canonical number or hidden address. */
  readonly standing: string;
}

export interface JudgeOrder<P> {
  readonly tenantId: string;
  readonly content: Content;
  /** Returns people who are also listed under another number. Called only for people not yet left out. */
  listedBefore(people: readonly P[], forms: Forms): Promise<ReadonlySet<P>> | ReadonlySet<P>;
}

const HOUR_MS = 3_600_000;

export async function judged<P extends Person>(
  deps: LeftOutDeps,
  { tenantId, content, listedBefore }: JudgeOrder<P>,
  people: readonly P[],
  now: number,
): Promise<readonly Judged<P>[]> {
  const phones = people.map(({ phone }) => phone);
  const [forms, out] = await Promise.all([deps.formsOf(tenantId, phones), deps.optedOut(tenantId, phones)]);
  const numbersOf = ({ phone }: P): readonly string[] => forms.get(phone)?.all ?? [phone];
  const standingOf = ({ phone }: P): string => forms.get(phone)?.phone ?? phone;
  const reasons = new Map<P, LeftOut>();
  const texts = new Map<P, Written>();
  let rest = people;
  const leave = (reason: LeftOut, isOut: (person: P, nth: number) => boolean): void => {
    for (const [nth, person] of rest.entries()) if (isOut(person, nth)) reasons.set(person, reason);
    rest = rest.filter((person) => !reasons.has(person));
  };

  leave('opted_out', ({ phone }) => out.has(phone));
  const { exclude_tag_ids: tags = [], skip_if_messaged_within_hours: hours } = content;
  const tagged = tags.length > 0 ? await deps.audiences.tagged(tenantId, tags, rest.flatMap(numbersOf)) : NOBODY;
  leave('excluded', (person) => numbersOf(person).some((phone) => tagged.has(phone)));
  const before = await listedBefore(rest, forms);
  leave('duplicate', (person) => before.has(person));
  const lately = hours ? await deps.writtenLately(tenantId, rest.map(numbersOf), now - hours * HOUR_MS) : [];
  leave('recently_messaged', (_person, nth) => lately[nth] === true);

  const known = await deps.audiences.known(tenantId, needsMore(content) ? rest.map(standingOf) : []);
  const write = writerOf(content);
  for (const person of rest) {
    const written = write(person, known.get(standingOf(person)));
    if (written) texts.set(person, written);
  }
  const textOf = (person: P): Written | undefined => texts.get(person);
  leave('text_too_long', (person) => !texts.has(person));
  leave('no_template_value', (person) => lacksValue(content, textOf(person) ?? NOTHING));
  leave('empty_text', (person) => content.message_type === 'text' && !textOf(person)?.text?.trim());
  return people.map((person) => ({
    person,
    reason: reasons.get(person) ?? null,
    written: texts.get(person) ?? null,
    standing: standingOf(person),
  }));
}

const NOBODY: ReadonlySet<string> = new Set();
const NOTHING: Written = { text: null, missing: [] };
