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

export interface AtDevice {
  readonly device: DeviceRow;
  readonly now: number;
}

export async function groupOf(services: GroupServices, at: AtDevice, id: string): Promise<GroupMetadata> {
  return shownGroup(services, at, await askNetwork(services, at.device, 'groups.get', { id }));
}

async function shownGroup({ groups, persons }: GroupServices, { device }: AtDevice, record: GroupRecord): Promise<GroupMetadata> {
  const kept = await groups.find(device, record.id);
  return toMetadata(persons, device.tenant_id, record, kept?.picture?.key ?? null);
}

/** The group has been created, so it is returned even if people's names cannot be read now. */
export async function shownNew(services: GroupServices, at: AtDevice, record: GroupRecord): Promise<GroupMetadata> {
  try {
    return await shownGroup(services, at, record);
  } catch {
    return toMetadata(AS_TOLD, at.device.tenant_id, record, null);
  }
}

/**
 * Returns the changed group, or else its last known state. If neither can be read, the error says
 * that the change was made.
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
  en: 'the change was made, but the group could not be read afterwards',
  id: 'perubahan berhasil, tetapi data grup sesudahnya tidak dapat dibaca',
};

const AS_TOLD: People = { describe: async (_tenant, some) => some, whole: async (_tenant, some) => some };

export interface GroupQuery {
  readonly limit?: number;
  readonly before?: string;
}

export const groupQuery = Joi.object<GroupQuery>(pagesOfList);

/** Requests the list from the network at most once a minute. Events keep it up to date in between. */
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

/** Returns each person's digits, or the hidden address if the number is unknown. */
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

export async function knownGroup(services: GroupServices, at: AtDevice, id: string): Promise<GroupRecord> {
  return (await services.groups.find(at.device, id))?.record ?? askNetwork(services, at.device, 'groups.get', { id });
}
