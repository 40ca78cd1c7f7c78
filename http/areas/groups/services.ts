import { resolveChat } from '../../../actors/domain/phone-numbers.ts';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { GroupRecord, MemberResult, SentInvite } from '../../../actors/network/groups.ts';
import { isLid, phoneOf } from '../../../actors/network/jid.ts';
import { isOurLimit } from '../../../actors/network/network-refusal.ts';
import { type GroupMetadata, toMetadata } from '../../../actors/services/groups/metadata.ts';
import type { People } from '../../../actors/services/people/people.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { Groups } from '../../../store/groups/groups.ts';
import type { Caller } from '../../core/row.ts';
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

/** Keeps what the network just told, and shows it. */
export async function shownGroup(
  { groups, persons }: GroupServices,
  { device, now }: AtDevice,
  record: GroupRecord,
): Promise<GroupMetadata> {
  await keepGroup(groups, device, record, now);
  const kept = await groups.find(device._id, record.id);
  return toMetadata(persons, device.tenant_id, record, kept?.picture?.key ?? null);
}

const keepGroup = (groups: Groups<GroupRecord>, { _id, tenant_id }: DeviceRow, record: GroupRecord, at: number): Promise<void> =>
  groups.put({ tenant_id, session_id: _id, group_id: record.id, subject: record.subject, record, at });

/**
 * All groups and communities of a device. The network is asked for the list once a minute; in between it is what the network told since, which is
 * kept as it comes. Refuses NOT_CONNECTED, and as the network does.
 */
export async function groupsOf(services: GroupServices, { device, now }: AtDevice): Promise<readonly GroupMetadata[]> {
  const { groups, persons } = services;
  const records = await askNetwork(services, device, 'groups.list', {}).then(
    async (told) => {
      for (const record of told) await keepGroup(groups, device, record, now);
      await groups.keepOnly(
        device._id,
        told.map(({ id }) => id),
        now,
      );
      return told;
    },
    async (cause) => {
      if (!isOurLimit(cause)) throw cause;
      return (await groups.of(device._id)).map(({ record }) => record);
    },
  );
  const pictures = new Map((await groups.of(device._id)).map(({ group_id, picture }) => [group_id, picture?.key ?? null]));
  const people = await persons.describe(
    device.tenant_id,
    records.flatMap(({ members }) => members),
  );
  const same: People = { describe: async (_tenant, some) => some };
  let taken = 0;
  return Promise.all(
    records.map((record) => {
      const members = people.slice(taken, taken + record.members.length);
      taken += record.members.length;
      return toMetadata(same, device.tenant_id, { ...record, members }, pictures.get(record.id) ?? null);
    }),
  );
}

/** The digits of people as callers name them: by number or address. Refuses INVALID_NUMBER, INVALID_JID. */
export async function digitsOfAll({ people }: IdentityServices, caller: Caller, named: readonly string[]): Promise<readonly string[]> {
  const addresses = await Promise.all(named.map((text) => people.resolve(caller.tenantId, resolveChat(text, caller.callingCode))));
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

/** The group as it was told last; one that is not known is asked for. */
export async function knownGroup(services: GroupServices, at: AtDevice, id: string): Promise<GroupRecord> {
  return (await services.groups.find(at.device._id, id))?.record ?? askNetwork(services, at.device, 'groups.get', { id });
}

export interface ShownResult {
  readonly phone: string | null;
  readonly lid: string | null;
  readonly status: 'ok' | 'invited' | 'failed';
  readonly code: number | null;
}

/** What became of each person; `sent`: the invitations to those who can only be invited. One that was refused says why in its `code`. */
export const shownResults = (results: readonly MemberResult[], sent: readonly SentInvite[] = []): readonly ShownResult[] =>
  results.map(({ person: { phone, lid }, code }) => {
    const invite = sent.find((one) => one.phone === phone);
    return { phone, lid, status: statusOf(code, invite?.code === null), code: invite?.code ?? code };
  });

const statusOf = (code: number | null, isInvited: boolean): ShownResult['status'] => {
  if (code === null) return 'ok';
  return isInvited ? 'invited' : 'failed';
};
