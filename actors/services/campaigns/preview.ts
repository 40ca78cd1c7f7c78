import { fairSlices } from '../../../runtime/fair-slices.ts';
import { at } from '../../../runtime/invariant.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { CampaignDraft } from '../../../store/campaigns/campaigns.ts';
import type { Chats } from '../../../store/conversations/chats.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import type { Plan } from '../../domain/plans.ts';
import { settingsOf } from '../../domain/settings.ts';
import { unknownTokensIn } from '../../domain/text-tokens.ts';
import type { Person as NetworkPerson } from '../../network/person.ts';
import { addressOf, personIn } from '../../network/subject.ts';
import type { OptedOut } from '../consent/opted-out.ts';
import type { FormsOf } from '../identities/forms.ts';
import type { LookUp, PersonReader } from '../identities/person-reader.ts';
import type { Quota } from '../messaging/quota.ts';
import { monthOf } from '../messaging/sending.ts';
import type { Audiences } from './audiences.ts';
import { lacksValue, needsMore, tokenTextOf, writerOf } from './campaign-texts.ts';
import type { Listed } from './campaigns.ts';
import { expectedTimes } from './expected-times.ts';
import { UNNAMED } from './recipient-rows.ts';
import type { WrittenLately } from './written-lately.ts';

export interface PreviewDeps {
  readonly personReader: Pick<PersonReader, 'all'>;
  readonly audiences: Pick<Audiences, 'read' | 'tagged' | 'known'>;
  readonly optedOut: OptedOut;
  readonly formsOf: FormsOf;
  readonly writtenLately: WrittenLately;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly quota: Pick<Quota, 'used'>;
  readonly devices: Pick<Devices, 'list'>;
  readonly chats: Pick<Chats, 'these'>;
  ofRotator(tenantId: string, rotatorId: string): Promise<readonly string[]>;
}

/** Why somebody who is listed, or in the audience, would get nothing; the last two of official numbers only. */
type Skipped = Record<'opted_out' | 'invalid' | 'ambiguous' | 'duplicate' | 'no_number' | 'recently_messaged', number> &
  Partial<Record<'window_closed' | 'no_template_value', number>>;

/** A campaign as it would go out if it were started now. Times are epoch ms. */
export interface Preview {
  /** How many would get a message. */
  readonly recipients: number;
  readonly skipped: Readonly<Skipped>;
  /** Tokens of the text that nothing can fill. */
  readonly unknown_tokens: readonly string[];
  readonly sample: readonly PreviewedText[];
  /** When the first message would leave; null: nobody would get one. */
  readonly starts_at: number | null;
  /** An estimate for the last one; null: nobody would get one, or it would take over a year. */
  readonly ends_at: number | null;
  /** Messages that the plan still allows this month; null: any number. */
  readonly quota_left: number | null;
  readonly as_of: number;
}

export interface PreviewedText {
  readonly person: NetworkPerson;
  readonly text: string | null;
  /** Tokens that stay empty for this person. */
  readonly missing: readonly string[];
}

export interface PreviewOrder {
  readonly tenantId: string;
  readonly plan: Plan;
  readonly callingCode: string;
  readonly lookUp?: LookUp;
  readonly draft: CampaignDraft;
  readonly listed: readonly Listed[];
}

const SAMPLE = 5;
const BATCH = 500;
const HOUR_MS = 3_600_000;

/** A recipient who was read; `digits` may be a hidden address. */
type Person = Listed & { readonly digits: string };

/**
 * Counts whom a campaign would reach and whom it would leave out, by the rules that its release follows. Stores
 * nothing. A long audience is read in slices between which others work.
 */
export async function previewOf(deps: PreviewDeps, order: PreviewOrder, now: number): Promise<Preview> {
  const { tenantId, draft, plan } = order;
  const nobody = { opted_out: 0, invalid: 0, ambiguous: 0, duplicate: 0, no_number: 0, recently_messaged: 0 };
  const devices = await devicesOf(deps, tenantId, draft);
  const isOfficial = Boolean(draft.official) || devices.some(({ official }) => official);
  const skipped: Skipped = { ...nobody, ...(isOfficial && { window_closed: 0, no_template_value: 0 }) };
  const seen = new Set<string>();
  const sample: PreviewedText[] = [];
  let recipients = 0;
  for await (const some of peopleOf(deps, order, skipped, now)) {
    const found = await fairSlices.run(tenantId, () => reached(deps, order, some, { skipped, seen }, now));
    const wanted = await fairSlices.run(tenantId, () => sendable(deps, order, devices, found, skipped, now));
    recipients += wanted.length;
    if (sample.length < SAMPLE) sample.push(...(await textsFor(deps, order, wanted.slice(0, SAMPLE - sample.length))));
  }
  const tenant = await deps.tenants.find(tenantId);
  const times = tenant && {
    settings: settingsOf(tenant),
    timezone: tenant.profile.timezone,
    devices,
    from: Math.max(now, draft.scheduled_at ?? now),
  };
  return {
    recipients,
    skipped,
    unknown_tokens: unknownTokensIn(tokenTextOf(draft)),
    sample,
    ...(times && recipients > 0 ? expectedTimes({ ...times, messages: recipients }) : { starts_at: null, ends_at: null }),
    quota_left: plan.overage ? null : Math.max(0, plan.messages - (await deps.quota.used(tenantId, monthOf(now, plan.zone)))),
    as_of: now,
  };
}

async function* peopleOf(deps: PreviewDeps, order: PreviewOrder, skipped: Skipped, now: number): AsyncGenerator<readonly Person[]> {
  const { tenantId, callingCode, lookUp, listed, draft } = order;
  for (let from = 0; from < listed.length; from += BATCH) {
    const some = listed.slice(from, from + BATCH);
    const phones = some.map(({ phone }) => phone);
    await fairSlices.turn(tenantId);
    // Not within a slice: the network may be asked.
    const reads = await deps.personReader.all({ tenantId, callingCode }, phones, lookUp);
    yield some.flatMap((one, nth) => {
      const read = at(reads, nth);
      if (read.kind === 'person') return [{ ...one, digits: read.subject }];
      skipped[read.kind === 'ambiguous' ? 'ambiguous' : 'invalid'] += 1;
      return [];
    });
  }
  const { audience, exclude_tag_ids = [] } = draft;
  for (let next: string | null = audience ? '' : null; audience && next !== null; ) {
    const place = { afterId: next, limit: BATCH };
    const found = await fairSlices.run(tenantId, () => deps.audiences.read(tenantId, audience, exclude_tag_ids, place, now));
    yield found.phones.map((digits) => ({ phone: digits, digits }));
    next = found.next;
  }
}

async function reached(
  deps: PreviewDeps,
  { tenantId, draft }: PreviewOrder,
  people: readonly Person[],
  { skipped, seen }: { readonly skipped: Skipped; readonly seen: Set<string> },
  now: number,
): Promise<readonly Person[]> {
  const phones = people.map(({ digits }) => digits);
  const [forms, out] = await Promise.all([deps.formsOf(tenantId, phones), deps.optedOut(tenantId, phones)]);
  const numbersOf = ({ digits }: Person): readonly string[] => forms.get(digits)?.all ?? [digits];
  const tagged = await deps.audiences.tagged(tenantId, draft.exclude_tag_ids ?? [], people.flatMap(numbersOf));
  const wanted = people.filter((one) => {
    if (numbersOf(one).some((phone) => tagged.has(phone))) return false;
    if (out.has(one.digits)) skipped.opted_out += 1;
    else if (seen.has(one.digits)) skipped.duplicate += 1;
    else {
      for (const phone of numbersOf(one)) seen.add(phone);
      return true;
    }
    return false;
  });
  const hours = draft.skip_if_messaged_within_hours;
  if (!hours) return wanted;
  const lately = await deps.writtenLately(tenantId, wanted.map(numbersOf), now - hours * HOUR_MS);
  skipped.recently_messaged += lately.filter(Boolean).length;
  return wanted.filter((_one, nth) => !lately[nth]);
}

/** Without those whom an official number may not write to: outside their window by free text, or without a value for its template. */
async function sendable(
  { audiences, chats }: PreviewDeps,
  { tenantId, draft }: PreviewOrder,
  devices: readonly DeviceRow[],
  people: readonly Person[],
  skipped: Skipped,
  now: number,
): Promise<readonly Person[]> {
  if (draft.official) {
    const known = needsMore(draft)
      ? await audiences.known(
          tenantId,
          people.map(({ digits }) => digits),
        )
      : new Map<string, never>();
    const write = writerOf(draft);
    const able = people.filter(({ digits, phone: _phone, ...given }) => {
      const written = write({ ...UNNAMED, ...given, phone: digits }, known.get(digits));
      return written !== null && !lacksValue(draft, written);
    });
    skipped.no_template_value = (skipped.no_template_value ?? 0) + people.length - able.length;
    return able;
  }
  const [device] = devices;
  if (!device?.official || devices.length > 1) return people;
  const addresses = people.map(({ digits }) => addressOf(digits));
  const rows = await chats.these(tenantId, device._id, addresses);
  const open = new Set(rows.flatMap(({ chat_id, window_until = 0 }) => (window_until > now ? [chat_id] : [])));
  const inWindow = people.filter(({ digits }) => open.has(addressOf(digits)));
  skipped.window_closed = (skipped.window_closed ?? 0) + people.length - inWindow.length;
  return inWindow;
}

async function textsFor(
  { audiences }: PreviewDeps,
  { tenantId, draft }: PreviewOrder,
  people: readonly Person[],
): Promise<readonly PreviewedText[]> {
  const known = await audiences.known(
    tenantId,
    people.map(({ digits }) => digits),
  );
  const write = writerOf(draft);
  return people.map(({ digits, phone: _phone, ...given }) => {
    const values = known.get(digits);
    const { text = null, missing = [] } = write({ ...UNNAMED, ...given, phone: digits }, values) ?? {};
    return {
      person: { ...personIn(digits), username: values?.username ?? null, name: (given.name?.trim() ? given.name : values?.name) ?? null },
      text,
      missing,
    };
  });
}

async function devicesOf({ devices, ofRotator }: PreviewDeps, tenantId: string, { session_id, rotator_id }: CampaignDraft) {
  return devices.list(tenantId, session_id === null ? await ofRotator(tenantId, rotator_id ?? '') : [session_id]);
}
