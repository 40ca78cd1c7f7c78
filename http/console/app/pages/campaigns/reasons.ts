import { wordsOf } from '../../words/words.ts';

/**
 * Explains why a campaign recipient did not get a message: short texts for a recipient's `error` and
 * the reasons in a preview.
 */

const EN: Readonly<Record<string, string>> = {
  opted_out: 'Opted out',
  invalid: 'Not a valid number',
  ambiguous: 'Number needs a country code',
  ambiguous_number: 'Number needs a country code',
  duplicate: 'Listed twice',
  no_number: 'No number',
  excluded: 'Has an excluded tag',
  recently_messaged: 'You wrote to them recently',
  window_closed: 'Did not write in the last 24 hours',
  no_template_value: 'No value for the template',
  not_on_network: 'Not on the network',
  not_reachable: 'Cannot be reached',
  expired: 'Not sent before its time limit',
  quota_exceeded: 'Monthly messages used up',
  media_not_fetched: 'File could not be downloaded',
  media_gone: 'File no longer exists',
  text_too_long: 'Text too long once filled in',
  empty_text: 'Text empty once filled in',
  no_session: 'Device no longer exists',
  marketing_capped: 'Gets no more promotions for now',
  unknown_outcome: 'No confirmation; may have arrived',
  cancelled: 'Cancelled before it was sent',
  person_changed: 'Username belongs to somebody else now',
};

const ID: Readonly<Record<string, string>> = {
  opted_out: 'Berhenti berlangganan',
  invalid: 'Nomor tidak valid',
  ambiguous: 'Nomor perlu kode negara',
  ambiguous_number: 'Nomor perlu kode negara',
  duplicate: 'Tercantum dua kali',
  no_number: 'Tanpa nomor',
  excluded: 'Memiliki label yang dikecualikan',
  recently_messaged: 'Baru saja Anda kirimi',
  window_closed: 'Tidak menulis dalam 24 jam terakhir',
  no_template_value: 'Tidak ada nilai untuk templat',
  not_on_network: 'Tidak ada di jaringan',
  not_reachable: 'Tidak dapat dijangkau',
  expired: 'Tidak sempat terkirim sebelum batas waktu',
  quota_exceeded: 'Pesan bulan ini habis',
  media_not_fetched: 'Berkas tidak dapat diunduh',
  media_gone: 'Berkas sudah tidak ada',
  text_too_long: 'Teks terlalu panjang setelah diisi',
  empty_text: 'Teks kosong setelah diisi',
  no_session: 'Perangkat sudah tidak ada',
  marketing_capped: 'Untuk sementara tidak menerima promosi',
  unknown_outcome: 'Tanpa konfirmasi; mungkin sudah sampai',
  cancelled: 'Dibatalkan sebelum terkirim',
  person_changed: 'Nama pengguna kini milik orang lain',
};

const words = wordsOf({
  en: {
    known: EN,
    byNetwork: (code: string) => `Refused by the network (${code})`,
    other: (code: string) => `Not sent (${code})`,
  },
  id: {
    known: ID,
    byNetwork: (code: string) => `Ditolak jaringan (${code})`,
    other: (code: string) => `Tidak terkirim (${code})`,
  },
});

export function reasonText(code: string): string {
  const t = words();
  const known = Object.entries(t.known).find(([name]) => name === code)?.[1];
  const [, refused] = /^refused_(.+)$/.exec(code) ?? [];
  return known ?? (refused === undefined ? t.other(code) : t.byNetwork(refused));
}

const REPEATABLE = new Set(['expired', 'quota_exceeded', 'media_not_fetched', 'marketing_capped', 'window_closed']);

/** Whether another try can succeed. The gateway resends to recipients with these reasons in one call. */
export const isRepeatable = (code: string): boolean => REPEATABLE.has(code) || code.startsWith('refused_');

/** A message with this reason may have arrived. The gateway resends it only when no other reason is in the call. */
export const MAY_HAVE_ARRIVED = 'unknown_outcome';
