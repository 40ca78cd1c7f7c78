import type { SafeText } from '../../../../runtime/safe-text.ts';
import { meaningsOf, wordsOf } from './terms.ts';

/** Whether a text may be a question. Greetings, thanks, single letters and emoji alone are not. */
export function isQuestion(text: SafeText): boolean {
  return meaningsOf(text).some((word) => word.length > 1);
}

const INDONESIAN = new Set(
  (
    'yang di ke dari dan atau untuk dengan ada apa apakah berapa bagaimana gimana gmn kapan dimana mana kenapa siapa bisa boleh mau saya aku kami kita anda kamu ini itu tidak ga gak ' +
    'nggak sudah udah belum kalau kalo juga saja aja kak min gan sis ya dong nih sih deh kok mbak mas pak bu jam hari buka tutup harga bayar pakai pake kirim barang pesan pesanan ukuran ' +
    'alamat toko ongkir brp dmn yg utk dgn sampai lagi masih sama dalam hanya sudah akan'
  ).split(' '),
);
const ENGLISH = new Set(
  (
    'the a an is are do does did can could i you your my we our what which who when where why how much many of to for from with in on at and or it this that have has will would please ' +
    'not if there any open close price pay ship order size address store delivery'
  ).split(' '),
);

export type Language = 'en' | 'id';

export function languageOf(text: SafeText, otherwise: Language): Language {
  const words = wordsOf(text);
  const id = words.filter((word) => INDONESIAN.has(word) || (word.length > 4 && /(nya|kah|lah)$/.test(word))).length;
  const en = words.filter((word) => ENGLISH.has(word)).length;
  if (id === en) return otherwise;
  return id > en ? 'id' : 'en';
}
