import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { nameOfDevice } from '../../ui/device-choice.tsx';
import { words } from './words.ts';

export type Campaign = Schemas['BlastCampaign'];

export interface Names {
  readonly devices: ReadonlyMap<string, string>;
  readonly segments: ReadonlyMap<string, string>;
  /** Devices on the official platform, which charges for messages. */
  readonly official: ReadonlySet<string>;
}

export const NO_NAMES: Names = { devices: new Map(), segments: new Map(), official: new Set() };

export async function loadNames(signal: AbortSignal): Promise<Names> {
  const [{ sessions }, { segments }] = await Promise.all([call('listSessions', {}, { signal }), call('listSegments', {}, { signal })]);
  return {
    devices: new Map(sessions.map((one) => [one.id, nameOfDevice(one)])),
    segments: new Map(segments.map(({ id, name }) => [id, name])),
    official: new Set(sessions.filter(({ driver }) => driver === 'official').map(({ id }) => id)),
  };
}

export const doneOf = ({ sent_count, failed_count, skipped_count, total_recipients }: Campaign): number =>
  Math.min(total_recipients, sent_count + failed_count + skipped_count);

export const queuedOf = (campaign: Campaign): number => Math.max(0, campaign.total_recipients - doneOf(campaign));

export const isPlanned = ({ status, scheduled_at }: Campaign): boolean => status === 'draft' && scheduled_at !== null;

export function audienceText(campaign: Campaign, names: Names): string {
  const without = leftOutText(campaign.exclude_tags, campaign.skip_if_messaged_within_hours);
  return [chosenText(campaign, names), ...without].join(' ');
}

/** Describes the people who are left out of a chosen audience. */
export function leftOutText(tags: readonly string[], quietHours: number | null): readonly string[] {
  const t = words();
  return [
    ...(tags.length > 0 ? [t.withoutTags(tags)] : []),
    ...(quietHours === null ? [] : [t.withoutRecent(Math.ceil(quietHours / HOURS_A_DAY))]),
  ];
}

const HOURS_A_DAY = 24;

function chosenText({ all_contacts, tags, tag, segment_id, resend_of }: Campaign, names: Names): string {
  const t = words();
  if (resend_of !== null) return t.toAgain;
  if (all_contacts) return t.audiences.all;
  const chosen = tag === null ? tags : [tag];
  if (chosen.length > 0) return t.toTags(chosen);
  if (segment_id !== null) return t.toSegment(names.segments.get(segment_id) ?? '');
  return t.toList;
}

export function senderText({ session_id, rotator_id }: Campaign, names: Names): string {
  if (rotator_id !== null) return words().rotator;
  return session_id === null ? '' : (names.devices.get(session_id) ?? '');
}

/** The devices of a rotator are not known here, so any official device may have sent the messages. */
export const mayCost = ({ session_id }: Campaign, { official }: Names): boolean =>
  session_id === null ? official.size > 0 : official.has(session_id);
