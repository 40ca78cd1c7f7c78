import type { DeviceRow } from './devices.ts';
import type { Owner } from './owner.ts';

/** A device as the number that it is linked to: what the network told of another number's account is none of its business. */
export type LinkedDevice = Pick<DeviceRow, '_id' | 'phone_number'>;

/** The owner of a device, and the number that it is linked to. */
export interface AccountOwner {
  readonly owner: Owner;
  /** Digits; null: none. */
  readonly phone: string | null;
}

/** The start of the key of everything that the network told of this number's account. */
export const accountKey = ({ _id, phone_number }: LinkedDevice): string => `${_id}:${phone_number ?? ''}`;

export const linkedDevice = ({ owner, phone }: AccountOwner): LinkedDevice & Pick<DeviceRow, 'tenant_id'> => ({
  _id: owner.sessionId,
  tenant_id: owner.tenantId,
  phone_number: phone,
});
