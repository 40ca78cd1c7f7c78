import type { Collection, Store } from '../port.ts';
import { type DeviceRow, deviceSpec } from './devices.ts';
import type { OfficialNumber } from './official-number.ts';

type OfficialRow = DeviceRow & { readonly official: OfficialNumber };

export interface OfficialNumbers {
  byHook(hook: string): Promise<readonly OfficialRow[]>;
  ofApp(tenantId: string, appId: string): Promise<readonly OfficialRow[]>;
  find(tenantId: string, sessionId: string): Promise<OfficialRow | null>;
  liftTrouble(tenantId: string, sessionIds: readonly string[]): Promise<void>;
  set(tenantId: string, sessionId: string, patch: Partial<OfficialNumber>): Promise<OfficialRow | null>;
}

const hasNumber = (row: DeviceRow): row is OfficialRow => Boolean(row.official);

export function officialNumbersIn(store: Store): OfficialNumbers {
  const devices: Collection<DeviceRow> = store.collection<DeviceRow>(deviceSpec);
  const only = (rows: readonly DeviceRow[]): readonly OfficialRow[] => rows.filter(hasNumber);

  return {
    byHook: async (hook) => only(await devices.find({ 'official.hook': { $eq: hook, $gte: '' } }).toArray()),
    ofApp: async (tenant_id, appId) => only(await devices.find({ tenant_id, 'official.app_id': appId }).toArray()),
    async find(tenant_id, _id) {
      const row = await devices.findOne({ _id, tenant_id });
      return row && hasNumber(row) ? row : null;
    },
    async liftTrouble(tenant_id, ids) {
      const troubled = { tenant_id, _id: { $in: ids }, 'official.trouble.at': { $gte: 0 } };
      await devices.updateMany(troubled, { $set: { 'official.trouble': null } });
    },
    async set(tenant_id, _id, patch) {
      const $set = Object.fromEntries(Object.entries(patch).map(([name, value]) => [`official.${name}`, value]));
      const is = { _id, tenant_id, 'official.phone_number_id': { $gte: '' } };
      const row = await devices.findOneAndUpdate(is, { $set }, { returnDocument: 'after' });
      return row && hasNumber(row) ? row : null;
    },
  };
}
