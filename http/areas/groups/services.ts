import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { GroupChanges, GroupRecord } from '../../../actors/network/groups.ts';
import { isLid, phoneOf } from '../../../actors/network/jid.ts';
import { isOurLimit } from '../../../actors/network/network-refusal.ts';
import { afterChanges } from '../../../actors/services/groups/group-facts.ts';
import { type GroupMetadata, toMetadata } from '../../../actors/services/groups/metadata.ts';
import { expectAll } from '../../../actors/services/identities/number-reader.ts';
import type { People } from '../../../actors/services/people/people.ts';
import { Refusal } from '../../../runtime/errors.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { GroupRow, Groups } from '../../../store/groups/groups.ts';
import { readPage } from '../../../store/paging/page.ts';
import type { Caller } from '../../core/row.ts';
import { pagesOfList } from '../../core/whole-lists.ts';
import { type AskingServices, askNetwork } from '../network-features/ask.ts';
import type { IdentityServices } from '../params.ts';

export interface GroupServices extends AskingServices, IdentityServices {
  readonly groups: Groups<GroupRecord>;
  readonly persons: People;
}

/** A call about the groups of a device. */
export interface AtDevice {
  readonly device: DeviceRow;
  readonly now: number;
}

/** A group as the network has it now. Refuses as the network does. */
export async function groupOf(services: GroupServices, at: AtDevice, id: string): Promise<GroupMetadata> {
  return shownGroup(services, at, await askNetwork(services, at.device, 'groups.get', { id }));
}

/** Shows what the network just told. */
async function shownGroup({ groups, persons }: GroupServices, { device }: AtDevice, record: GroupRecord): Promise<GroupMetadata> {
  const kept = await groups.find(device, record.id);
  return toMetadata(persons, device.tenant_id, record, kept?.picture?.key ?? null);
}

/** Shows what the network made: that succeeded, even where our store cannot tell the names of people now. */
export async function shownNew(services: GroupServices, at: AtDevice, record: GroupRecord): Promise<GroupMetadata> {
  try {
    return await shownGroup(services, at, record);
  } catch {
    return toMetadata(AS_TOLD, at.device.tenant_id, record, null);
  }
}

/**
 * A group after a change that the network made: as it has it now, else as it was known before with these changes. Where nothing is known of it the
 * refusal says that it was changed.
 */
export async function groupAfter(services: GroupServices, at: AtDevice, id: string, changes: GroupChanges = {}): Promise<GroupMetadata> {
  try {
    return await groupOf(services, at, id);
  } catch (cause) {
    const row = await services.groups.find(at.device, id).catch(() => null);
    if (row) return shownNew(services, at, afterChanges(row.record, changes));
    if (!(cause instanceof Refusal)) throw cause;
    throw new Refusal(cause.code, { ...cause.details, reason: CHANGED });
  }
}

const CHANGED = {
  en: 'it was changed; how the group is now could not be read',
  id: 'sudah diubah; keadaan grup sekarang tidak dapat dibaca',
};

const AS_TOLD: People = { describe: async (_tenant, some) => some, whole: async (_tenant, some) => some };

/** Where a page of groups begins, as a query says it. */
export interface GroupQuery {
  readonly limit?: number;
  readonly before?: string;
}

export const groupQuery = Joi.object<GroupQuery>(pagesOfList);

/**
 * A page of the groups of a device, or of its communities, by address. The network is asked for the list once a minute; in between it is what the
 * network told since, which its device keeps as it comes. Refuses NOT_CONNECTED, and as the network does.
 */
export async function groupPage(
  services: GroupServices,
  { device, query }: AtDevice & { readonly query: GroupQuery },
  isCommunity: boolean,
): Promise<{ readonly groups: readonly GroupMetadata[]; readonly next_before: string | null }> {
  const { groups, persons } = services;
  await askNetwork(services, device, 'groups.list', {}).catch((cause) => {
    if (!isOurLimit(cause)) throw cause;
  });
  const { entries, next } = await readPage<GroupRow<GroupRecord>, GroupMetadata>({
    owner: device.tenant_id,
    page: { limit: query.limit ?? Number.MAX_SAFE_INTEGER, before: null, beforeId: query.before ?? null },
    list: ({ limit, beforeId }) => groups.behind(device, beforeId ?? '', limit),
    placeOf: ({ group_id }) => ({ at: 0, id: group_id }),
    keep: (rows) => rows.filter(({ record }) => record.isCommunity === isCommunity),
    show: (rows) => shownGroups(persons, device.tenant_id, rows),
  });
  return { groups: entries, next_before: next?.id ?? null };
}

async function shownGroups(persons: People, tenantId: string, rows: readonly GroupRow<GroupRecord>[]): Promise<readonly GroupMetadata[]> {
  const people = await persons.describe(
    tenantId,
    rows.flatMap(({ record }) => record.members),
  );
  let taken = 0;
  return Promise.all(
    rows.map(({ record, picture }) => {
      const members = people.slice(taken, taken + record.members.length);
      taken += record.members.length;
      return toMetadata(AS_TOLD, tenantId, { ...record, members }, picture?.key ?? null);
    }),
  );
}

/** The digits of people as callers name them: by number or address. Refuses INVALID_NUMBER, INVALID_JID. */
export async function digitsOfAll(
  { people, numbers }: IdentityServices,
  caller: Caller,
  named: readonly string[],
): Promise<readonly string[]> {
  const chats = expectAll(await numbers.chats(caller, named));
  const addresses = await Promise.all(chats.map((chat) => people.resolve(caller.tenantId, chat)));
  const digits = addresses.map((address) => {
    const phone = phoneOf(address);
    if (phone === null) throw refusal('INVALID_NUMBER', { reason: address });
    return phone;
  });
  return [...new Set(digits)];
}

/**
 * People of a group, as callers name them: digits, or the hidden address of those whose number nobody tells, where the group shows it. Refuses
 * INVALID_NUMBER, INVALID_JID.
 */
export async function membersNamed(
  services: GroupServices,
  { caller }: { readonly caller: Caller },
  named: readonly string[],
  group: GroupRecord | null,
): Promise<readonly string[]> {
  const hidden = new Set(group?.members.flatMap(({ lid }) => lid ?? []));
  const isMember = named.map((text) => isLid(text) && hidden.has(text));
  const resolved = await Promise.all(named.map(async (text, at) => (isMember[at] ? services.people.resolve(caller.tenantId, text) : text)));
  const lids = resolved.filter((text, at) => isMember[at] && isLid(text));
  const others = resolved.filter((text) => !lids.includes(text));
  return [...(await digitsOfAll(services, caller, others)), ...new Set(lids)];
}

/** People as callers name them, members or not: digits, or the hidden address of those whose number is not known. Refuses as `digitsOfAll`. */
export async function peopleNamed(services: IdentityServices, caller: Caller, named: readonly string[]): Promise<readonly string[]> {
  const resolved = await Promise.all(named.map((text) => (isLid(text) ? services.people.resolve(caller.tenantId, text) : text)));
  const hidden = resolved.filter(isLid);
  return [
    ...(await digitsOfAll(
      services,
      caller,
      resolved.filter((text) => !isLid(text)),
    )),
    ...new Set(hidden),
  ];
}

/** The group as it was told last; one that is not known is asked for. */
export async function knownGroup(services: GroupServices, at: AtDevice, id: string): Promise<GroupRecord> {
  return (await services.groups.find(at.device, id))?.record ?? askNetwork(services, at.device, 'groups.get', { id });
}
