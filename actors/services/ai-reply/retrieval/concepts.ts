import { before } from '../../../../runtime/invariant.ts';
import { EVERYDAY } from './words/everyday.ts';
import { GOODS } from './words/goods.ts';
import { HOUSEHOLD } from './words/household.ts';
import { SERVICES } from './words/services.ts';
import { SHOPS } from './words/shops.ts';

/**
 * Topics that customers write about, in both languages. The index treats all words of a line as the
 * same, so that a question in one language finds an answer in the other. The first word of a line
 * is its concept. Phrases have an underscore. If a word is in two lines, the first one counts.
 */
const LINES = [SHOPS, GOODS, SERVICES, HOUSEHOLD, EVERYDAY].map((lines) => lines.trim()).join('\n');

export interface Concepts {
  /** Concept of a word in the table; undefined for other words. */
  readonly words: ReadonlyMap<string, string>;
  /** Phrases by their first word. */
  readonly phrases: ReadonlyMap<string, readonly { readonly words: readonly string[]; readonly concept: string }[]>;
}

/**
 * Words that are asked where a concept is mentioned: a text about opening hours answers questions
 * about Sundays, one about pets questions about cats.
 */
export const IMPLIED: ReadonlyMap<string, readonly string[]> = new Map(
  `
  cod bayar
  uangmuka bayar
  reseller jual grosir
  refund kembali batal
  bayar transfer tunai kartu qris gopay ovo dana debit rekening
  kirim kurir jne jnt sicepat gosend kota
  kurir kirim
  pesan reservasi
  reservasi pesan
  buka jam hari senin selasa rabu kamis jumat sabtu ahad minggu libur malam
  hewan anjing kucing burung
  minum kopi teh jus
  makan nasi sarapan
  anak bayi umur
  garansi rusak klaim
  diskon murah
  ukuran kecil besar
  alamat peta dekat
  `
    .trim()
    .split('\n')
    .map((line) => line.trim().split(' '))
    .map(([concept = '', ...implied]) => [concept, implied]),
);

/**
 * A city counts by name when the index knows it, otherwise as any city: a price for other towns
 * answers questions about one of them.
 */
export const CITIES: ReadonlySet<string> = new Set(
  (
    'surabaya jakarta semarang medan makassar yogyakarta jogja solo malang denpasar bali palembang pekanbaru padang lampung batam pontianak banjarmasin balikpapan samarinda manado ambon jayapura bekasi depok tangerang bogor cirebon aceh kalimantan sumatra sumatera sulawesi papua lombok jawa ' +
    'bandung cimahi garut tasikmalaya purwokerto tegal pekalongan kudus jepara kediri madiun jember banyuwangi mataram kupang ternate sorong palu kendari gorontalo bengkulu jambi bandarlampung tanjungpinang serang cilegon sukabumi karawang sidoarjo gresik'
  ).split(' '),
);

export const CONCEPTS: Concepts = readLines(LINES);

function readLines(lines: string): Concepts {
  const words = new Map<string, string>();
  const phrases = new Map<string, { words: string[]; concept: string }[]>();
  for (const line of lines.trim().split('\n')) {
    const [first = '', ...more] = line.split(' ');
    const concept = first.replaceAll('_', '');
    for (const one of [first, ...more]) {
      const parts = one.split('_');
      const start = before(one, '_');
      const others = phrases.get(start) ?? [];
      if (parts.length === 1) words.set(one, words.get(one) ?? concept);
      else
        phrases.set(
          start,
          [...others, { words: parts, concept }].toSorted((a, b) => b.words.length - a.words.length),
        );
    }
  }
  return { words, phrases };
}
