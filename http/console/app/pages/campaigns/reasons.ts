import { wordsOf } from '../../words/words.ts';

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
  expired: 'Expired before it was sent',
  quota_exceeded: 'Monthly messages used up',
  media_not_fetched: 'File could not be downloaded',
  media_gone: 'File no longer exists',
  text_too_long: 'Text too long after filling in',
  empty_text: 'Text empty after filling in',
  no_session: 'Device no longer exists',
  marketing_capped: 'Cannot get more promotions for now',
  unknown_outcome: 'Not confirmed; may have arrived',
  cancelled: 'Cancelled before it was sent',
  person_changed: 'Username now belongs to someone else',
};

const ID: Readonly<Record<string, string>> = {
  opted_out: 'Berhenti berlangganan',
  invalid: 'Nomor tidak valid',
  ambiguous: 'Nomor perlu kode negara',
  ambiguous_number: 'Nomor perlu kode negara',
  duplicate: 'Tercantum dua kali',
  no_number: 'Tanpa nomor',
  excluded: 'Memiliki label yang dikecualikan',
  recently_messaged: 'Belum lama ini Anda kirimi pesan',
  window_closed: 'Tidak mengirim pesan dalam 24 jam terakhir',
  no_template_value: 'Tidak ada nilai untuk templat',
  not_on_network: 'Tidak ada di jaringan',
  not_reachable: 'Tidak dapat dijangkau',
  expired: 'Kedaluwarsa sebelum terkirim',
  quota_exceeded: 'Kuota pesan bulan ini habis',
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

export const isRepeatable = (code: string): boolean => REPEATABLE.has(code) || code.startsWith('refused_');

/** The gateway resends messages with this reason only if the call names no other reason. */
export const MAY_HAVE_ARRIVED = 'unknown_outcome';
