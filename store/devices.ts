import type { Collection, CollectionSpec, Store } from './collection.ts';

/** spec.md Session.status. */
export type SessionStatus = 'pending' | 'qr_ready' | 'connected' | 'disconnected' | 'failed';

/** A device as stored (spec.md "Session", api.md "Devices"). Times are epoch ms. */
export interface DeviceRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly name: string | null;
  readonly status: SessionStatus;
  /** Digits with the country code; null until linked. */
  readonly phone_number: string | null;
  readonly wa_name: string | null;
  readonly wa_about: string | null;
  readonly proxy_url: string | null;
  readonly ignore: { readonly status: boolean; readonly groups: boolean; readonly channels: boolean };
  readonly warmup_until_ms: number | null;
  /** When its phone was linked; absent: never, or before that was noted. */
  readonly linked_at?: number | null;
  readonly created_at: number;
  readonly connected_at: number | null;
  readonly last_seen_at: number | null;
  /** Should it be online? The owner's wish, kept across restarts. */
  readonly wanted: boolean;
  /** The code to scan and until when; null when none is ready. */
  readonly qr: { readonly code: string; readonly expires_at: number } | null;
  /** The step that linking is at; null: nobody is linking. */
  readonly pairing: DevicePairing | null;
  /** Why it is disconnected or failed: `logged_out`, `banned`, `replaced`, `status_<code>`. */
  readonly reason: string | null;
  /** Login times of the last 24 h, oldest first. */
  readonly reconnects: readonly number[];
  /** Makes network message ids out of our own; never leaves the store. */
  readonly secret: string;
  /** The driver's login secrets; null: not linked. Never leaves the store but for the driver. */
  readonly credentials: Readonly<Record<string, unknown>> | null;
  /** Raised at each change of owner: a write that carries an older one matches nothing. */
  readonly epoch: number;
  /** The node that runs it; null: none. */
  readonly node: string | null;
  /** Where an operator wants it; null: wherever. */
  readonly pinned_node: string | null;
  /** Messages a minute, both ways, and when its owner last said so. */
  readonly traffic: { readonly per_minute: number; readonly at: number };
  /** What happened and is perhaps not recorded as an event yet; written with the change that it tells of. */
  readonly happenings?: readonly Happening[];
  /** Are there any? */
  readonly untold?: boolean;
  readonly offline_since?: number | null;
  /** How the network limits first contacts with strangers; absent or null: not at all. */
  readonly restriction?: DeviceRestriction | null;
  /** When somebody should be told that it is still offline; null: online, or told. */
  readonly alert_at?: number | null;
}

/** See api.md "Devices": of the passkey steps also what they need, and until when (epoch ms). */
export type DevicePairing =
  | { readonly step: 'qr' | 'code' }
  | { readonly step: 'passkey'; readonly options: PasskeyOptions; readonly expires_at: number }
  | { readonly step: 'passkey_confirm'; readonly code: string; readonly expires_at: number };

/** What an authenticator is asked: WebAuthn's own JSON. */
export interface PasskeyOptions {
  /** base64url. */
  readonly challenge: string;
  readonly rpId: string;
  /** ms. */
  readonly timeout: number;
  readonly userVerification: 'required' | 'preferred' | 'discouraged';
}

/** See api.md "Devices". */
export interface DeviceRestriction {
  /** Epoch ms; null: the network does not say. */
  readonly until: number | null;
  readonly reason: string;
  readonly new_chats_used: number | null;
  readonly new_chats_quota: number | null;
}

/** What happened to a device that those who listen have to hear of (spec.md part 6); `at` is epoch ms. */
export type Happening =
  | { readonly type: 'connected'; readonly at: number; readonly phone_number: string | null; readonly wa_name: string | null }
  | { readonly type: 'disconnected'; readonly at: number; readonly reason: string }
  | { readonly type: 'qr'; readonly at: number; readonly qr: string; readonly expires_at: number }
  /** Linking waits for a passkey, or for a code to be compared. */
  | { readonly type: 'passkey'; readonly at: number; readonly step: 'passkey' | 'passkey_confirm' }
  /** null: no more. */
  | { readonly type: 'restricted'; readonly at: number; readonly restriction: DeviceRestriction | null };

/** A device that has been offline for too long. */
export type Alerting = Pick<DeviceRow, '_id' | 'offline_since' | 'alert_at'>;

/** What the owner of a device may change of it. */
export type DevicePatch = Partial<
  Pick<
    DeviceRow,
    | 'status'
    | 'phone_number'
    | 'wa_name'
    | 'wa_about'
    | 'warmup_until_ms'
    | 'linked_at'
    | 'connected_at'
    | 'last_seen_at'
    | 'wanted'
    | 'qr'
    | 'pairing'
    | 'reason'
    | 'credentials'
    | 'reconnects'
    | 'node'
    | 'traffic'
    | 'restriction'
    | 'offline_since'
    | 'alert_at'
  >
>;

export type DeviceChange = Partial<Pick<DeviceRow, 'name' | 'proxy_url'>> & { readonly ignore?: Partial<DeviceRow['ignore']> };

export interface Devices {
  /** Rejects nothing of its own: `row._id` is a fresh ULID. */
  create(row: DeviceRow): Promise<void>;
  find(tenantId: string, sessionId: string): Promise<DeviceRow | null>;
  /** Newest first; `only` narrows to these ids (a restricted key). */
  list(tenantId: string, only: readonly string[] | null): Promise<DeviceRow[]>;
  count(tenantId: string): Promise<number>;
  /** What its users change of it; each flag of `ignore` stands for itself. Gives the row as it is now; null: no such device. */
  change(tenantId: string, sessionId: string, patch: DeviceChange): Promise<DeviceRow | null>;
  remove(tenantId: string, sessionId: string): Promise<boolean>;
  /**
   * It is to be removed: nobody owns it any more, it is logged out, and if it was online, that it is not any more has yet to be told. Gives
   * the row as it is now; null: no such device.
   */
  depart(tenantId: string, sessionId: string, at: number): Promise<DeviceRow | null>;
  /** Takes ownership for `node`: raises the epoch and gives the row as it is now; null: no such device. */
  own(tenantId: string, sessionId: string, node: string): Promise<DeviceRow | null>;
  /** The owner's write; false: fenced (another owner since, or removed). */
  write(tenantId: string, sessionId: string, epoch: number, patch: DevicePatch, happenings?: readonly Happening[]): Promise<boolean>;
  /** What happened and may not be recorded yet, oldest first. */
  untold(tenantId: string, sessionId: string): Promise<readonly Happening[]>;
  /** All of that is recorded. Only its owner calls it, while it writes no other happening. */
  told(tenantId: string, sessionId: string, epoch: number): Promise<void>;
  /** Devices with a time to alert at, the next one first. */
  alerting(tenantId: string, limit: number): Promise<Alerting[]>;
  /** The alert of this outage is recorded. */
  alerted(tenantId: string, sessionId: string, alertAt: number): Promise<void>;
}

export const deviceSpec: CollectionSpec = {
  name: 'devices',
  indexes: [
    { name: 'by_tenant', keys: { tenant_id: 1, created_at: -1, _id: -1 } },
    { name: 'by_age', keys: { created_at: -1, _id: -1 } },
    { name: 'wanted', keys: { wanted: 1 }, where: { wanted: true } },
    { name: 'untold', keys: { untold: 1 }, where: { untold: true } },
    { name: 'alerting', keys: { tenant_id: 1, alert_at: 1 }, where: { alert_at: { $gte: 0 } } },
  ],
};

const DEPARTED = {
  status: 'failed',
  reason: 'logged_out',
  wanted: false,
  qr: null,
  pairing: null,
  offline_since: null,
  alert_at: null,
} satisfies Partial<DeviceRow>;
const ALERTING = { _id: 1, offline_since: 1, alert_at: 1 } as const;

export function devicesIn(store: Store): Devices {
  const devices: Collection<DeviceRow> = store.collection<DeviceRow>(deviceSpec);

  return {
    create: async (row) => void (await devices.insertOne(row)),
    find: (tenant_id, _id) => devices.findOne({ _id, tenant_id }),
    list: (tenant_id, only) =>
      devices.find(only ? { tenant_id, _id: { $in: only } } : { tenant_id }, { sort: { created_at: -1, _id: -1 } }).toArray(),
    count: (tenant_id) => devices.countDocuments({ tenant_id }),
    change(tenant_id, _id, { ignore = {}, ...fields }) {
      const flags = Object.fromEntries(Object.entries(ignore).map(([flag, on]) => [`ignore.${flag}`, on]));
      const patch = { ...fields, ...flags };
      if (Object.keys(patch).length === 0) return devices.findOne({ _id, tenant_id });
      return devices.findOneAndUpdate({ _id, tenant_id }, { $set: patch }, { returnDocument: 'after' });
    },
    remove: async (tenant_id, _id) => (await devices.deleteOne({ _id, tenant_id })).deletedCount === 1,
    async depart(tenant_id, _id, at) {
      const $set = DEPARTED;
      const $push = { happenings: { $each: [{ type: 'disconnected', at, reason: 'logged_out' }] } };
      const online = { $inc: { epoch: 1 }, $set: { ...$set, untold: true }, $push };
      const offline = { $inc: { epoch: 1 }, $set };
      const told = await devices.findOneAndUpdate({ _id, tenant_id, status: 'connected' }, online, { returnDocument: 'after' });
      return told ?? devices.findOneAndUpdate({ _id, tenant_id }, offline, { returnDocument: 'after' });
    },
    own: (tenant_id, _id, node) =>
      devices.findOneAndUpdate({ _id, tenant_id }, { $inc: { epoch: 1 }, $set: { node } }, { returnDocument: 'after' }),
    async write(tenant_id, _id, epoch, patch, happenings = []) {
      const telling = { $set: { ...patch, untold: true }, $push: { happenings: { $each: happenings } } };
      const update = happenings.length > 0 ? telling : { $set: patch };
      return (await devices.updateOne({ _id, tenant_id, epoch }, update)).matchedCount === 1;
    },
    untold: async (tenant_id, _id) => (await devices.findOne({ _id, tenant_id }))?.happenings ?? [],
    told: async (tenant_id, _id, epoch) =>
      void (await devices.updateOne({ _id, tenant_id, epoch }, { $set: { happenings: [], untold: false } })),
    alerting: (tenant_id, limit) =>
      devices.find({ tenant_id, alert_at: { $gte: 0 } }, { sort: { alert_at: 1 }, limit, projection: ALERTING }).toArray(),
    alerted: async (tenant_id, _id, alert_at) => void (await devices.updateOne({ _id, tenant_id, alert_at }, { $set: { alert_at: null } })),
  };
}
