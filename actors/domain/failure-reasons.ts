type Lang = 'en' | 'id';

/**
 * Why a message failed, as a sentence for the people of a business. The code (`error` of the message) is the contract; the sentence says what happened
 * and, where something can be done, what. The network's own numbers (`refused_<code>`) mean one thing each in the table, the rest share a sentence.
 */
const REASONS: Readonly<Record<string, Readonly<Record<Lang, string>>>> = {
  not_on_network: { en: 'This number is not on the network.', id: 'Nomor ini tidak ada di jaringan.' },
  not_in_group: { en: 'This device is no longer in the group.', id: 'Perangkat ini tidak lagi ada di grup.' },
  not_channel_admin: {
    en: 'This device may not write to the channel: it is not an admin.',
    id: 'Perangkat ini bukan admin saluran, jadi tidak boleh menulis di sana.',
  },
  no_audience: { en: 'Nobody may see this status.', id: 'Tidak ada yang boleh melihat status ini.' },
  no_server_id: { en: 'The network no longer knows the message it was about.', id: 'Jaringan tidak lagi mengenal pesan yang dimaksud.' },
  quota_exceeded: {
    en: "This month's messages were used up. Upgrade the plan, then send it again.",
    id: 'Pesan bulan ini sudah habis. Naikkan paket, lalu kirim lagi.',
  },
  unknown_outcome: {
    en: 'No confirmation came, so it may have arrived. Check the chat before you send it again.',
    id: 'Tidak ada konfirmasi, jadi mungkin sudah sampai. Cek percakapan sebelum mengirim lagi.',
  },
  expired: { en: 'It could not be sent before its time limit.', id: 'Tidak sempat terkirim sebelum batas waktunya.' },
  opted_out: {
    en: 'This person opted out, and your settings block messages to them.',
    id: 'Orang ini berhenti berlangganan, dan setelan Anda memblokir pesan kepadanya.',
  },
  cancelled: { en: 'It was cancelled before it was sent.', id: 'Dibatalkan sebelum terkirim.' },
  media_gone: { en: 'Its file no longer exists. Attach it again.', id: 'Berkasnya sudah tidak ada. Lampirkan lagi.' },
  media_not_fetched: { en: 'Its file could not be downloaded.', id: 'Berkasnya tidak dapat diunduh.' },
  person_changed: {
    en: 'The username belongs to somebody else now.',
    id: 'Nama pengguna itu sekarang milik orang lain.',
  },
  text_too_long: { en: 'Once filled in, the text is too long.', id: 'Setelah diisi, teksnya terlalu panjang.' },
  empty_text: { en: 'Once filled in, the text is empty.', id: 'Setelah diisi, teksnya kosong.' },
  no_session: { en: 'The device it was to be sent from no longer exists.', id: 'Perangkat pengirimnya sudah tidak ada.' },
  refused_463: {
    en: 'The network limits messages from this device to new people for now. Let them write first, or try later.',
    id: 'Jaringan sedang membatasi pesan perangkat ini ke orang baru. Tunggu mereka menulis dulu, atau coba nanti.',
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
const UNKNOWN = { en: 'It was not sent, and no reason is known.', id: 'Tidak terkirim, dan alasannya tidak diketahui.' } as const;
const BY_CODE = { en: (code: string) => `It was not sent (${code}).`, id: (code: string) => `Tidak terkirim (${code}).` } as const;

/** The sentence for the `error` of a failed message. */
export function failureReason(error: string | null, lang: Lang): string {
  if (error === null) return UNKNOWN[lang];
  const known = Object.hasOwn(REASONS, error) ? REASONS[error] : undefined;
  if (known) return known[lang];
  const [, code] = /^refused_(.+)$/.exec(error) ?? [];
  return code === undefined ? BY_CODE[lang](error) : BY_NETWORK[lang](code);
}
