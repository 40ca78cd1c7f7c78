import { insertPlaced, placesIndex } from '../patterns/places.ts';
import type { Collection, CollectionSpec, Filter, Store } from '../port.ts';
import type { MovingLogin } from './moving-login.ts';
import type { DeviceHabits } from './network-habits.ts';
import type { OfficialNumber } from './official-number.ts';

/** The status of a device as the API shows it. */
export type SessionStatus = 'pending' | 'qr_ready' | 'connected' | 'disconnected' | 'failed';

/** A device as stored. Times are epoch ms. */
export interface DeviceRow {
  readonly _id: string;
  readonly tenant_id: string;
  /** See patterns/places.ts; absent: it does not count towards a plan. */
  readonly place?: number;
  readonly name: string | null;
  readonly status: SessionStatus;
  /** Digits with the country code; null until linked. */
  readonly phone_number: string | null;
  readonly wa_name: string | null;
  readonly wa_about: string | null;
  readonly proxy_url: string | null;
  readonly ignore: { readonly groups: boolean; readonly channels: boolean };
  /** Its own switches; absent: as the installation has them. */
  readonly habits?: DeviceHabits;
  /** How much of its chats is taken over when a phone is linked; absent: as the configuration says. */
  readonly history?: { readonly months?: number };
  /** How its account shows itself; absent: `offline`. */
  readonly presence?: 'offline' | 'online' | 'auto';
  /** Calls are rejected, and answered with a text; absent: they ring on the phone. */
  readonly calls?: CallRules;
  readonly warmup_until_ms: number | null;
  /** When its phone was linked; absent: never, or before that was noted. */
  readonly linked_at?: number | null;
  /** When the network last told all groups of this account; absent or null: never. */
  readonly groups_listed_at?: number | null;
  readonly created_at: number;
  readonly connected_at: number | null;
  readonly last_seen_at: number | null;
  /** Should it be online? The owner's wish, kept across restarts. */
  readonly wanted: boolean;
  /** The plan has no room for it: it is offline, and was to be online before where `wanted` says so. Absent or null: it has. */
  readonly paused?: { readonly wanted: boolean } | null;
  /** The code to scan and until when; null when none is ready. */
  readonly qr: { readonly code: string; readonly expires_at: number } | null;
  /** The current step of linking; null: no linking is under way. */
  readonly pairing: DevicePairing | null;
  /** The ceremony that linked the present phone; absent or null: it was linked without a passkey. */
  readonly linked_ceremony?: string | null;
  /**
   * Why it is not connected: `client_outdated`, `logged_out`, `banned`, `banned_temporarily`, `replaced`, `moved_elsewhere`,
   * `number_mismatch`, `network_refused`, `unreachable`, `status_<code>`. Null: it is, or somebody wished it so.
   */
  readonly reason: string | null;
  /** Since when that is the reason, epoch ms; absent or null: there is none. */
  readonly reason_since?: number | null;
  /** The network's number; absent or null: there is none. */
  readonly reason_code?: number | null;
  /** The end that the network named, epoch ms; absent or null: it named none. */
  readonly reason_until?: number | null;
  /** Since the network last said "too many" (429): `until` then, epoch ms, nothing leaves; absent or null: it took a message since. */
  readonly slowed?: Slowed | null;
  /** When its owner logs in again after a refused login, epoch ms; absent or null: at once. */
  readonly retry_at?: number | null;
  /** The version of the network's web client that its last answered login announced; absent or null: not known. */
  readonly client_version?: string | null;
  /** Login times of the last 24 h, oldest first. */
  readonly reconnects: readonly number[];
  /** Makes network message ids out of our own; never leaves the store. */
  readonly secret: string;
  /** The driver's login secrets; null: not linked. Never leaves the store but for the driver. */
  readonly credentials: Readonly<Record<string, unknown>> | null;
  /** The last login that was taken over from another program; absent or null: none was. */
  readonly moving?: MovingLogin | null;
  /** A number on the vendor's business platform; absent or null: a linked phone. */
  readonly official?: OfficialNumber | null;
  /** Bounds paid automatic replies of a month; absent or null: nothing does. */
  readonly monthly_service_limit?: number | null;
  /** Raised at each change of owner: a write that carries an older one matches nothing. */
  readonly epoch: number;
  /** The node that runs it; null: none. */
  readonly node: string | null;
  /** Where an operator wants it; null: wherever. */
  readonly pinned_node: string | null;
  /** Messages a minute, both ways, and when its owner last said so. */
  readonly traffic: { readonly per_minute: number; readonly at: number };
  /** Session events that may not be recorded yet; written with the change that they describe. */
  readonly session_events?: readonly SessionEvent[];
  /** Are there any? */
  readonly unpublished?: boolean;
  readonly offline_since?: number | null;
  /** How the network limits first contacts with strangers; absent or null: not at all. */
  readonly restriction?: DeviceRestriction | null;
  /** Too many complaints about its campaigns, which pause; absent or null: not too many. */
  readonly complaints?: DeviceComplaints | null;
  /** Complaints about messages from before do not count: a campaign that they had paused was resumed then, epoch ms. */
  readonly complaints_from?: number | null;
  /** When the alert about a long absence is due; null: online, or already sent. */
  readonly alert_at?: number | null;
}

/** `at`: when a message was refused last; `until`: nothing leaves before. Epoch ms. `times`: refusals in a row. */
export interface Slowed {
  readonly times: number;
  readonly at: number;
  readonly until: number;
}

/** What happens to calls. */
export interface CallRules {
  readonly reject?: boolean;
  /** null or absent: none is sent. */
  readonly reject_text?: string | null;
}

/** The step of linking that is under way; the passkey steps also hold what they need, and until when (epoch ms). */
export type DevicePairing =
  | { readonly step: 'qr' | 'code' }
  /** `public_key`: the network's options for an authenticator, as JSON text; null once it took a passkey, and its next step is awaited. */
  | { readonly step: 'passkey'; readonly public_key: string | null; readonly ceremony: Ceremony; readonly expires_at: number }
  | { readonly step: 'passkey_confirm'; readonly code: string; readonly ceremony: Ceremony; readonly expires_at: number };

/** One linking with a passkey, from the first request to its end: what the token of a browser stands for (store/devices/ceremonies.ts). */
export interface Ceremony {
  readonly id: string;
  /** When its token ends, epoch ms. */
  readonly expires_at: number;
}

/** Why campaigns of a device pause, of the kind that is worst, and since when (epoch ms). */
export interface DeviceComplaints {
  readonly what: string;
  readonly at: number;
}

/** The network's limit on first contacts with strangers. */
export interface DeviceRestriction {
  /** Epoch ms; null: the network does not say. */
  readonly until: number | null;
  readonly reason: string;
  readonly new_chats_used: number | null;
  readonly new_chats_quota: number | null;
}

/** Something that happened to a device and becomes an event; `at` is epoch ms. */
export type SessionEvent =
  | { readonly type: 'connected'; readonly at: number; readonly phone_number: string | null; readonly wa_name: string | null }
  /** `cause`, `code` and `until` as the row's reason; absent in events of earlier versions. */
  | {
      readonly type: 'disconnected';
      readonly at: number;
      readonly reason: string;
      readonly cause?: string | null;
      readonly code?: number | null;
      readonly until?: number | null;
    }
  | { readonly type: 'qr'; readonly at: number; readonly qr: string; readonly expires_at: number }
  /** Linking waits for a passkey, or for a code to be compared. */
  | { readonly type: 'passkey'; readonly at: number; readonly step: 'passkey' | 'passkey_confirm' }
  /** null: no more. */
  | { readonly type: 'restricted'; readonly at: number; readonly restriction: DeviceRestriction | null };

/** A device that has been offline for too long. */
export type Alerting = Pick<DeviceRow, '_id' | 'offline_since' | 'alert_at'>;

/** The fields that the owner of a device may change. */
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
  /** Rejects nothing of its own: `row._id` is a fresh ULID. */
  create(row: DeviceRow): Promise<void>;
  /** The same, where the tenant has fewer than `limit`, however many are made at once; false: it has not. */
  createWithin(row: DeviceRow, limit: number): Promise<boolean>;
  find(tenantId: string, sessionId: string): Promise<DeviceRow | null>;
  /** Newest first; `only` narrows to these ids (a restricted key). */
  list(tenantId: string, only: readonly string[] | null): Promise<DeviceRow[]>;
  /** In no order; their rows are not read. */
  ids(tenantId: string): Promise<readonly string[]>;
  /** Is this (digits) the number of one of the tenant's devices? */
  hasNumber(tenantId: string, phone: string): Promise<boolean>;
  count(tenantId: string): Promise<number>;
  /** The fields that its users may change; each field of `ignore`, `habits` and `calls` is independent. Returns the row after the change; null: no such device. */
  change(tenantId: string, sessionId: string, patch: DeviceChange): Promise<DeviceRow | null>;
  /** Its campaigns pause, or need not any more; nothing changes where complaints were lifted since `device` was read. */
  noteComplaints(device: Pick<DeviceRow, '_id' | 'tenant_id' | 'complaints_from'>, complaints: DeviceComplaints | null): Promise<void>;
  /** Whatever was complained of until `at` (epoch ms) counts no more. */
  liftComplaints(tenantId: string, sessionIds: readonly string[], at: number): Promise<void>;
  /** Beyond the plan, or not any more; nothing changes where it was so already. */
  pause(tenantId: string, sessionId: string, paused: DeviceRow['paused']): Promise<void>;
  /** Its messages and chats stay, and what follows from these is unfinished from `at` on; `everIds` still names it. */
  remove(tenantId: string, sessionId: string, at: number): Promise<boolean>;
  /** Those that were removed before `before`, and whose messages may not have ended: at most `limit`, the oldest first. */
  unfinished(before: number, limit: number): Promise<readonly RemovedDeviceRow[]>;
  /**
   * Since when it waits to be tried again, epoch ms; null: all that was left of it has ended, and was told. Null: it was removed again since that was
   * read, or somebody else tries; else it as it is now.
   */
  noteUnfinished(asRead: RemovedDeviceRow, at: number | null): Promise<RemovedDeviceRow | null>;
  /** Messages of these came when all had ended: those of them that were removed are unfinished again, from `at` on. */
  noteLateMessages(sessionIds: readonly string[], at: number): Promise<void>;
  /** Ids of the tenant's devices, removed ones too. */
  everIds(tenantId: string): Promise<readonly string[]>;
  /** Those of them that were removed, and whose messages have ended: nobody sends or tells anything of them any more. */
  removedIds(tenantId: string): Promise<readonly string[]>;
  /**
   * It is to be removed: nobody owns it any more, it is logged out, and if it was online, that it is not any more has yet to be told. Gives
   * the row as it is now; null: no such device.
   */
  depart(tenantId: string, sessionId: string, at: number): Promise<DeviceRow | null>;
  /** Takes ownership for `node`: raises the epoch and gives the row as it is now; null: no such device. */
  own(tenantId: string, sessionId: string, node: string): Promise<DeviceRow | null>;
  /** The owner's write; false: fenced (another owner since, or removed). */
  write(tenantId: string, sessionId: string, epoch: number, patch: DevicePatch, session_events?: readonly SessionEvent[]): Promise<boolean>;
  /** Session events that may not be recorded yet, oldest first. */
  unpublished(tenantId: string, sessionId: string): Promise<readonly SessionEvent[]>;
  /** All of that is recorded. Only its owner calls it, while it writes no other happening. */
  published(tenantId: string, sessionId: string, epoch: number): Promise<void>;
  /** Devices with a time to alert at, the next one first. */
  alerting(tenantId: string, limit: number): Promise<Alerting[]>;
  /** The alert of this outage is recorded. */
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

/** Whose messages are still there. */
export interface RemovedDeviceRow {
  readonly _id: string;
  readonly tenant_id: string;
  /** When it was removed, or when its messages last could not be ended, epoch ms; null once they have ended; absent in rows of before. */
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
