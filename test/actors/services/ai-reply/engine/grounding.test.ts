import assert from 'node:assert/strict';
import { it } from 'node:test';
import { voidOf } from '../../../../../actors/services/ai-reply/engine/grounding.ts';
import { safeText } from '../../../../../runtime/safe-text.ts';

const PASSAGES = [
  'Ongkos kirim dalam Pulau Jawa Rp 15.000, luar Jawa Rp 35.000 per kilogram. Diskon 10% untuk anggota, dan bungkus kado gratis.',
  'Toko kami di Jl. Braga No. 21, Bandung, buka Senin sampai Sabtu pukul 09.00–20.00 WIB. Telepon 0811-2233-4455 atau halo@toko-sari.co.id.',
  'Promo sampai 23 November 2026: beli dua dapat satu. Lihat https://toko-sari.co.id/promo. We deliver within 2–3 working days, in Bandung only.',
];

const voided = (answer: string, language: 'en' | 'id' = 'id') =>
  voidOf(safeText(answer), PASSAGES, { question: 'kak mau tanya ongkir ke Solo', language });

it('the grounding check accepts an answer that its passages support, in any spelling', () => {
  for (const answer of [
    'Ongkirnya Rp15.000 di Jawa dan Rp 35.000 di luar Jawa.',
    'Ongkir ke Solo 15 ribu rupiah per kilogram.',
    'Ongkirnya 15rb kak.',
    'Ongkirnya lima belas ribu rupiah.',
    'Kami buka setiap Selasa jam 9 sampai 20:00.',
    'Ada diskon 10 persen untuk anggota.',
    'Toko kami di Jalan Braga nomor 21.',
    'Telepon kami di +62 811 2233 4455 ya kak.',
    'Lihat toko-sari.co.id/promo ya, sampai 23/11/2026.',
    'Promonya sampai 23 Nov, beli 2 dapat 1.',
    'Bungkus kado gratis.',
    'Tulis ke halo@toko-sari.co.id saja.',
    'Kami buka Senin sampai Sabtu . Ongkirnya 15 ribu.',
    'Kami buka 09.00-20.00 WIB.',
  ])
    assert.equal(voided(answer), null, answer);
  assert.equal(voided('It takes two to three working days, and one of us packs it.', 'en'), null);
  assert.equal(voided('We are open Monday to Saturday from 9.', 'en'), null);
});

it('the grounding check accepts the same opening hours in a different notation', () => {
  const said = voidOf(safeText('Kami buka 09.00 sampai 17.00 ya.'), ['Buka 09.00-17.00.'], { question: 'jam buka?', language: 'id' });
  assert.equal(said, null);
});

it('the grounding check rejects claims that the passages do not support, in any spelling', () => {
  const cases: readonly (readonly [answer: string, why: string])[] = [
    ['Ongkirnya Rp 10.000 saja.', 'price'],
    ['Ongkirnya sepuluh ribu rupiah.', 'price'],
    ['Diskonnya 15% untuk anggota.', 'price'],
    ['Diskonnya 35 persen.', 'price'],
    ['Ongkirnya USD 15000.', 'price'],
    ['Ongkirnya 16 ribu.', 'number'],
    ['Ongkirnya １６ ribu.', 'number'],
    ['Ongkirnya ١٦ ribu.', 'number'],
    ['Kirimnya tujuh hari.', 'number'],
    ['Kami buka jam 08.00.', 'number'],
    ['Kami buka jam 9.30.', 'number'],
    ['Promonya sampai 23 Desember.', 'date'],
    ['Promonya sampai 11/23/2026 kok.', 'date'],
    ['Kami buka hari Minggu.', 'date'],
    ['Kami buka Sabtu dan Minggu.', 'date'],
    ['Kami buka Sabtu, Minggu.', 'date'],
    ['Kami buka setiap hari.', 'date'],
    ['We are open every day.', 'date'],
    ['Lihat https://jahat.example/promo ya.', 'link'],
    ['Lihat toko-sari.co ya.', 'link'],
    ['Lihat jahat.xyz ya.', 'link'],
    ['Lihat ja\u200bhat\u200b.xyz ya.', 'link'],
    ['Lihat ｊａｈａｔ．ｘｙｚ ya.', 'link'],
    ['Buka http://10.0.0.1/ ya.', 'link'],
    ['Tulis ke promo@jahat.example ya.', 'link'],
    ['Tanya @jahat_promo ya.', 'link'],
    ['Tanya admin_jahat saja ya.', 'link'],
    ['Lihat jahat titik com ya.', 'link'],
    ['Lihat jahat dot xyz ya.', 'link'],
    ['Lihat jahat [dot] example ya.', 'link'],
    ['Lihat jahat(.)example ya.', 'link'],
    ['Lihat jahat . example ya.', 'link'],
    ['Lihat jahat。example ya.', 'link'],
    ['Lihat j a h a t . x y z ya.', 'link'],
    ['Ongkirnya separuh saja.', 'number'],
    ['Besok sudah sampai ya.', 'date'],
    ['Promonya sampai minggu depan.', 'date'],
    ['Telepon 0812-9999-8888 ya.', 'phone'],
    ['Telepon +6281299998888 ya.', 'phone'],
    ['Toko kami di Jl. Sudirman ya.', 'address'],
    ['Toko kami juga di Surabaya ya.', 'name'],
    ['Transfer ke rekening Budi ya.', 'name'],
    ['We ship within 2 days.', 'language'],
    ['…', 'empty'],
    ['Kami buka. '.repeat(100), 'too_long'],
  ];
  for (const [answer, why] of cases) assert.equal(voided(answer), why, answer);
  assert.equal(voidOf(safeText('Ongkir gratis.'), [PASSAGES[1] ?? ''], { question: 'ongkir?', language: 'id' }), 'price');
});
