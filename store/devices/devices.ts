import { insertPlaced, placesIndex } from '../patterns/places.ts';
import type { Collection, CollectionSpec, Filter, Store } from '../port.ts';
import type { MovingLogin } from './moving-login.ts';
import type { DeviceHabits } from './network-habits.ts';
import type { OfficialNumber } from './official-number.ts';

export type SessionStatus = 'pending' | 'qr_ready' | 'connected' | 'disconnected' | 'failed';

/** A device as stored. Times are epoch ms. */
export interface DeviceRow {
  readonly _id: string;
  readonly tenant_id: string;
  /** Slot of the device (patterns/places.ts); absent if it does not count towards a plan. */
  readonly place?: number;
  readonly name: string | null;
  readonly status: SessionStatus;
  /** Digits with the country code; null until linked. */
  readonly phone_number: string | null;
  readonly wa_name: string | null;
  readonly wa_about: string | null;
  readonly proxy_url: string | null;
  readonly ignore: { readonly groups: boolean; readonly channels: boolean };
  /** The device's own settings; missing habits follow the installation. */
  readonly habits?: DeviceHabits;
  /** How much chat history is imported when a phone is linked; absent to follow the configuration. */
  readonly history?: { readonly months?: number };
  /** Presence that the account shows; absent for `offline`. */
  readonly presence?: 'offline' | 'online' | 'auto';
  /** Whether calls are rejected and answered with a text; if absent, they ring on the phone. */
  readonly calls?: CallRules;
  readonly warmup_until_ms: number | null;
  /** When the phone was linked; absent if never, or in rows of earlier versions. */
  readonly linked_at?: number | null;
  /** When the network last listed all of the account's groups; absent or null if never. */
  readonly groups_listed_at?: number | null;
  readonly created_at: number;
  readonly connected_at: number | null;
  readonly last_seen_at: number | null;
  /** Whether the tenant wants the device online; kept across restarts. */
  readonly wanted: boolean;
  /** Set while the plan does not cover the device, which is then offline; holds the former value of `wanted`. */
  readonly paused?: { readonly wanted: boolean } | null;
  /** The QR code and its expiry; null if no code is ready. */
  readonly qr: { readonly code: string; readonly expires_at: number } | null;
  /** The current step of linking; null if not linking. */
  readonly pairing: DevicePairing | null;
  /** The passkey ceremony that linked the current phone; absent or null if linked without a passkey. */
  readonly linked_ceremony?: string | null;
  /**
   * Why the device is not connected: `client_outdated`, `logged_out`, `banned`, `banned_temporarily`,
   * `replaced`, `moved_elsewhere`, `number_mismatch`, `network_refused`, `unreachable`, `status_<code>`.
   * Null if connected or disconnected on request.
   */
  readonly reason: string | null;
  /** Since when `reason` applies, epoch ms; absent or null if there is no reason. */
  readonly reason_since?: number | null;
  /** The network's error code; absent or null if the network did not send one. */
  readonly reason_code?: number | null;
  /** When the network says the reason ends, epoch ms; absent or null if it did not say. */
  readonly reason_until?: number | null;
  /**
   * The last "too many" refusal (429): nothing is sent before its `until`, epoch ms. Absent or null
   * once a message was accepted.
   */
  readonly slowed?: Slowed | null;
  /** When to log in again after a rejected login, epoch ms; absent or null for immediately. */
  readonly retry_at?: number | null;
  /** Client version used for the last login that the network responded to; absent or null if unknown. */
  readonly client_version?: string | null;
  /** Login times of the last 24 h, oldest first. */
  readonly reconnects: readonly number[];
  /** Derives network message ids from our own; never leaves the store. */
  readonly secret: string;
  /** The driver's login secrets; null if not linked. Only the driver reads them. */
  readonly credentials: Readonly<Record<string, unknown>> | null;
  /** The last login taken over from another program; absent or null if there was none. */
  readonly moving?: MovingLogin | null;
  /** The number on the vendor's business platform; absent or null for a linked phone. */
  readonly official?: OfficialNumber | null;
  /** Monthly limit of paid automatic replies; absent or null for no limit. */
  readonly monthly_service_limit?: number | null;
  /** Incremented each time the owner changes: a write with an older epoch does not match the row. */
  readonly epoch: number;
  /** The node that runs the device; null if it is not running. */
  readonly node: string | null;
  /** The node chosen by an operator; null for any. */
  readonly pinned_node: string | null;
  /** Messages per minute in both directions, and when the owner last reported the rate. */
  readonly traffic: { readonly per_minute: number; readonly at: number };
  /** Session events that may not be published yet; written together with the change they describe. */
  readonly session_events?: readonly SessionEvent[];
  readonly unpublished?: boolean;
  readonly offline_since?: number | null;
  /** The network's limit on first contacts; absent or null if the account is not limited. */
  readonly restriction?: DeviceRestriction | null;
  /** Complaints that pause the device's campaigns; absent or null if they are not paused. */
  readonly complaints?: DeviceComplaints | null;
  /** Complaints before this time (epoch ms) do not count, because a campaign they had paused was resumed then. */
  readonly complaints_from?: number | null;
  /** When the alert about a long outage is due; null if online or the alert was sent. */
  readonly alert_at?: number | null;
}

/** `at`: the last refusal; `until`: nothing is sent before this time; epoch ms. `times`: refusals in a row. */
export interface Slowed {
  readonly times: number;
  readonly at: number;
  readonly until: number;
}

export interface CallRules {
  readonly reject?: boolean;
  /** null or absent to reject calls without a text. */
  readonly reject_text?: string | null;
}

/** The current step of linking. The passkey steps also hold their data and its expiry (epoch ms). */
export type DevicePairing =
  | { readonly step: 'qr' | 'code' }
  /** `public_key`: the network's options as JSON; null once a passkey was accepted. */
  | { readonly step: 'passkey'; readonly public_key: string | null; readonly ceremony: Ceremony; readonly expires_at: number }
  | { readonly step: 'passkey_confirm'; readonly code: string; readonly ceremony: Ceremony; readonly expires_at: number };

/**
 * One passkey ceremony, from the first request to its end. A browser's token refers to it
 * (store/devices/ceremonies.ts).
 */
export interface Ceremony {
  readonly id: string;
  /** When the ceremony's token expires, epoch ms. */
  readonly expires_at: number;
}

/** The worst kind of complaints that pause the campaigns of a device, and since when (epoch ms). */
export interface DeviceComplaints {
  readonly what: string;
  readonly at: number;
}

/** The network's limit on first contacts with strangers. */
export interface DeviceRestriction {
  /** Epoch ms; null if the network does not state an end. */
  readonly until: number | null;
  readonly reason: string;
  readonly new_chats_used: number | null;
  readonly new_chats_quota: number | null;
}

/** A change to a device that is published as an event; `at` is epoch ms. */
export type SessionEvent =
  | { readonly type: 'connected'; readonly at: number; readonly phone_number: string | null; readonly wa_name: string | null }
  /** `cause`, `code` and `until` as in the row's reason; absent in events of earlier versions. */
  | {
      readonly type: 'disconnected';
      readonly at: number;
      readonly reason: string;
      readonly cause?: string | null;
      readonly code?: number | null;
      readonly until?: number | null;
    }
  | { readonly type: 'qr'; readonly at: number; readonly qr: string; readonly expires_at: number }
  /** Linking waits for a passkey, or for the comparison of a code. */
  | { readonly type: 'passkey'; readonly at: number; readonly step: 'passkey' | 'passkey_confirm' }
  /** null if the restriction has ended. */
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
  /** Stores a device; `row._id` must be a fresh ULID. */
  create(row: DeviceRow): Promise<void>;
  /**
   * Like `create`, if the tenant has fewer than `limit` devices; exact under concurrency. Returns
   * false if it has not.
   */
  createWithin(row: DeviceRow, limit: number): Promise<boolean>;
  find(tenantId: string, sessionId: string): Promise<DeviceRow | null>;
  /** Returns devices, newest first; `only` restricts the list to these ids (a restricted key). */
  list(tenantId: string, only: readonly string[] | null): Promise<DeviceRow[]>;
  /** Returns the ids, unordered, without reading the rows. */
  ids(tenantId: string): Promise<readonly string[]>;
  hasNumber(tenantId: string, phone: string): Promise<boolean>;
  count(tenantId: string): Promise<number>;
  /** Each field of `ignore`, `habits` and `calls` is independent. Returns null if the device does not exist. */
  change(tenantId: string, sessionId: string, patch: DeviceChange): Promise<DeviceRow | null>;
  /**
   * Sets or clears the complaints that pause campaigns; does nothing if complaints were lifted since
   * `device` was read.
   */
  noteComplaints(device: Pick<DeviceRow, '_id' | 'tenant_id' | 'complaints_from'>, complaints: DeviceComplaints | null): Promise<void>;
  /** Discards complaints up to `at` (epoch ms). */
  liftComplaints(tenantId: string, sessionIds: readonly string[], at: number): Promise<void>;
  /** Pauses or resumes the device because of the plan; does nothing if it is in that state already. */
  pause(tenantId: string, sessionId: string, paused: DeviceRow['paused']): Promise<void>;
  /** Removes the device but keeps its messages and chats. It is unfinished from `at` on; `everIds` still lists it. */
  remove(tenantId: string, sessionId: string, at: number): Promise<boolean>;
  unfinished(before: number, limit: number): Promise<readonly RemovedDeviceRow[]>;
  /**
   * Sets when the device was found unfinished (epoch ms), or null once all its messages have a
   * reported outcome. Returns null if the row changed since it was read.
   */
  noteUnfinished(asRead: RemovedDeviceRow, at: number | null): Promise<RemovedDeviceRow | null>;
  /** Marks removed devices as unfinished again from `at` on, because more messages arrived. */
  noteLateMessages(sessionIds: readonly string[], at: number): Promise<void>;
  everIds(tenantId: string): Promise<readonly string[]>;
  /** Returns the ids of removed devices whose messages all have a reported outcome. */
  removedIds(tenantId: string): Promise<readonly string[]>;
  /** Fences the owner, logs out, and adds a disconnected event if it was online. Returns null if missing. */
  depart(tenantId: string, sessionId: string, at: number): Promise<DeviceRow | null>;
  /** Takes ownership for `node` and increments the epoch. Returns the new row; null if it does not exist. */
  own(tenantId: string, sessionId: string, node: string): Promise<DeviceRow | null>;
  /** Writes for the owner. Returns false if another owner took the device or it was removed. */
  write(tenantId: string, sessionId: string, epoch: number, patch: DevicePatch, session_events?: readonly SessionEvent[]): Promise<boolean>;
  unpublished(tenantId: string, sessionId: string): Promise<readonly SessionEvent[]>;
  /** Clears the published events. Only the owner calls it, and not while it writes another event. */
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
  /** When it was removed or last found with unfinished messages, epoch ms; null once all have an outcome. */
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
