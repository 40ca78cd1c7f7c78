import { insertPlaced, placesIndex } from '../patterns/places.ts';
import type { Collection, CollectionSpec, Filter, Store } from '../port.ts';
import type { MovingLogin } from './moving-login.ts';
import type { DeviceHabits } from './network-habits.ts';
import type { OfficialNumber } from './official-number.ts';

export type SessionStatus = 'pending' | 'qr_ready' | 'connected' | 'disconnected' | 'failed';

export interface DeviceRow {
  readonly _id: string;
  readonly tenant_id: string;
  /** The device's slot (patterns/places.ts); absent if it does not count towards a plan. */
  readonly place?: number;
  readonly name: string | null;
  readonly status: SessionStatus;
  readonly phone_number: string | null;
  readonly wa_name: string | null;
  readonly wa_about: string | null;
  readonly proxy_url: string | null;
  readonly ignore: { readonly groups: boolean; readonly channels: boolean };
  readonly habits?: DeviceHabits;
  readonly history?: { readonly months?: number };
  readonly presence?: 'offline' | 'online' | 'auto';
  /** If absent, the phone rings as usual when someone calls. */
  readonly calls?: CallRules;
  readonly warmup_until_ms: number | null;
  readonly linked_at?: number | null;
  readonly groups_listed_at?: number | null;
  readonly created_at: number;
  readonly connected_at: number | null;
  readonly last_seen_at: number | null;
  /** Whether the tenant wants the device online; kept across restarts. */
  readonly wanted: boolean;
  /** Present while the plan does not cover the device. Holds the former value of `wanted`. */
  readonly paused?: { readonly wanted: boolean } | null;
  readonly qr: { readonly code: string; readonly expires_at: number } | null;
  readonly pairing: DevicePairing | null;
  readonly linked_ceremony?: string | null;
  /**
   * One of `client_outdated`, `logged_out`, `banned`, `banned_temporarily`, `replaced`,
   * `moved_elsewhere`, `number_mismatch`, `network_refused`, `unreachable` or `status_<code>`; null
   * if no error occurred.
   */
  readonly reason: string | null;
  readonly reason_since?: number | null;
  readonly reason_code?: number | null;
  readonly reason_until?: number | null;
  readonly slowed?: Slowed | null;
  readonly retry_at?: number | null;
  readonly client_version?: string | null;
  /** Times of the logins within the last 24 h, oldest first. */
  readonly reconnects: readonly number[];
  /** Used to derive network message ids from our own; never leaves the store. */
  readonly secret: string;
  /** The driver's login secrets; null if the device is not linked. Only the driver reads them. */
  readonly credentials: Readonly<Record<string, unknown>> | null;
  readonly moving?: MovingLogin | null;
  readonly official?: OfficialNumber | null;
  readonly monthly_service_limit?: number | null;
  /** Incremented each time the owner changes. A write with an older epoch does not match. */
  readonly epoch: number;
  readonly node: string | null;
  readonly pinned_node: string | null;
  readonly traffic: { readonly per_minute: number; readonly at: number };
  /** Events that may not be published yet. Each is written together with the change that it describes. */
  readonly session_events?: readonly SessionEvent[];
  readonly unpublished?: boolean;
  readonly offline_since?: number | null;
  readonly restriction?: DeviceRestriction | null;
  readonly complaints?: DeviceComplaints | null;
  /** Complaints before this time are ignored, because the campaign that they paused was resumed. */
  readonly complaints_from?: number | null;
  readonly alert_at?: number | null;
}

/** Nothing is sent before `until`. `times` counts consecutive refusals. */
export interface Slowed {
  readonly times: number;
  readonly at: number;
  readonly until: number;
}

export interface CallRules {
  readonly reject?: boolean;
  readonly reject_text?: string | null;
}

export type DevicePairing =
  | { readonly step: 'qr' | 'code' }
  | { readonly step: 'passkey'; readonly public_key: string | null; readonly ceremony: Ceremony; readonly expires_at: number }
  | { readonly step: 'passkey_confirm'; readonly code: string; readonly ceremony: Ceremony; readonly expires_at: number };

export interface Ceremony {
  readonly id: string;
  readonly expires_at: number;
}

export interface DeviceComplaints {
  readonly what: string;
  readonly at: number;
}

export interface DeviceRestriction {
  readonly until: number | null;
  readonly reason: string;
  readonly new_chats_used: number | null;
  readonly new_chats_quota: number | null;
}

export type SessionEvent =
  | { readonly type: 'connected'; readonly at: number; readonly phone_number: string | null; readonly wa_name: string | null }
  | {
      readonly type: 'disconnected';
      readonly at: number;
      readonly reason: string;
      readonly cause?: string | null;
      readonly code?: number | null;
      readonly until?: number | null;
    }
  | { readonly type: 'qr'; readonly at: number; readonly qr: string; readonly expires_at: number }
  | { readonly type: 'passkey'; readonly at: number; readonly step: 'passkey' | 'passkey_confirm' }
  | { readonly type: 'restricted'; readonly at: number; readonly restriction: DeviceRestriction | null };

export type Alerting = Pick<DeviceRow, '_id' | 'offline_since' | 'alert_at'>;

export type DevicePatch = Partial<
  Pick<
    DeviceRow,
    | 'status'
    | 'phone_number'
    | 'wa_name'
    | 'wa_about'
    | 'warmup_until_ms'
    | 'linked_at'
    | 'groups_listed_at'
    | 'connected_at'
    | 'last_seen_at'
    | 'wanted'
    | 'qr'
    | 'pairing'
    | 'linked_ceremony'
    | 'reason'
    | 'reason_since'
    | 'reason_code'
    | 'reason_until'
    | 'retry_at'
    | 'slowed'
    | 'client_version'
    | 'credentials'
    | 'moving'
    | 'reconnects'
    | 'node'
    | 'traffic'
    | 'restriction'
    | 'offline_since'
    | 'alert_at'
  >
>;

export type DeviceChange = Partial<
  Pick<DeviceRow, 'name' | 'proxy_url' | 'monthly_service_limit' | 'official' | 'presence' | 'history'>
> & {
  readonly ignore?: Partial<DeviceRow['ignore']>;
  readonly habits?: DeviceHabits;
  readonly calls?: CallRules;
};

export interface Devices {
  create(row: DeviceRow): Promise<void>;
  /** Returns false if the tenant already has `limit` devices. The check is exact under concurrency. */
  createWithin(row: DeviceRow, limit: number): Promise<boolean>;
  find(tenantId: string, sessionId: string): Promise<DeviceRow | null>;
  list(tenantId: string, only: readonly string[] | null): Promise<DeviceRow[]>;
  ids(tenantId: string): Promise<readonly string[]>;
  hasNumber(tenantId: string, phone: string): Promise<boolean>;
  count(tenantId: string): Promise<number>;
  /** Changes the fields of `ignore`, `habits` and `calls` independently of each other. */
  change(tenantId: string, sessionId: string, patch: DeviceChange): Promise<DeviceRow | null>;
  /** Has no effect if the complaints were lifted after `device` was read. */
  noteComplaints(device: Pick<DeviceRow, '_id' | 'tenant_id' | 'complaints_from'>, complaints: DeviceComplaints | null): Promise<void>;
  liftComplaints(tenantId: string, sessionIds: readonly string[], at: number): Promise<void>;
  pause(tenantId: string, sessionId: string, paused: DeviceRow['paused']): Promise<void>;
  /** Keeps messages and chats, whose cleanup is due from `at` on. `everIds` still lists the device. */
  remove(tenantId: string, sessionId: string, at: number): Promise<boolean>;
  unfinished(before: number, limit: number): Promise<readonly RemovedDeviceRow[]>;
  noteUnfinished(asRead: RemovedDeviceRow, at: number | null): Promise<RemovedDeviceRow | null>;
  noteLateMessages(sessionIds: readonly string[], at: number): Promise<void>;
  everIds(tenantId: string): Promise<readonly string[]>;
  removedIds(tenantId: string): Promise<readonly string[]>;
  /** Fences the owner, logs the device out, and adds a disconnected event if it was online. */
  depart(tenantId: string, sessionId: string, at: number): Promise<DeviceRow | null>;
  own(tenantId: string, sessionId: string, node: string): Promise<DeviceRow | null>;
  write(tenantId: string, sessionId: string, epoch: number, patch: DevicePatch, session_events?: readonly SessionEvent[]): Promise<boolean>;
  unpublished(tenantId: string, sessionId: string): Promise<readonly SessionEvent[]>;
  /** Only the owner may call this, and not while it writes another event. */
  published(tenantId: string, sessionId: string, epoch: number): Promise<void>;
  alerting(tenantId: string, limit: number): Promise<Alerting[]>;
  alerted(tenantId: string, sessionId: string, alertAt: number): Promise<void>;
}

export const deviceSpec: CollectionSpec = {
  name: 'devices',
  indexes: [
    { name: 'by_tenant', keys: { tenant_id: 1, created_at: -1, _id: -1 } },
    placesIndex(),
    { name: 'by_number', keys: { tenant_id: 1, phone_number: 1 } },
    { name: 'by_age', keys: { created_at: -1, _id: -1 } },
    { name: 'wanted', keys: { wanted: 1 }, where: { wanted: true } },
    { name: 'unpublished', keys: { unpublished: 1 }, where: { unpublished: true } },
    { name: 'alerting', keys: { tenant_id: 1, alert_at: 1 }, where: { alert_at: { $gte: 0 } } },
    {
      name: 'by_official_number',
      keys: { 'official.phone_number_id': 1 },
      unique: true,
      where: { 'official.phone_number_id': { $gte: '' } },
    },
    { name: 'by_official_hook', keys: { 'official.hook': 1 }, where: { 'official.hook': { $gte: '' } } },
  ],
};

export interface RemovedDeviceRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly unfinished_at?: number | null;
}

const removedSpec: CollectionSpec = {
  name: 'removed_devices',
  indexes: [
    { name: 'by_tenant', keys: { tenant_id: 1 } },
    { name: 'unfinished', keys: { unfinished_at: 1 }, where: { unfinished_at: { $gte: 0 } } },
  ],
};

const idsOf = async <T extends Pick<DeviceRow, '_id' | 'tenant_id'>>(
  rows: Collection<T>,
  tenant_id: string,
  more: Filter = {},
): Promise<readonly string[]> => (await rows.find({ tenant_id, ...more }, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);

const stillAs = ({ _id, unfinished_at = null }: RemovedDeviceRow): Filter => ({ _id, unfinished_at });

const DEPARTED = {
  status: 'failed',
  reason: 'logged_out',
  reason_code: null,
  reason_until: null,
  retry_at: null,
  wanted: false,
  qr: null,
  pairing: null,
  offline_since: null,
  alert_at: null,
} satisfies Partial<DeviceRow>;
const ALERTING = { _id: 1, offline_since: 1, alert_at: 1 } as const;

export function devicesIn(store: Store): Devices {
  const devices: Collection<DeviceRow> = store.collection<DeviceRow>(deviceSpec);
  const removed: Collection<RemovedDeviceRow> = store.collection<RemovedDeviceRow>(removedSpec);

  return {
    create: async (row) => void (await devices.insertOne(row)),
    createWithin: (row, limit) => insertPlaced(devices, row, limit),
    find: (tenant_id, _id) => devices.findOne({ _id, tenant_id }),
    async list(tenant_id, only) {
      if (!only) return devices.find({ tenant_id }, { sort: { created_at: -1, _id: -1 } }).toArray();
      const some = await devices.find({ tenant_id, _id: { $in: only } }).toArray();
      return some.sort((one, other) => other.created_at - one.created_at || (other._id < one._id ? -1 : 1));
    },
    ids: (tenant_id) => idsOf(devices, tenant_id),
    hasNumber: async (tenant_id, phone_number) => (await devices.findOne({ tenant_id, phone_number }, { projection: { _id: 1 } })) !== null,
    count: (tenant_id) => devices.countDocuments({ tenant_id }),
    change(tenant_id, _id, { ignore = {}, habits = {}, calls = {}, ...fields }) {
      const within = (name: string, parts: object) => Object.entries(parts).map(([part, value]) => [`${name}.${part}`, value]);
      const flags = Object.fromEntries([...within('ignore', ignore), ...within('habits', habits), ...within('calls', calls)]);
      const patch = { ...fields, ...flags };
      if (Object.keys(patch).length === 0) return devices.findOne({ _id, tenant_id });
      return devices.findOneAndUpdate({ _id, tenant_id }, { $set: patch }, { returnDocument: 'after' });
    },
    async noteComplaints({ _id, tenant_id, complaints_from = null }, complaints) {
      await devices.updateOne({ _id, tenant_id, complaints_from }, { $set: { complaints } });
    },
    async liftComplaints(tenant_id, ids, complaints_from) {
      await devices.updateMany({ tenant_id, _id: { $in: ids } }, { $set: { complaints: null, complaints_from } });
    },
    async pause(tenant_id, _id, paused) {
      const before = paused ? { paused: null } : { paused: { $ne: null } };
      await devices.updateOne({ _id, tenant_id, ...before }, { $set: { paused } });
    },
    async remove(tenant_id, _id, unfinished_at) {
      await removed.updateOne({ _id }, { $set: { tenant_id, unfinished_at } }, { upsert: true });
      return (await devices.deleteOne({ _id, tenant_id })).deletedCount === 1;
    },
    unfinished: (before, limit) =>
      removed.find({ unfinished_at: { $gte: 0, $lt: before } }, { sort: { unfinished_at: 1 }, limit }).toArray(),
    noteUnfinished: (asRead, unfinished_at) =>
      removed.findOneAndUpdate(stillAs(asRead), { $set: { unfinished_at } }, { returnDocument: 'after' }),
    noteLateMessages: async (ids, unfinished_at) =>
      void (await removed.updateMany({ _id: { $in: ids }, unfinished_at: null }, { $set: { unfinished_at } })),
    async everIds(tenant_id) {
      const [rows, gone] = await Promise.all([idsOf(devices, tenant_id), idsOf(removed, tenant_id)]);
      return [...new Set([...rows, ...gone])];
    },
    removedIds: (tenant_id) => idsOf(removed, tenant_id, { unfinished_at: null }),
    async depart(tenant_id, _id, at) {
      const $set = { ...DEPARTED, reason_since: at };
      const told: SessionEvent = { type: 'disconnected', at, reason: 'logged_out', cause: 'logged_out', code: null, until: null };
      const $push = { session_events: { $each: [told] } };
      const online = { $inc: { epoch: 1 }, $set: { ...$set, unpublished: true }, $push };
      const offline = { $inc: { epoch: 1 }, $set };
      const published = await devices.findOneAndUpdate({ _id, tenant_id, status: 'connected' }, online, { returnDocument: 'after' });
      return published ?? devices.findOneAndUpdate({ _id, tenant_id }, offline, { returnDocument: 'after' });
    },
    own: (tenant_id, _id, node) =>
      devices.findOneAndUpdate({ _id, tenant_id }, { $inc: { epoch: 1 }, $set: { node } }, { returnDocument: 'after' }),
    async write(tenant_id, _id, epoch, patch, session_events = []) {
      const telling = { $set: { ...patch, unpublished: true }, $push: { session_events: { $each: session_events } } };
      const update = session_events.length > 0 ? telling : { $set: patch };
      return (await devices.updateOne({ _id, tenant_id, epoch }, update)).matchedCount === 1;
    },
    unpublished: async (tenant_id, _id) => (await devices.findOne({ _id, tenant_id }))?.session_events ?? [],
    published: async (tenant_id, _id, epoch) =>
      void (await devices.updateOne({ _id, tenant_id, epoch }, { $set: { session_events: [], unpublished: false } })),
    alerting: (tenant_id, limit) =>
      devices.find({ tenant_id, alert_at: { $gte: 0 } }, { sort: { alert_at: 1 }, limit, projection: ALERTING }).toArray(),
    alerted: async (tenant_id, _id, alert_at) => void (await devices.updateOne({ _id, tenant_id, alert_at }, { $set: { alert_at: null } })),
  };
}
