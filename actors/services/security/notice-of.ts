import type { AuditActor, AuditChange, AuditRow } from '../../../store/audit/entry.ts';
import { RETAINED } from '../../../store/privacy/retention.ts';
import { isWiderKey } from '../accounts/key-access.ts';
import { weakensConsent } from '../consent/config.ts';
import type { EventType } from '../events/types.ts';
import { isShorter } from '../privacy/retention/retention.ts';

/**
 * Maps actions in the audit log to security notices for the owner. Every action that needs a fresh
 * second factor (`stepUp`) has a notice; test/http/auth/step-up.test.ts compares the two.
 */

type Lang = 'en' | 'id';
type SecurityEvent = Extract<EventType, `security.${string}`>;

export interface SecurityNotice {
  readonly type: SecurityEvent;
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: Readonly<Record<Lang, string>>;
}

interface Rule {
  readonly type: SecurityEvent;
  readonly kind?: ExportKind | DeletedKind;
  readonly when?: (changes: readonly AuditChange[]) => boolean;
  /** Notice texts contain no addresses or names, because digits in them could look like a one-time code. */
  readonly en: string;
  readonly id: string;
}

export const EXPORT_KINDS = ['contacts', 'consent', 'audit', 'privacy', 'campaign_report', 'group_participants'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];
export const DELETED_KINDS = ['device', 'person', 'account'] as const;
export type DeletedKind = (typeof DELETED_KINDS)[number];

const changed =
  (...fields: string[]) =>
  (changes: readonly AuditChange[]): boolean =>
    changes.some(({ field }) => fields.includes(field));

const key = { type: 'security.key_created' } as const;
const webhook = { type: 'security.webhook_created' } as const;
const factor = { type: 'security.two_factor_changed' } as const;
const access = { type: 'security.access_changed' } as const;
const exported = (kind: ExportKind) => ({ type: 'security.data_exported', kind }) as const;
const deleted = (kind: DeletedKind) => ({ type: 'security.data_deleted', kind }) as const;

const RULES: Readonly<Record<string, Rule>> = {
  'login.create': { type: 'security.sign_in', en: 'signed in from a new address', id: 'masuk dari alamat baru' },
  'key.create': { ...key, en: 'created an API key', id: 'membuat kunci API' },
  'key.rotate': { ...key, en: 'replaced an API key', id: 'mengganti kunci API' },
  'key.update': {
    ...access,
    when: (changes) => changes.some(({ field, from, to }) => isWiderKey(field, from, to)),
    en: 'gave an API key more access',
    id: 'memperluas akses kunci API',
  },
  'webhook.create': { ...webhook, en: 'created a webhook', id: 'membuat webhook' },
  // A new URL or secret lets the caller read or forge deliveries, as a new webhook would.
  'webhook.update': {
    ...webhook,
    when: changed('url', 'secret'),
    en: 'changed the address or the secret of a webhook',
    id: 'mengubah alamat webhook atau rahasianya',
  },
  'two_factor.enable': { ...factor, en: 'turned two-factor sign-in on', id: 'mengaktifkan verifikasi dua faktor' },
  'two_factor.disable': { ...factor, en: 'turned two-factor sign-in off', id: 'menonaktifkan verifikasi dua faktor' },
  'two_factor.renew_recovery_codes': { ...factor, en: 'created new recovery codes', id: 'membuat kode pemulihan baru' },
  'two_factor.use_recovery_code': { ...factor, en: 'used a recovery code', id: 'memakai kode pemulihan' },
  'passkey.create': { ...factor, en: 'added a passkey', id: 'menambahkan passkey' },
  'passkey.delete': { ...factor, en: 'removed a passkey', id: 'menghapus passkey' },
  'agent.create': { ...access, en: 'added an agent', id: 'menambahkan agen' },
  'agent.update': {
    ...access,
    when: (changes) => changes.some(({ field, to }) => field === 'phone' || (field === 'is_active' && to === true)),
    en: "activated an agent or changed an agent's phone number",
    id: 'mengaktifkan agen atau mengubah nomor teleponnya',
  },
  'device.create': { ...access, when: changed('proxy_url'), en: 'added a device with a proxy', id: 'menambahkan perangkat dengan proksi' },
  'device.update': { ...access, when: changed('proxy_url'), en: 'changed the proxy of a device', id: 'mengubah proksi perangkat' },
  'store.connect': { ...access, en: 'connected an online store', id: 'menghubungkan toko online' },
  'store.update': {
    ...access,
    when: changed('secret', 'session_id'),
    en: 'changed the secret or the device of an online store',
    id: 'mengubah rahasia atau perangkat toko online',
  },
  'push.subscribe': { ...access, en: 'turned on notifications in a browser', id: 'mengaktifkan notifikasi di peramban' },
  'consent.configure': {
    ...access,
    when: (changes) => changes.some(({ field, from, to }) => weakensConsent(field.replace(/^config\./, ''), from, to)),
    en: 'switched off consent checks or removed opt-out words',
    id: 'menonaktifkan pemeriksaan persetujuan atau menghapus kata berhenti',
  },
  'privacy.update': {
    ...access,
    when: shortensRetention,
    en: 'shortened how long data is kept',
    id: 'mempersingkat masa simpan data',
  },
  'privacy.hold': {
    ...access,
    when: (changes) => changes.some(({ field, from, to }) => field === 'until' && Number(to) < Number(from ?? 0)),
    en: 'shortened a hold on data',
    id: 'mempersingkat penahanan data',
  },
  'privacy.end_hold': { ...access, en: 'ended a hold on data', id: 'mengakhiri penahanan data' },
  'contacts.export': { ...exported('contacts'), en: 'exported contacts', id: 'mengekspor kontak' },
  'consent.export': { ...exported('consent'), en: 'exported consent records', id: 'mengekspor catatan persetujuan' },
  'audit.export': { ...exported('audit'), en: 'exported the audit log', id: 'mengekspor log audit' },
  'privacy.export': { ...exported('privacy'), en: 'started an export of stored data', id: 'memulai ekspor data tersimpan' },
  'privacy.download': { ...exported('privacy'), en: 'downloaded an export of stored data', id: 'mengunduh ekspor data tersimpan' },
  'blast.export': { ...exported('campaign_report'), en: 'downloaded a campaign report', id: 'mengunduh laporan kampanye' },
  'group.export': { ...exported('group_participants'), en: 'exported the members of a group', id: 'mengekspor anggota grup' },
  'session.move_in': { ...access, en: 'moved in a login from another program', id: 'memindahkan login dari program lain' },
  'device.delete': { ...deleted('device'), en: 'deleted a device', id: 'menghapus perangkat' },
  'privacy.erase': { ...deleted('person'), en: 'erased the data of a person', id: 'menghapus data seseorang' },
  'account.delete': { ...deleted('account'), en: 'deleted the account', id: 'menghapus akun' },
};

/**
 * Whether the change shortens a retention period. If no period was pending before, it does, because
 * only shortened periods become pending.
 */
function shortensRetention(changes: readonly AuditChange[]): boolean {
  return RETAINED.some((kind) => {
    const change = changes.find(({ field }) => field === `pending.days.${kind}`);
    return change !== undefined && isShorter(Number(change.to), Number(change.from ?? 0));
  });
}

export const isSecurityAction = (action: string): boolean => action in RULES;

export const isExport = ({ type }: SecurityNotice): boolean => type === 'security.data_exported';

export function noticeOf(row: AuditRow): SecurityNotice | null {
  const rule = RULES[row.action];
  if (!rule || row.result !== 'ok') return null;
  if (rule.when && !rule.when(row.detail?.changes ?? [])) return null;
  const who = row.detail?.actor_name ?? '?';
  const text = { en: `Security: ${who} ${rule.en}. ${NOT_YOU.en}`, id: `Keamanan: ${who} ${rule.id}. ${NOT_YOU.id}` };
  return { type: rule.type, data: dataOf(rule, row), text };
}

function dataOf(
  { type, kind }: Rule,
  { _id, action, actor_kind, actor_id, target_kind, target_id, detail }: AuditRow,
): SecurityNotice['data'] {
  const by: AuditActor = { kind: actor_kind, id: actor_id, name: detail?.actor_name ?? null };
  switch (type) {
    case 'security.access_changed':
      return { action, target: { kind: target_kind, id: target_id }, by };
    case 'security.data_exported':
      return { kind, id: target_id, by };
    case 'security.data_deleted':
      return { kind, by };
    default:
      return { audit_id: _id, action, actor: by, address: detail?.address ?? null, target_id };
  }
}

export function moreChanges(many: number): SecurityNotice['text'] {
  // Shows few digits, because a longer number could look like a one-time code.
  const [en, id] = many > MAX_SHOWN ? [`more than ${MAX_SHOWN}`, `lebih dari ${MAX_SHOWN}`] : [many, many];
  return {
    en: `Security: ${en} more ${many === 1 ? 'event' : 'events'} (access changes, data exports or deletions). ${NOT_YOU.en}`,
    id: `Keamanan: ${id} perubahan lain pada akses, ekspor, atau penghapusan data. ${NOT_YOU.id}`,
  };
}

const MAX_SHOWN = 99;

const NOT_YOU: Readonly<Record<Lang, string>> = {
  en: 'If this was not you, sign in, end all other logins and check the audit log.',
  id: 'Jika ini bukan Anda, masuklah, akhiri semua login lain, dan periksa log audit.',
};
