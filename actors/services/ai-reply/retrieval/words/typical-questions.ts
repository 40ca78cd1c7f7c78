/**
 * Questions that customers ask of almost any business. A small index cannot tell which words are
 * common, so these questions are added to its statistics: `harga` occurs in many of them, `sobek`
 * in few.
 */

export const TYPICAL_QUESTIONS = `
jam berapa toko buka dan tutup
what are your opening hours on sunday
di mana alamat toko
berapa harga barang ini
how much does it cost
berapa biaya pengiriman ke luar kota
berapa lama pengiriman barang sampai
can you ship my order abroad
bisa bayar pakai apa saja
can i pay cash on delivery
bagaimana cara pesan barang
how do i place an order
apakah barang ini masih ada stok
bisa pesan untuk hari ini atau besok
can i return or exchange the product
bagaimana membatalkan pesanan
berapa minimal pemesanan dan harga grosir
ada promo atau diskon bulan ini
do you have other sizes or colors
berapa nomor telepon customer service
`;
