import type { DeviceRow } from './devices.ts';
import type { Owner } from './owner.ts';

export type LinkedDevice = Pick<DeviceRow, '_id' | 'phone_number'>;

export interface AccountOwner {
  readonly owner: Owner;
  readonly phone: string | null;
}

/** Prefix of the keys under which the network's reports about this number's account are stored. */
export const accountKey = ({ _id, phone_number }: LinkedDevice): string => `${_id}:${phone_number ?? ''}`;

export const linkedDevice = ({ owner, phone }: AccountOwner): LinkedDevice & Pick<DeviceRow, 'tenant_id'> => ({
  _id: owner.sessionId,
  tenant_id: owner.tenantId,
  phone_number: phone,
});
