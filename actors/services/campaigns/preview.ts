import { fairSlices } from '../../../runtime/fair-slices.ts';
import { at } from '../../../runtime/invariant.ts';
import type { TenantRow, Tenants } from '../../../store/accounts/tenants.ts';
import type { CampaignDraft } from '../../../store/campaigns/campaigns.ts';
import type { Chats } from '../../../store/conversations/chats.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import { OF_THE_BUSINESS } from '../../domain/phone-zones.ts';
import type { Plan } from '../../domain/plans.ts';
import { settingsOf } from '../../domain/settings.ts';
import { unknownTokensIn } from '../../domain/text-tokens.ts';
import type { Person as NetworkPerson } from '../../network/person.ts';
import { addressOf, personIn } from '../../network/subject.ts';
import type { Forms } from '../identities/forms.ts';
import type { LookUp, PersonReader } from '../identities/person-reader.ts';
import type { Quota } from '../messaging/quota.ts';
import { monthOf } from '../messaging/sending.ts';
import type { Audiences } from './audiences.ts';
import { tokenTextOf } from './campaign-texts.ts';
import { type Listed, listedValues } from './campaigns.ts';
import { CostCount, type CostEstimate, type EstimateDeps } from './cost-estimate.ts';
import { expectedTimes } from './expected-times.ts';
import { type Judged, judged, type LeftOut, type LeftOutDeps, type Person } from './left-out.ts';
import { recipientZone, UNNAMED } from './recipient-rows.ts';

export interface PreviewDeps extends LeftOutDeps, EstimateDeps {
  readonly personReader: Pick<PersonReader, 'all'>;
  readonly audiences: Pick<Audiences, 'read' | 'tagged' | 'known'>;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly quota: Pick<Quota, 'used'>;
  readonly devices: Pick<Devices, 'list'>;
  readonly chats: Pick<Chats, 'these'>;
  ofRotator(tenantId: string, rotatorId: string): Promise<readonly string[]>;
}

type Skipped = Record<Exclude<LeftOut, 'no_template_value'> | 'invalid' | 'ambiguous' | 'no_number', number> &
  Partial<Record<'window_closed' | 'no_template_value', number>>;

export interface Preview {
  readonly recipients: number;
  readonly skipped: Readonly<Skipped>;
  /** Placeholders for which no recipient can have a value. */
  readonly unknown_tokens: readonly string[];
  readonly sample: readonly PreviewedText[];
  readonly starts_at: number | null;
  readonly ends_at: number | null;
  /** Null if the quota is unlimited. */
  readonly quota_left: number | null;
  readonly cost_estimate: CostEstimate | null;
  readonly as_of: number;
}

export interface PreviewedText {
  readonly person: NetworkPerson;
  readonly text: string | null;
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

const NOBODY = {
  opted_out: 0,
  invalid: 0,
  ambiguous: 0,
  duplicate: 0,
  no_number: 0,
  excluded: 0,
  recently_messaged: 0,
  text_too_long: 0,
  empty_text: 0,
};
const SAMPLE = 5;
const BATCH = 50;

type Reached = Judged<Person>;

/** Counts people with the same rules as the release (left-out.ts), but stores nothing. */
export async function previewOf(deps: PreviewDeps, order: PreviewOrder, now: number): Promise<Preview> {
  const { tenantId, draft, plan } = order;
  const devices = await devicesOf(deps, tenantId, draft);
  const isOfficial = Boolean(draft.official) || devices.some(({ official }) => official);
  const skipped: Skipped = { ...NOBODY, ...(isOfficial && { window_closed: 0, no_template_value: 0 }) };
  const seen = new Set<string>();
  const sample: PreviewedText[] = [];
  const costs = new CostCount();
  const zones = new Map<string, number>();
  let recipients = 0;
  for await (const some of peopleOf(deps, order, skipped, now)) {
    const found = await fairSlices.run(tenantId, () => reached(deps, order, some, { skipped, seen }, now));
    const wanted = await fairSlices.run(tenantId, () => inWindow(deps, order, devices, found, skipped, now));
    recipients += wanted.length;
    for (const { person } of wanted) count(zones, recipientZone(person.phone));
    if (isOfficial) costs.add(wanted.map(({ person: { phone } }) => phone));
    if (sample.length < SAMPLE) sample.push(...(await textsFor(deps, order, wanted.slice(0, SAMPLE - sample.length))));
  }
  const tenant = await deps.tenants.find(tenantId);
  const times = tenant &&
    recipients > 0 && {
      settings: settingsOf(tenant),
      zones: zonesUsed(tenant, zones),
      devices,
      from: Math.max(now, draft.scheduled_at ?? now),
    };
  return {
    recipients,
    skipped,
    unknown_tokens: unknownTokensIn(tokenTextOf(draft)),
    sample,
    ...(times ? expectedTimes(times) : { starts_at: null, ends_at: null }),
    quota_left: plan.overage ? null : Math.max(0, plan.messages - (await deps.quota.used(tenantId, monthOf(now, plan.zone)))),
    cost_estimate: await costs.estimate(deps, draft, devices, now),
    as_of: now,
  };
}

/** Counts recipients by the time zone that the send window uses (send-window.ts). */
function zonesUsed(tenant: TenantRow, zones: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const isBusiness = settingsOf(tenant).send_window.zone === 'business';
  const used = new Map<string, number>();
  for (const [zone, people] of zones) count(used, isBusiness || zone === OF_THE_BUSINESS ? tenant.profile.timezone : zone, people);
  return used;
}

const count = (counts: Map<string, number>, key: string, more = 1): unknown => counts.set(key, (counts.get(key) ?? 0) + more);

async function* peopleOf(deps: PreviewDeps, order: PreviewOrder, skipped: Skipped, now: number): AsyncGenerator<readonly Person[]> {
  const { tenantId, callingCode, lookUp, listed, draft } = order;
  for (let from = 0; from < listed.length; from += BATCH) {
    const some = listed.slice(from, from + BATCH);
    const phones = some.map(({ phone }) => phone);
    await fairSlices.turn(tenantId);
    // Not done in a time slice, because reading people may query the network.
    const reads = await deps.personReader.all({ tenantId, callingCode }, phones, lookUp);
    yield some.flatMap((one, nth) => {
      const read = at(reads, nth);
      if (read.kind === 'person') return [{ ...listedValues(one), phone: read.subject }];
      skipped[read.kind === 'ambiguous' ? 'ambiguous' : 'invalid'] += 1;
      return [];
    });
  }
  const { audience, exclude_tag_ids = [] } = draft;
  for (let next: string | null = audience ? '' : null; audience && next !== null; ) {
    const place = { afterId: next, limit: BATCH };
    const found = await fairSlices.run(tenantId, () => deps.audiences.read(tenantId, audience, exclude_tag_ids, place, now));
    yield found.phones.map((phone) => ({ ...UNNAMED, phone }));
    next = found.next;
  }
}

async function reached(
  deps: PreviewDeps,
  { tenantId, draft }: PreviewOrder,
  people: readonly Person[],
  { skipped, seen }: { readonly skipped: Skipped; readonly seen: Set<string> },
  now: number,
): Promise<readonly Reached[]> {
  const listedBefore = (some: readonly Person[], forms: Forms): ReadonlySet<Person> => {
    const again = some.filter(({ phone }) => {
      if (seen.has(phone)) return true;
      for (const own of forms.get(phone)?.all ?? [phone]) seen.add(own);
      return false;
    });
    return new Set(again);
  };
  const all = await judged(deps, { tenantId, content: draft, listedBefore }, people, now);
  for (const { reason } of all) if (reason !== null) skipped[reason] = (skipped[reason] ?? 0) + 1;
  return all.filter(({ reason }) => reason === null);
}

/** Returns the people who have an open customer service window. Only they may be sent free text. */
async function inWindow(
  { chats }: PreviewDeps,
  { tenantId, draft }: PreviewOrder,
  devices: readonly DeviceRow[],
  people: readonly Reached[],
  skipped: Skipped,
  now: number,
): Promise<readonly Reached[]> {
  const [device] = devices;
  if (draft.official || !device?.official || devices.length > 1) return people;
  const addressIn = ({ person }: Reached): string => addressOf(person.phone);
  const rows = await chats.these(tenantId, device._id, people.map(addressIn));
  const open = new Set(rows.flatMap(({ chat_id, window_until = 0 }) => (window_until > now ? [chat_id] : [])));
  const within = people.filter((one) => open.has(addressIn(one)));
  skipped.window_closed = (skipped.window_closed ?? 0) + people.length - within.length;
  return within;
}

async function textsFor(
  { audiences }: PreviewDeps,
  { tenantId }: PreviewOrder,
  people: readonly Reached[],
): Promise<readonly PreviewedText[]> {
  const known = await audiences.known(
    tenantId,
    people.map(({ standing }) => standing),
  );
  return people.map(({ person: { phone, name }, standing, written }) => {
    const values = known.get(standing);
    return {
      person: { ...personIn(phone), username: values?.username ?? null, name: (name?.trim() ? name : values?.name) ?? null },
      text: written?.text ?? null,
      missing: written?.missing ?? [],
    };
  });
}

async function devicesOf({ devices, ofRotator }: PreviewDeps, tenantId: string, { session_id, rotator_id }: CampaignDraft) {
  return devices.list(tenantId, session_id === null ? await ofRotator(tenantId, rotator_id ?? '') : [session_id]);
}
