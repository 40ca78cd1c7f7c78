/**
 * Words that every business needs (prices, payment, deliveries, hours). For the format, see
 * concepts.ts.
 */

export const SHOPS = `
harga kena_berapa price cost tarif biaya ongkos fee charge berapaan how_much rp idr rupiah rate room_rate
bayar pay payment pembayaran dibayar pelunasan bill settle
kirim ship shipping shipped send delivery deliver pengiriman dikirim mengirim antar diantar dianter mengantar pengantaran
buka open dibuka tutup close ditutup
jam hour pukul time what_time
alamat address lokasi location located where dimana di_mana
toko store shop outlet
cabang branch
lama long how_long how_many_days berapa_hari berapa_minggu estimasi duration durasi
hari day
minggu week pekan
bulan month
tahun year
ukuran size besar dimensi dimension diameter big large
warna color colour
bahan material fabric made_of kain
cuci wash laundry mencuci dicuci
tukar exchange ditukar menukar swap penukaran
kembali return retur dikembalikan mengembalikan pengembalian
refund uang_kembali money_back uang_balik
batal cancel cancelled cancelling cancellation membatalkan dibatalkan pembatalan
rusak damage broken cacat defect defective sobek robek torn pecah
pesan order pesanan memesan pemesanan dipesan
ganti change ubah mengubah diganti mengganti
beli buy purchase membeli bought
jual sell menjual sold
grosir wholesale bulk partai borongan beli_banyak pembelian_banyak jumlah_banyak in_quantity
reseller agen distributor dropship dropshipper
diskon discount potongan promo sale promotion promosi harga_khusus special_price hemat save_money
gratis free cuma_cuma
stok stock tersedia available availability restock restok in_stock
habis sold_out out_of_stock kosong vacant
resi track lacak melacak awb nomor_resi
kurir courier ekspedisi
cod cash_on_delivery bayar_di_tempat
transfer bank_transfer
rekening account_number bank_account
kartu card kredit_card credit_card credit_cards kartu_kredit kartu_debit debit_card
tunai cash
faktur invoice receipt nota kuitansi kwitansi
pajak tax ppn
poin point
member membership keanggotaan anggota loyalty
voucher kupon coupon
garansi warranty guarantee
hadiah gift kado present
bungkus wrap wrapping wrapped packing kemasan packaging dibungkus
luar_negeri abroad overseas international internasional foreign
uang_muka dp deposit down_payment panjar
sisa remaining balance
cicilan installment cicil angsuran kredit
daftar register registration sign_up pendaftaran mendaftar enroll terdaftar enrol
reservasi reservation book reserve appointment janji janjian janji_temu
meja table desks
kursi seat chair tempat_duduk
orang person people guest tamu visitor pengunjung
kelas class course kursus lesson
jadwal schedule timetable
ambil pick_up pickup collect pengambilan diambil mengambil
sertifikat certificate certified certification bersertifikat
alergi allergy allergic allergen
kacang nut peanut almond
susu milk dairy
telur egg
roti bread
kue cake
ulang_tahun birthday
lilin candle
kopi coffee espresso
minum drink minuman beverage
makan eat food makanan meal
rumah home house
kantor office
acara event party pesta
sekolah school
anak child children kid toddler
bayi baby infant
pria man men male laki lelaki gentleman cowok cowo
wanita woman women female perempuan lady cewek cewe
libur holiday hari_libur public_holiday tanggal_merah
besok tomorrow
kulkas fridge refrigerator
simpan store_it storage menyimpan disimpan penyimpanan keep save
awet shelf_life expire expiry kadaluarsa kedaluwarsa tahan
cepat fast quick express kilat rapid kenceng kencang
telepon phone call telephone
email surel e_mail
nomor number
foto photo picture gambar image photograph
akun account
sandi password kata_sandi
masuk login log_in sign_in entry entrance
aplikasi app application
dokter doctor
obat medicine drug medication
sakit sick ill pain
kamar room bedroom
sewa rent rental menyewa disewa lease
parkir park
pasang install installation pemasangan memasang
perbaikan repair servis service fix memperbaiki perbaiki reparasi benerin betulin diperbaiki dibetulkan
minimal minimum minimum_order
maksimal maximum
syarat requirement ketentuan terms persyaratan
dokumen document paperwork
kontrak contract
gaji salary wage
lowongan vacancy job karir career hiring job_opening recruiting
paket package parcel bundle
isi content berisi
berat weight heavy
tinggi height high tall
jarak distance radius
gosend grabexpress
custom kustom customized customised
desain design
sablon print
jahit sew tailor
setrika iron
bantu help bantuan assist assistance
masalah problem trouble issue
sabtu saturday
ahad sunday
senin monday
selasa tuesday
rabu wednesday
kamis thursday
jumat friday
tiket ticket
tiba arrive arrival sampai reach
kota city town
kelebihan advantage benefit manfaat
bersih clean membersihkan
klinik clinic
asuransi insurance insured
hamil pregnant pregnancy kehamilan
behel braces kawat_gigi
gigi tooth teeth dental dentist
periksa check checkup examine examination pemeriksaan memeriksa diperiksa inspect inspection
rawat treatment perawatan merawat care
pindah reschedule postpone geser digeser menggeser tunda ditunda menunda jadwal_ulang
coba try trial mencoba percobaan uji_coba
hewan pet animal peliharaan binatang
kucing cat
anjing dog doggy
laptop notebook
komputer computer pc
layar screen lcd monitor display
baterai battery batre
kabel cable
mobil car
motor motorcycle motorbike scooter sepeda_motor
ban tire tyre
mesin engine machine
sarapan breakfast
kolam pool swimming_pool kolam_renang
kasur bed ranjang tempat_tidur
handuk towel
pedas spicy
daging meat beef
ayam chicken
ikan fish
sayur vegetable
gula sugar
guru teacher tutor pengajar instruktur instructor
murid student siswa peserta participant
ujian exam
daring online
rambut hair
kuku nail
wajah face facial
pijat massage pijet
kulit skin leather
bunga flower
buket bouquet
sepatu shoe
baju shirt clothes pakaian kaos clothing
celana pants trousers
jaket jacket
tas bag
emas gold
perak silver
cincin ring
tambah add extra additional tambahan menambah ditambah
pagi morning
malam tonight night evening
kecil small smaller little tiny
baru new
bekas second_hand secondhand seken hp_second barang_second
asli original genuine authentic ori orisinal
aman safe safety keamanan
resep recipe prescription
hasil result
antre queue antri antrian antrean
umur age usia
dewasa adult
keluarga family
kunjung visit kunjungan berkunjung mengunjungi
latih training latihan pelatihan workout berlatih
listrik electricity electric
air water
barang product produk item goods article
checkin check_in
checkout check_out
hari_ini today same_day the_same_day sehari sehari_jadi sameday instan instant
`;
