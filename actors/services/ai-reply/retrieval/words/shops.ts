/** Topics of every business: prices, ways to pay, deliveries, hours. In the format of concepts.ts. */
export const SHOPS = `
harga kena_berapa price prices cost costs tarif biaya ongkos fee fees charge berapaan how_much rp idr rupiah rate rates room_rate
bayar pay payment payments paying pembayaran dibayar pelunasan bill settle
kirim ship shipping ships shipped send sends delivery deliver delivers delivered delivering pengiriman dikirim mengirim antar diantar dianter mengantar pengantaran
buka open opens opening dibuka tutup close closed closes closing ditutup
jam hour hours pukul time times what_time
alamat address lokasi location located where dimana di_mana
toko store shop outlet outlets
cabang branch branches
lama long how_long how_many_days berapa_hari berapa_minggu estimasi duration durasi
hari day days
minggu week weekly weeks pekan
bulan month months monthly
tahun year years
ukuran size sizes sizing besar dimensi dimension diameter
warna color colour colors colours
bahan material materials fabric made_of kain
cuci wash washing laundry mencuci dicuci
tukar exchange exchanged ditukar menukar swap penukaran
kembali return returns returning returned retur dikembalikan mengembalikan pengembalian
refund uang_kembali money_back uang_balik
batal cancel cancels cancelled canceled cancelling cancellation membatalkan dibatalkan pembatalan
rusak damaged damage broken cacat defect defective defects sobek robek torn pecah
pesan order orders ordering ordered pesanan memesan pemesanan dipesan
ganti change changes changing ubah mengubah diganti mengganti
beli buy buying purchase membeli
jual sell selling sells menjual
grosir wholesale bulk partai borongan beli_banyak pembelian_banyak jumlah_banyak in_quantity
reseller agen distributor dropship dropshipper
diskon discount discounts potongan promo sale promotion promosi harga_khusus special_price hemat save_money
gratis free cuma_cuma
stok stock tersedia available availability restock restok in_stock
habis sold_out out_of_stock kosong
resi tracking track lacak melacak awb nomor_resi
kurir courier couriers ekspedisi
cod cash_on_delivery bayar_di_tempat
transfer bank_transfer
rekening account_number bank_account
kartu card cards kredit_card credit_card credit_cards kartu_kredit kartu_debit debit_card
tunai cash
faktur invoice invoices receipt nota kuitansi
pajak tax taxes ppn
poin point points
member membership keanggotaan anggota loyalty
voucher kupon coupon
garansi warranty guarantee guaranteed
hadiah gift gifts kado present
bungkus wrap wrapping wrapped packing kemasan packaging dibungkus
luar_negeri abroad overseas international internasional foreign
uang_muka dp deposit down_payment deposits panjar
sisa remaining balance
cicilan installment installments cicil angsuran kredit
daftar register registration sign_up pendaftaran mendaftar enroll registered terdaftar
reservasi reservation book booking reserve booked appointment janji janjian
meja table tables
kursi seat seats chair tempat_duduk
orang person people persons guest guests tamu
kelas class classes course kursus lesson
jadwal schedule timetable
ambil pick_up pickup collect pengambilan diambil mengambil
sertifikat certificate certified certification bersertifikat
alergi allergy allergic allergies allergen
kacang nut nuts peanut almond
susu milk dairy
telur egg eggs
roti bread breads
kue cake cakes
ulang_tahun birthday
lilin candle candles
kopi coffee espresso
minum drink drinks minuman beverage
makan eat food makanan meal
rumah home house
kantor office
acara event events party pesta
sekolah school
anak child children kid kids
bayi baby
pria man men male laki
wanita woman women female perempuan
libur holiday holidays
besok tomorrow
kulkas fridge refrigerator
simpan store_it storage menyimpan disimpan penyimpanan keep
awet shelf_life expire expired expiry kadaluarsa kedaluwarsa tahan
cepat fast quick express kilat
telepon phone call telephone
email surel e_mail
nomor number numbers
foto photo photos picture pictures gambar image
akun account
sandi password kata_sandi
masuk login log_in sign_in
aplikasi app application
dokter doctor
obat medicine drug
sakit sick ill pain
kamar room rooms
sewa rent rental renting menyewa disewa
parkir parking park
pasang install installation pemasangan memasang
perbaikan repair repairs servis service fix memperbaiki perbaiki
minimal minimum minimum_order
maksimal maximum
syarat requirement requirements ketentuan terms
dokumen document documents
kontrak contract
gaji salary
lowongan vacancy vacancies job jobs karir career
paket package packages parcel
isi content contents berisi
berat weight
tinggi height
jarak distance radius
gosend grabexpress
custom kustom customized customised
desain design designs
sablon print printing printed
jahit sew sewing tailor
setrika iron ironing
bantu help bantuan assist assistance
masalah problem problems trouble issue
sabtu saturday
ahad sunday
senin monday
selasa tuesday
rabu wednesday
kamis thursday
jumat friday
tiket ticket tickets
tiba arrive arrives arrived arrival sampai reach
kota city cities
kelebihan advantage benefit benefits manfaat
bersih clean cleaning membersihkan
klinik clinic clinics
asuransi insurance insurances insured
hamil pregnant pregnancy kehamilan
behel braces kawat_gigi
gigi tooth teeth dental dentist
periksa check checkup examine examination pemeriksaan memeriksa diperiksa
rawat treatment treatments perawatan merawat
pindah reschedule rescheduled rescheduling postpone geser digeser menggeser tunda ditunda menunda jadwal_ulang
coba try trial mencoba percobaan
hewan pet pets animal animals peliharaan
kucing cat cats
anjing dog dogs
laptop notebook laptops
komputer computer computers pc
layar screen screens lcd
baterai battery batteries batre
kabel cable cables
mobil car cars
motor motorcycle motorcycles motorbike
ban tire tires tyre tyres
mesin engine engines machine machines
sarapan breakfast
kolam pool pools swimming_pool kolam_renang
kasur bed beds ranjang tempat_tidur
handuk towel towels
pedas spicy
daging meat beef
ayam chicken
ikan fish
sayur vegetable vegetables
gula sugar
guru teacher teachers tutor tutors pengajar instruktur instructor
murid student students siswa peserta participant participants
ujian exam exams
daring online
rambut hair
kuku nail nails
wajah face facial
pijat massage massages pijet
kulit skin leather
bunga flower flowers
buket bouquet bouquets
sepatu shoe shoes
baju shirt shirts clothes pakaian kaos
celana pants trousers
jaket jacket jackets
tas bag bags
emas gold
perak silver
cincin ring rings
tambah add extra additional tambahan menambah ditambah
pagi morning
malam tonight night evening
kecil small smaller
baru new
bekas second_hand secondhand seken hp_second barang_second
asli original genuine authentic ori
aman safe safety
resep recipe recipes prescription
hasil result results
antre queue queues antri antrian antrean
umur age usia
dewasa adult adults
keluarga family families
kunjung visit visits kunjungan berkunjung
latih training latihan pelatihan
listrik electricity
air water
barang product products produk item items goods article articles
checkin check_in
checkout check_out
hari_ini today same_day the_same_day sehari sehari_jadi sameday instan instant
`;
