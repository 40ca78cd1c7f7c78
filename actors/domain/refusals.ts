import { Refusal } from '../../runtime/errors.ts';

/** Every entry is part of the API and of its OpenAPI document. */
export const REFUSALS = {
  VALIDATION_FAILED: { status: 400, en: 'The request is not valid', id: 'Permintaan tidak valid' },
  INVALID_JSON: { status: 400, en: 'The body is not valid JSON', id: 'Isi permintaan bukan JSON yang valid' },
  INVALID_NUMBER: { status: 400, en: 'The phone number is not valid', id: 'Nomor telepon tidak valid' },
  INVALID_JID: { status: 400, en: 'The chat address is not valid', id: 'Alamat percakapan tidak valid' },
  INVALID_TARGETS: { status: 400, en: 'Some targets are not valid', id: 'Beberapa tujuan tidak valid' },
  WEBHOOK_URL_BLOCKED: {
    status: 400,
    en: 'The webhook address must be https and publicly reachable',
    id: 'Alamat webhook harus https dan dapat dijangkau publik',
  },
  CURRENCY_NOT_SUPPORTED: {
    status: 400,
    en: 'The plan or the payment provider does not support this currency',
    id: 'Paket atau penyedia pembayaran tidak mendukung mata uang ini',
  },
  UNSAFE_REGEX: {
    status: 400,
    en: 'The regular expression could take too long on some texts; simplify it',
    id: 'Ekspresi reguler ini dapat memakan waktu terlalu lama pada teks tertentu; sederhanakan',
  },
  URL_BLOCKED: { status: 400, en: 'This address is not allowed', id: 'Alamat ini tidak boleh diakses' },
  UNAUTHORIZED: { status: 401, en: 'Missing or invalid credentials', id: 'Kredensial tidak ada atau tidak valid' },
  BAD_SIGNATURE: { status: 401, en: 'The signature is not valid', id: 'Tanda tangan tidak valid' },
  NO_SECRET: { status: 401, en: 'The signing secret is not saved yet', id: 'Rahasia tanda tangan belum disimpan' },
  LIMIT_REACHED: { status: 402, en: "The plan's limit is reached", id: 'Batas paket telah tercapai' },
  FORBIDDEN: { status: 403, en: 'Not allowed for this login or key', id: 'Tidak diizinkan untuk login atau kunci ini' },
  KEY_MANAGEMENT_REQUIRES_LOGIN: {
    status: 403,
    en: 'Only the account owner can manage API keys: sign in as the owner',
    id: 'Hanya pemilik akun yang dapat mengelola kunci API: masuk sebagai pemilik',
  },
  STEP_UP_REQUIRED: {
    status: 403,
    en: 'Confirm a two-factor code first with POST /auth/step-up; the confirmation lasts ten minutes',
    id: 'Masukkan dahulu kode dua faktor melalui POST /auth/step-up; konfirmasi berlaku sepuluh menit',
  },
  NOT_FOUND: { status: 404, en: 'Not found', id: 'Tidak ditemukan' },
  METHOD_NOT_ALLOWED: { status: 405, en: 'This path does not support this method', id: 'Alamat ini tidak mendukung metode ini' },
  REQUEST_TIMEOUT: { status: 408, en: 'The body arrived too slowly', id: 'Isi permintaan tiba terlalu lambat' },
  CONFIRMATION_REQUIRED: {
    status: 400,
    en: 'Send `confirm: true`: this cannot be undone',
    id: 'Kirim `confirm: true`: ini tidak dapat dibatalkan',
  },
  USERNAME_KEY_REQUIRED: {
    status: 409,
    en: 'This username is protected by a key: also send recipient.key',
    id: 'Nama pengguna ini dilindungi kunci: kirim juga recipient.key',
  },
  CONFLICT: { status: 409, en: 'Not possible in the current state', id: 'Tidak dapat dilakukan pada status saat ini' },
  CONSENT_ATTESTATION_REQUIRED: {
    status: 409,
    en: 'Confirm with `consent_attested: true` that the recipients agreed to receive this',
    id: 'Konfirmasikan dengan `consent_attested: true` bahwa penerima sudah setuju menerima ini',
  },
  NOT_CONNECTED: { status: 409, en: 'The device is not connected', id: 'Perangkat tidak terhubung' },
  PHONE_IN_USE: { status: 409, en: 'This phone number is already registered', id: 'Nomor telepon ini sudah terdaftar' },
  RECIPIENT_OPTED_OUT: {
    status: 409,
    en: 'The recipient has opted out of messages',
    id: 'Penerima telah berhenti berlangganan pesan',
  },
  CANNOT_REVOKE_PRIMARY: {
    status: 409,
    en: 'The primary key cannot be revoked; rotate it instead',
    id: 'Kunci utama tidak dapat dicabut; gunakan rotasi',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    en: 'An earlier request with this idempotency key is still running',
    id: 'Permintaan sebelumnya dengan kunci idempotensi ini masih berjalan',
  },
  WINDOW_CLOSED: {
    status: 409,
    en: 'This person has not written to the official number in the last 24 hours: send an approved template',
    id: 'Orang ini tidak mengirim pesan ke nomor resmi dalam 24 jam terakhir: kirim templat yang disetujui',
  },
  NO_SESSION: { status: 409, en: 'Choose the sending number first', id: 'Pilih nomor pengirim terlebih dahulu' },
  PAYLOAD_TOO_LARGE: { status: 413, en: 'The body is too large', id: 'Isi permintaan terlalu besar' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, en: 'The content type is not supported', id: 'Tipe konten tidak didukung' },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    en: 'This idempotency key was used with a different body',
    id: 'Kunci idempotensi ini sudah dipakai dengan isi yang berbeda',
  },
  RATE_LIMITED: { status: 429, en: 'Too many requests', id: 'Terlalu banyak permintaan' },
  INTERNAL: { status: 500, en: 'Something went wrong', id: 'Terjadi kesalahan' },
  NOT_DELIVERED: { status: 502, en: 'The code could not be delivered', id: 'Kode tidak dapat dikirim' },
  PUSH_FAILED: { status: 502, en: 'The push service refused the notification', id: 'Layanan push menolak notifikasi' },
  PROVIDER_UNAVAILABLE: {
    status: 502,
    en: 'The payment provider did not answer; send the request again to continue with this invoice',
    id: 'Penyedia pembayaran tidak merespons; kirim ulang permintaan untuk melanjutkan faktur ini',
  },
  OVERLOADED: { status: 503, en: 'The gateway is busy; try again shortly', id: 'Gateway sedang sibuk; coba lagi beberapa saat lagi' },
  UNAVAILABLE: { status: 503, en: 'Temporarily unavailable; try again', id: 'Layanan sedang tidak tersedia; coba lagi' },
  DEVICE_TIMEOUT: { status: 504, en: 'The network did not answer in time', id: 'Jaringan tidak merespons dalam batas waktu' },
} as const satisfies Record<string, { status: number; en: string; id: string }>;

export type RefusalCode = keyof typeof REFUSALS;

/** `details.reason` is appended to the text. `retryAfterMs` and `allow` become headers. */
export function refusal(code: 'CONFLICT', details: WithReason): Refusal;
export function refusal(code: Exclude<RefusalCode, 'CONFLICT'>, details?: Details): Refusal;
export function refusal(code: RefusalCode, details?: Details): Refusal {
  return new Refusal(code, details);
}

type Details = Readonly<Record<string, unknown>>;

interface WithReason extends Details {
  readonly reason: string | { readonly en: string; readonly id: string };
}

export const inStatus = ({ en, id }: { readonly en: string; readonly id: string }, status: string): Refusal =>
  refusal('CONFLICT', { reason: { en: `${en} is ${status}`, id: `${id} berstatus ${status}` } });

export const CHANGED_MEANWHILE = {
  en: 'another request changed it at the same time; fetch it again, then retry',
  id: 'permintaan lain mengubah data ini pada saat yang sama; ambil lagi datanya, lalu ulangi',
};

export interface Fault {
  readonly path: string;
  readonly en: string;
  readonly id: string;
  readonly isUnknown?: true;
}

export const MAX_FAULTS = 50;

/** Keeps one more fault than a response lists, so that the response can say that there are more. */
export const invalid = (faults: readonly Fault[]): Refusal => refusal('VALIDATION_FAILED', { faults: faults.slice(0, MAX_FAULTS + 1) });

export const faultsIn = ({ details: { faults } }: Pick<Refusal, 'details'>): readonly Fault[] | null =>
  Array.isArray(faults) ? faults : null;

export const invalidField = (path: string, { en, id }: { readonly en: string; readonly id: string }): Refusal =>
  invalid([{ path, en, id }]);

export const tooLarge = (maxBytes: number): Refusal =>
  refusal('PAYLOAD_TOO_LARGE', { reason: { en: `at most ${maxBytes} bytes`, id: `paling banyak ${maxBytes} byte` } });
