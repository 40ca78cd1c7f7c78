/** Related words that customers use for a concept: `days` for hours, `cats` for pets. */

export const IMPLIED = `
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
`;
