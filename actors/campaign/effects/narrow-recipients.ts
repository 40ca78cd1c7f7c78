import type { CampaignRow } from '../../../store/campaigns/campaigns.ts';
import type { RecipientRow, Recipients } from '../../../store/campaigns/recipients.ts';
import type { Audiences } from '../../services/campaigns/audiences.ts';
import type { WrittenLately } from '../../services/campaigns/written-lately.ts';
import type { Forms } from '../../services/identities/forms.ts';

export interface NarrowingDeps {
  readonly recipients: Pick<Recipients, 'settledAtOnce'>;
  readonly audiences: Pick<Audiences, 'tagged'>;
  readonly writtenLately: WrittenLately;
}

const HOUR_MS = 3_600_000;

/**
 * Leaves out whom the campaign itself leaves out: contacts with one of its excluded tags, and people to whom the
 * tenant wrote a short while ago. Asked when their turn comes, so that tags and messages since the start count.
 */
export async function narrowed(
  deps: NarrowingDeps,
  row: CampaignRow,
  people: readonly RecipientRow[],
  forms: Forms,
  now: number,
): Promise<readonly RecipientRow[]> {
  const numbersOf = ({ phone }: RecipientRow): readonly string[] => forms.get(phone)?.all ?? [phone];
  const { exclude_tag_ids = [], skip_if_messaged_within_hours: hours } = row;
  const tagged =
    exclude_tag_ids.length === 0 ? NOBODY : await deps.audiences.tagged(row.tenant_id, exclude_tag_ids, people.flatMap(numbersOf));
  const wanted = await settled(deps, people, 'excluded', (one) => numbersOf(one).some((phone) => tagged.has(phone)));
  if (!hours) return wanted;
  const lately = await deps.writtenLately(row.tenant_id, wanted.map(numbersOf), now - hours * HOUR_MS);
  return settled(deps, wanted, 'recently_messaged', (_one, nth) => lately[nth] === true);
}

const NOBODY: ReadonlySet<string> = new Set();

/** Skips some with a reason; gives the others. */
async function settled(
  { recipients }: NarrowingDeps,
  people: readonly RecipientRow[],
  reason: string,
  isOut: (person: RecipientRow, nth: number) => boolean,
): Promise<readonly RecipientRow[]> {
  const out = new Set(people.filter(isOut).map(({ _id }) => _id));
  await recipients.settledAtOnce([...out], 'skipped', reason);
  return people.filter(({ _id }) => !out.has(_id));
}
