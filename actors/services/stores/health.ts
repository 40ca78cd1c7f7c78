import type { StoreHookRow } from '../../../store/store-links/hooks.ts';
import type { StoreLinkRow } from '../../../store/store-links/links.ts';

export interface StoreHealth {
  readonly state: 'ok' | 'quiet' | 'failing';
  readonly reasons: readonly string[];
}

type Lang = 'en' | 'id';

const DAY_MS = 86_400_000;
const QUIET_MS = 2 * DAY_MS;
const BUSY_PER_DAY = 5;
const MIN_SAMPLE = 20;

const REASONS = {
  noSecret: { en: 'The signing secret is not saved yet.', id: 'Rahasia tanda tangan belum disimpan.' },
  noSession: { en: 'Choose the device that sends.', id: 'Pilih perangkat pengirim.' },
  noAddress: {
    en: 'The address of this store is encrypted with a key that is missing. Ask the operator, or connect the store again.',
    id: 'Alamat toko ini dienkripsi dengan kunci yang hilang. Hubungi operator, atau sambungkan ulang toko ini.',
  },
  phones_hidden: {
    en: 'The store hides phone numbers: the last 20 webhooks came without one.',
    id: 'Toko menyembunyikan nomor telepon: 20 webhook terakhir datang tanpa nomor.',
  },
  bad_signature: {
    en: 'A webhook was refused because its signature does not match. Save the secret that the store shows.',
    id: 'Sebuah webhook ditolak karena tanda tangannya tidak cocok. Simpan rahasia yang ditampilkan toko.',
  },
  quietA: {
    en: 'No events for two days after a busy week. Check the webhooks in the store settings.',
    id: 'Tidak ada kejadian selama dua hari setelah minggu yang ramai. Periksa webhook di setelan toko.',
  },
  quietB: {
    en: 'No events for two days after a busy week. WooCommerce has probably disabled its webhook: set it to Active again.',
    id: 'Tidak ada kejadian selama dua hari setelah minggu yang ramai. WooCommerce mungkin menonaktifkan webhook: aktifkan lagi.',
  },
} as const satisfies Record<string, Readonly<Record<Lang, string>>>;

export interface StoreSigns {
  readonly recent: readonly StoreHookRow[];
  readonly hasDevice: boolean;
  readonly hasAddress: boolean;
}

export function healthOf(link: StoreLinkRow, { recent, hasDevice, hasAddress }: StoreSigns, lang: Lang, now: number): StoreHealth {
  const failing = [
    ...(hasAddress ? [] : [REASONS.noAddress]),
    ...(link.secret === null ? [REASONS.noSecret] : []),
    ...(hasDevice ? [] : [REASONS.noSession]),
    ...(link.last_error === null ? [] : [REASONS[link.last_error]]),
  ];
  const quiet = isQuiet(recent, now) ? [link.platform === 'platform_b' ? REASONS.quietB : REASONS.quietA] : [];
  const reasons = [...failing, ...quiet].map((reason) => reason[lang]);
  return { state: failing.length > 0 ? 'failing' : quiet.length > 0 ? 'quiet' : 'ok', reasons };
}

export const errorText = ({ last_error }: StoreLinkRow, lang: Lang): string | null => last_error && REASONS[last_error][lang];

function isQuiet(recent: readonly StoreHookRow[], now: number): boolean {
  const [newest] = recent;
  const oldest = recent.at(-1);
  if (!newest || !oldest || recent.length < MIN_SAMPLE || now - newest.created_at < QUIET_MS) return false;
  const days = Math.max(1, (newest.created_at - oldest.created_at) / DAY_MS);
  return recent.length / days >= BUSY_PER_DAY;
}
