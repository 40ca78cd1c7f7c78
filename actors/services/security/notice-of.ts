import type { AuditRow } from '../../../store/audit/entry.ts';
import type { EventType } from '../events/types.ts';

type Lang = 'en' | 'id';

/** The security notices that the owner of a business receives. */
export interface SecurityNotice {
  readonly type: Extract<EventType, `security.${string}`>;
  readonly text: Readonly<Record<Lang, string>>;
}

const KINDS: Readonly<Record<string, SecurityNotice['type']>> = {
  'login.create': 'security.sign_in',
  'key.create': 'security.key_created',
  'key.rotate': 'security.key_created',
  'webhook.create': 'security.webhook_created',
  'webhook.update': 'security.webhook_created',
  'two_factor.enable': 'security.two_factor_changed',
  'two_factor.disable': 'security.two_factor_changed',
  'two_factor.renew_recovery_codes': 'security.two_factor_changed',
  'two_factor.use_recovery_code': 'security.two_factor_changed',
  'passkey.create': 'security.two_factor_changed',
  'passkey.delete': 'security.two_factor_changed',
};

/** Could an entry with this action be one? */
export const isSecurityAction = (action: string): boolean => action in KINDS;

/** Of an audit entry; null: it is none. Whether the address of a sign-in is new is for the caller to know. */
export function noticeOf({ action, result, detail }: AuditRow): SecurityNotice | null {
  const type = KINDS[action];
  const text = TEXTS[action];
  if (!type || !text || result !== 'ok') return null;
  // Whoever moves a webhook reads what is told to it, as whoever makes one does.
  if (action === 'webhook.update' && !detail?.changes.some(({ field }) => field === 'url')) return null;
  const who = detail?.actor_name ?? '?';
  return { type, text: { en: `${text.en(who)} ${NOT_YOU.en}`, id: `${text.id(who)} ${NOT_YOU.id}` } };
}

/** What the owner reads of `many` changes for which there was no message of their own. */
export function moreChanges(many: number): SecurityNotice['text'] {
  // Few digits, so that it does not look like a one-time code.
  const [en, id] = many > MAX_SHOWN ? [`more than ${MAX_SHOWN}`, `lebih dari ${MAX_SHOWN}`] : [many, many];
  return {
    en: `Security: ${en} more ${many === 1 ? 'change' : 'changes'} to logins, API keys, webhooks or two-factor sign-in. ${NOT_YOU.en}`,
    id: `Keamanan: ${id} perubahan lain pada login, kunci API, webhook, atau verifikasi dua langkah. ${NOT_YOU.id}`,
  };
}

const MAX_SHOWN = 99;

const NOT_YOU: Readonly<Record<Lang, string>> = {
  en: 'If this was not you, sign in, end all other logins and check the audit log.',
  id: 'Jika ini bukan Anda, masuklah, akhiri semua login lain, dan periksa log audit.',
};

/** No address and no code: a digit too many would look like a one-time code. */
const TEXTS: Readonly<Record<string, Readonly<Record<Lang, (who: string) => string>>>> = {
  'login.create': {
    en: (who) => `Security: ${who} signed in from a new address.`,
    id: (who) => `Keamanan: ${who} masuk dari alamat baru.`,
  },
  'key.create': { en: (who) => `Security: ${who} created an API key.`, id: (who) => `Keamanan: ${who} membuat kunci API.` },
  'key.rotate': { en: (who) => `Security: ${who} replaced an API key.`, id: (who) => `Keamanan: ${who} mengganti kunci API.` },
  'webhook.create': { en: (who) => `Security: ${who} created a webhook.`, id: (who) => `Keamanan: ${who} membuat webhook.` },
  'webhook.update': {
    en: (who) => `Security: ${who} changed the address of a webhook.`,
    id: (who) => `Keamanan: ${who} mengubah alamat webhook.`,
  },
  'two_factor.enable': {
    en: (who) => `Security: ${who} turned two-factor sign-in on.`,
    id: (who) => `Keamanan: ${who} mengaktifkan verifikasi dua langkah.`,
  },
  'two_factor.disable': {
    en: (who) => `Security: ${who} turned two-factor sign-in off.`,
    id: (who) => `Keamanan: ${who} menonaktifkan verifikasi dua langkah.`,
  },
  'two_factor.renew_recovery_codes': {
    en: (who) => `Security: ${who} created new recovery codes.`,
    id: (who) => `Keamanan: ${who} membuat kode pemulihan baru.`,
  },
  'two_factor.use_recovery_code': {
    en: (who) => `Security: ${who} used a recovery code.`,
    id: (who) => `Keamanan: ${who} memakai kode pemulihan.`,
  },
  'passkey.create': { en: (who) => `Security: ${who} added a passkey.`, id: (who) => `Keamanan: ${who} menambahkan passkey.` },
  'passkey.delete': { en: (who) => `Security: ${who} removed a passkey.`, id: (who) => `Keamanan: ${who} menghapus passkey.` },
};
