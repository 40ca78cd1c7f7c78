type Words = Readonly<Record<'en' | 'id', string>>;

export class Unreadable extends Error {
  readonly reason: Words;

  constructor(reason: Words, cause?: unknown) {
    super(reason.en, { cause });
    this.reason = reason;
  }
}

export const FILE_REASONS = {
  password: { en: 'the file is protected by a password', id: 'berkas dilindungi kata sandi' },
  broken: { en: 'the file is damaged or does not match its name', id: 'berkas rusak atau tidak sesuai dengan namanya' },
  bomb: { en: 'the file unpacks to far more than its size', id: 'isi berkas setelah dibuka jauh melebihi ukurannya' },
  tooManyCells: {
    en: 'a sheet extends too far to the right or down; delete its last rows and columns',
    id: 'sebuah sheet terlalu jauh ke kanan atau ke bawah; hapus baris dan kolom terakhirnya',
  },
} as const satisfies Record<string, Words>;
