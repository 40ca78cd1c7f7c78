import type { GroupRecord, MemberResult } from '../../../actors/network/groups.ts';
import { phoneOf } from '../../../actors/network/jid.ts';
import { isOurLimit } from '../../../actors/network/network-refusal.ts';
import { actOnce, keyFrom, NETWORK_CALL_MS } from '../../../actors/services/messaging/idempotency.ts';
import { momentOfId } from '../../../runtime/derived-ids.ts';
import type { IdempotencyKeys } from '../../../store/messaging/idempotency.ts';
import type { DeviceCall } from '../../core/row.ts';
import { askNetwork } from '../network-features/ask.ts';
import { shownResults } from './results.ts';
import { type AtDevice, digitsOfAll, type GroupServices, shownNew } from './services.ts';

export interface NewGroupServices extends GroupServices {
  readonly idempotency: IdempotencyKeys;
}

export interface NewGroupBody {
  readonly subject: string;
  readonly participants: readonly string[];
}

const KEPT_MS = 86_400_000;
/** Allowed clock difference, because the network's clock may be behind the gateway's. */
const SKEW_MS = 60_000;
/** Status of a member if the network's result for that member was lost. */
const NOT_KNOWN = 408;

type Making = DeviceCall<unknown, unknown, NewGroupBody>;

/** Creates a group, unless an earlier call created it but could not respond. */
export async function makeGroup(services: NewGroupServices, call: Making) {
  const { caller, device, body, sent, header, now } = call;
  const participants = await digitsOfAll(services, caller, body.participants);
  const request = ['group', device._id, sent];
  const asked = { key: keyFrom(header('idempotency-key')), tenantId: caller.tenantId, request, takesMs: NETWORK_CALL_MS };
  const { answer } = await actOnce(services, asked, now, async (id, isAgain, acted) => {
    const made = isAgain ? await madeBefore(services, call, begunAt(id, now)) : null;
    if (made) return shown(services, call, made, resultsIn(made, participants));
    const { group, results } = await askNetwork(services, device, 'groups.create', {
      subject: body.subject,
      participants,
      community: null,
    });
    acted();
    return shown(services, call, group, results);
  });
  return answer;
}

/**
 * Returns the time of the call, which its id contains. If the clock has been set back since then,
 * returns the earliest time that the call may have had.
 */
const begunAt = (id: string, now: number): number => (momentOfId(id) > now ? now - KEPT_MS : momentOfId(id));

const shown = async (services: GroupServices, at: AtDevice, group: GroupRecord, results: readonly MemberResult[]) => ({
  ...(await shownNew(services, at, group)),
  results: shownResults(results),
});

async function madeBefore(services: GroupServices, { device, body }: Making, since: number): Promise<GroupRecord | null> {
  const limit = await askNetwork(services, device, 'groups.list', {}).then(
    () => null,
    (cause: unknown) => {
      if (!isOurLimit(cause)) throw cause;
      return cause;
    },
  );
  const rows = await services.groups.of(device);
  const ours = rows.map(({ record }) => record).filter((group) => group.subject === body.subject && isOf(device.phone_number, group));
  const apart = ({ creation }: GroupRecord): number => Math.abs((creation ?? 0) * 1_000 - since);
  // Other calls may have created groups with the same subject, so the group closest in time is
  // used.
  const [made] = ours
    .filter(({ creation }) => (creation ?? 0) * 1_000 >= since - SKEW_MS)
    .toSorted((one, other) => apart(one) - apart(other));
  // The network's list could not be read, so the group may exist after all.
  if (!made && limit !== null) throw limit;
  return made ?? null;
}

const isOf = (phone: string | null, { owner, members }: GroupRecord): boolean =>
  phone !== null &&
  ((owner !== null && phoneOf(owner) === phone) || members.some((one) => one.admin === 'superadmin' && one.phone === phone));

const resultsIn = ({ members }: GroupRecord, participants: readonly string[]): readonly MemberResult[] =>
  participants.map((phone) => {
    const member = members.find((one) => one.phone === phone);
    return {
      person: { phone, lid: member?.lid ?? null, username: member?.username ?? null, name: null },
      code: member ? null : NOT_KNOWN,
      invite: null,
    };
  });
