type Lang = 'en' | 'id';

/** User texts by failure code. Codes are part of the API. All unlisted `refused_<code>` share one text. */
const REASONS: Readonly<Record<string, Readonly<Record<Lang, string>>>> = {
  not_on_network: { en: 'This number is not on the network.', id: 'Nomor ini tidak ada di jaringan.' },
  not_in_group: { en: 'This device is no longer in the group.', id: 'Perangkat ini tidak lagi ada di grup.' },
  not_group_admin: {
    en: 'Only admins may write in this group, and this device is not one.',
    id: 'Hanya admin yang boleh mengirim pesan di grup ini, dan perangkat ini bukan admin.',
  },
  not_channel_admin: {
    en: 'This device cannot post in the channel because it is not an admin.',
    id: 'Perangkat ini bukan admin saluran, jadi tidak boleh menulis di sana.',
  },
  no_audience: { en: 'Nobody is allowed to see this status.', id: 'Tidak ada orang yang diizinkan melihat status ini.' },
  no_server_id: { en: 'The network can no longer find the original message.', id: 'Jaringan tidak lagi menemukan pesan aslinya.' },
  quota_exceeded: {
    en: "This month's message quota is used up. Upgrade the plan, then send it again.",
    id: 'Kuota pesan bulan ini sudah habis. Tingkatkan paket, lalu kirim lagi.',
  },
  unknown_outcome: {
    en: 'Delivery was not confirmed, so the message may have arrived. Check the chat before you send it again.',
    id: 'Tidak ada konfirmasi, jadi pesan mungkin sudah sampai. Periksa percakapan sebelum mengirim lagi.',
  },
  expired: { en: 'The message expired before it could be sent.', id: 'Pesan kedaluwarsa sebelum terkirim.' },
  opted_out: {
    en: 'This person opted out, and your settings block messages to them.',
    id: 'Orang ini berhenti berlangganan, dan setelan Anda memblokir pesan kepadanya.',
  },
  window_closed: {
    en: 'This person has not written to the official number in the last 24 hours. Send an approved template.',
    id: 'Orang ini tidak mengirim pesan ke nomor resmi dalam 24 jam terakhir. Kirim templat yang disetujui.',
  },
  template_missing: {
    en: 'This template is not approved on the platform. Sync the templates, then choose another.',
    id: 'Templat ini belum disetujui di platform. Sinkronkan templat, lalu pilih yang lain.',
  },
  template_paused: {
    en: 'The platform paused this template. Use another, or wait until it is approved again.',
    id: 'Platform menghentikan sementara templat ini. Pakai yang lain, atau tunggu sampai disetujui lagi.',
  },
  template_parameters: {
    en: 'The variables do not match the template. Sync the templates, then fill it in again.',
    id: 'Variabelnya tidak cocok dengan templat. Sinkronkan templat, lalu isi lagi.',
  },
  template_refused: { en: 'The platform refused the content of the template.', id: 'Platform menolak isi templat ini.' },
  not_reachable: {
    en: 'The platform cannot reach this person. They may not be on the network, or they have blocked your number.',
    id: 'Platform tidak dapat menjangkau orang ini. Mungkin ia tidak ada di jaringan, atau memblokir nomor Anda.',
  },
  marketing_capped: {
    en: 'This person cannot receive more marketing messages for now. Wait a day before you send it again.',
    id: 'Untuk sementara, orang ini tidak dapat menerima pesan promosi lagi. Tunggu sehari sebelum mengirim lagi.',
  },
  experiment: {
    en: 'The platform is not delivering marketing messages to this person for now.',
    id: 'Untuk sementara, platform tidak mengirim pesan promosi ke orang ini.',
  },
  country_not_allowed: {
    en: 'The platform does not allow this account to send to that country.',
    id: 'Platform tidak mengizinkan akun ini mengirim ke negara itu.',
  },
  payment_missing: {
    en: 'The account has no valid payment method on the platform. Add one, then send it again.',
    id: 'Akun tidak punya metode pembayaran yang sah di platform. Tambahkan, lalu kirim lagi.',
  },
  media_refused: {
    en: 'The platform did not accept the file. Check its type and size.',
    id: 'Platform tidak menerima berkasnya. Periksa jenis dan ukurannya.',
  },
  recipient_not_listed: {
    en: 'A test number can send only to the recipients on its list on the platform.',
    id: 'Nomor uji hanya dapat mengirim ke penerima yang ada dalam daftarnya di platform.',
  },
  needs_phone: {
    en: "A one-time code can be sent only to a phone number, and this person's number is not known.",
    id: 'Kode sekali pakai hanya dapat dikirim ke nomor telepon, dan nomor orang ini tidak diketahui.',
  },
  flow_blocked: { en: 'The platform blocked the form in this template.', id: 'Platform memblokir formulir di templat ini.' },
  no_address: {
    en: 'The platform has no address for this person. They must message you first.',
    id: 'Platform tidak punya alamat orang ini. Ia harus mengirim pesan lebih dulu.',
  },
  not_offered: { en: 'The official platform does not support this.', id: 'Platform resmi tidak mendukung ini.' },
  cancelled: { en: 'The message was cancelled before it was sent.', id: 'Pesan dibatalkan sebelum terkirim.' },
  media_gone: { en: 'The file no longer exists. Attach the file again.', id: 'Berkasnya sudah tidak ada. Lampirkan lagi.' },
  media_not_fetched: { en: 'The file could not be downloaded.', id: 'Berkasnya tidak dapat diunduh.' },
  person_changed: {
    en: 'This username now belongs to someone else.',
    id: 'Nama pengguna itu sekarang milik orang lain.',
  },
  text_too_long: {
    en: 'The text is too long after the placeholders are filled in.',
    id: 'Teksnya terlalu panjang setelah isian dilengkapi.',
  },
  empty_text: { en: 'The text is empty after the placeholders are filled in.', id: 'Teksnya kosong setelah isian dilengkapi.' },
  no_session: { en: 'The sending device no longer exists.', id: 'Perangkat pengirimnya sudah tidak ada.' },
  refused_463: {
    en: 'For now, the network limits messages from this device to new people. Let them write first, or try again later.',
    id: 'Jaringan sedang membatasi pesan perangkat ini ke orang baru. Tunggu mereka mengirim pesan lebih dulu, atau coba lagi nanti.',
  },
  refused_479: {
    en: 'The network did not accept this message. Try again later.',
    id: 'Jaringan tidak menerima pesan ini. Coba lagi nanti.',
  },
};

const BY_NETWORK = {
  en: (code: string) => `The network refused this message (${code}).`,
  id: (code: string) => `Jaringan menolak pesan ini (${code}).`,
} as const;
const UNKNOWN = {
  en: 'The message was not sent, for an unknown reason.',
  id: 'Pesan tidak terkirim, dan alasannya tidak diketahui.',
} as const;
const BY_CODE = {
  en: (code: string) => `The message was not sent (${code}).`,
  id: (code: string) => `Pesan tidak terkirim (${code}).`,
} as const;

export function failureReason(error: string | null, lang: Lang): string {
  if (error === null) return UNKNOWN[lang];
  const known = Object.hasOwn(REASONS, error) ? REASONS[error] : undefined;
  if (known) return known[lang];
  const [, code] = /^refused_(.+)$/.exec(error) ?? [];
  return code === undefined ? BY_CODE[lang](error) : BY_NETWORK[lang](code);
}
