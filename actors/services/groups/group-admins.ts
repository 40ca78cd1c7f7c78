import { type AccountOwner, linkedDevice } from '../../../store/devices/linked.ts';
import type { Groups } from '../../../store/groups/groups.ts';
import type { GroupRecord } from '../../network/groups.ts';
import { userJid } from '../../network/jid.ts';

export async function isGroupAdmin(
  groups: Pick<Groups<GroupRecord>, 'find'>,
  by: AccountOwner,
  groupId: string,
  addresses: readonly string[],
): Promise<boolean> {
  const known = await groups.find(linkedDevice(by), groupId);
  return (known?.record.members ?? []).some(
    ({ id, phone, lid, admin }) =>
      admin !== null && [id, lid, phone && userJid(phone)].some((one) => one !== null && addresses.includes(one)),
  );
}
