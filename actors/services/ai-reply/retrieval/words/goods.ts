/**
 * Words for goods and where they are sold (food, travel, clothes, phones). For the format, see
 * concepts.ts.
 */

export const GOODS = `
ajar teach taught mengajar diajar ajari pengajaran
belajar learn study blajar
setir drive menyetir mengemudi nyetir stir nyupir
sim licence license driving_licence driving_license
umum public
pribadi private personal
rombongan group grup kelompok
sendiri myself yourself alone
teman friend temen kawan
pasangan couple
saudara relative kerabat
lansia elderly seniors orang_tua_lanjut
pemula beginner
pengalaman experience berpengalaman
pilih choose chosen choice select pick milih memilih pilihan dipilih option opsi
rekomendasi recommend recommendation suggest suggestion saran menyarankan
cari find search looking_for mencari nyari dicari looking
lihat see look view melihat dilihat
daftar_menu menu
contoh sample sampel tester example
isi_ulang refill
porsi portion serving
kotak box dus kardus carton
rasa taste flavour flavor cicip icip nyicip mencicipi
masak cook memasak dimasak masakan
goreng fried
bakar grilled roast
manis sweet
asin salty
pahit bitter
vegetarian vegan nabati
nasi rice
mie noodle mi
buah fruit
perjalanan trip journey
mawar rose
keju cheese
coklat chocolate cokelat
tepung flour
minyak oil
teh tea
jus juice
es ice
bir alcohol beer alkohol
piring plate
gelas glass cup
sendok spoon cutlery garpu fork
dapur kitchen
restoran restaurant resto
makan_siang lunch
makan_malam dinner supper
prasmanan buffet
pelayan waiter staff pegawai karyawan employee
hias decorate decoration dekorasi menghias dihias dekor
meriah fancy
panas hot heat
dingin cold cool
hangat warm
segar fresh
beku frozen
kering dry dried
basah wet
besar_sekali huge
panjang length
lebar width wide
ringan light lightweight
tebal thick
tipis thin
keras hard loud
lembut soft
halus smooth
kuat strong durable sturdy
ramah friendly
nyaman comfortable comfy
tenang quiet silent calm
bau smell odor aroma
hitam black
putih white
merah red
biru blue
hijau green
kuning yellow
abu grey gray
plastik plastic
kertas paper
kayu wood wooden
besi iron_metal metal logam steel
kaca mirror
kaca_mata glasses_optic
pintu door
jendela window
tangga stairs staircase
lantai floor
taman garden yard halaman
atap roof
kamar_mandi bathroom toilet wc restroom kamar_kecil
air_panas hot_water
ac air_conditioning air_conditioner aircon air_con
kipas fan
selimut blanket
bantal pillow
lemari wardrobe cupboard
kunci key lock
lampu lamp
tv television
bandara airport
stasiun station
pelabuhan harbour harbor
terminal bus_terminal
pantai beach
laut sea ocean
gunung mountain
danau lake
hutan forest
jalan_kaki walk on_foot
jalan_tol toll highway tol
penerbangan flight pesawat plane airplane
kereta train
kapal ship_boat boat ferry perahu
sepeda bicycle bike
supir driver sopir
penumpang passenger
jemput antar_jemput pick_up_and_deliver pick_up_and_delivery pick_me_up picked_up pick_us_up menjemput dijemput penjemputan fetch
antar_jemput shuttle
koper luggage suitcase baggage bags_luggage bagasi
titip deposit_bags leave_luggage menitip dititip nitip penitipan menitipkan
malam_hari overnight
tengah_malam midnight late_night larut
menginap stay nginep nginap inap tinggal
libur_panjang long_weekend
akhir_pekan weekend
hari_kerja weekday working_days business_days working_day
musim season
pemandu guide
wisata tour sightseeing excursion jalan_jalan tur
rokok smoke smoker cigarette merokok ngerokok
dilarang forbidden prohibited banned larang
izin permission permit allow diizinkan
wajib mandatory compulsory required obligatory harus_ada
denda fine_fee penalty
bahaya danger dangerous berbahaya
jaga guard dijaga penjaga security satpam
hilang lost missing kehilangan
curi stolen theft
tinggal_barang left_behind ketinggalan tertinggal
kecelakaan accident crash collision nabrak menabrak tabrakan
tanggung cover bear menanggung ditanggung nanggung
ganti_rugi compensation compensate
klaim claim mengklaim
laporan report
keluhan complaint komplain complain
tolak reject refuse menolak ditolak
terima accept receive menerima diterima nerima
setuju agree approve disetujui
hadir attend attendance menghadiri come datang
absen absent miss
terlambat late telat delay
tunggu wait menunggu nunggu ditunggu
mulai start begin
selesai finish done complete kelar rampung
lulus graduate pass lulusan
gagal fail
lanjut continue next_level lanjutan
ulang repeat again_repeat mengulang
hapus delete remove menghapus
tulis write written menulis ditulis tulisan
baca read membaca
bicara speak talk ngomong
bahasa language
inggris english
hubungi contact reach_out menghubungi kontak dihubungi
balas reply respond response membalas
kabar notify inform mengabari dikabari
cetak printout cetakan
salin copy fotokopi photocopy salinan
ktp identity id_card kartu_identitas
paspor passport
surat letter certificates
tanda_tangan signature sign_here
data information informasi
alasan reason
perusahaan company firm corporate korporat bisnis business pt
pelanggan customer client konsumen
penjual seller
pemilik owner
tim team
karya work_portfolio portfolio portofolio
untung profit
modal capital
investasi investment
kerjasama partner partnership cooperation collaborate kerja_sama collaboration
cash_back cashback
kembalian change_money
harga_total total
termasuk include semua_termasuk all_inclusive inklusif
lunas paid_off settled melunasi dilunasi
separuh half setengah
muka_dulu in_advance upfront
nanti later
tempo due
rugi loss
murah cheap cheaper
mahal expensive
nego negotiate negotiable tawar bargain
tarik withdraw withdrawal
dompet wallet e_wallet ewallet
tagihan bills
kuota quota
sinyal signal
internet wifi wi_fi hotspot
hp phone_device handphone smartphone ponsel cellphone mobile_phone gadget
pengisi charger
memori memory
kamera camera
suara sound voice audio noise
mikrofon microphone
data_cadangan backup back_up cadangan
retak crack patah snapped
mati dead off turned_off die
nyala turn_on
lambat slow lemot pelan lelet
suku_cadang spare_part spare_parts sparepart
segel seal bersegel
palsu fake counterfeit kw
merek brand merk
tipe type model jenis kind macam
seri series
versi version
kualitas quality mutu
edisi edition
kepala head
mata eye
telinga ear
hidung nose
tangan hand
kaki foot_leg feet leg foot
perut stomach
punggung back_pain
darah blood
demam fever
batuk cough
luka wound injury injured
operasi surgery
suntik injection inject
vaksin vaccine vaccination vaksinasi imunisasi
konsultasi consult consultation konsul
spesialis specialist
perawat nurse
apotek pharmacy apotik
darurat emergency urgent mendesak
bpjs national_insurance
potong cut haircut memotong dipotong cutting trim
warnai coloring colouring
keriting curly
lurus straight
jerawat acne
gym fitness kebugaran
olahraga sport exercise
pelatih coach trainer
senam aerobic
berenang swim swimming renang
lomba competition contest
musik music
lagu song
tari dance
lukis paint
mainan toy
main play bermain
buku book_item books
pensil pencil
tugas assignment homework
nilai grade score
beasiswa scholarship
pertemuan session meeting sesi
ruang room_space hall ruangan
gedung building bangunan
tenda tent
panggung stage
undangan invitation
nikah wedding married marriage pernikahan menikah
pengantin bride groom
tunangan engagement
pameran exhibition
panen harvest
tanaman plant
pohon tree
pupuk fertilizer
benih seed
burung bird
makanan_hewan pet_food
lepas release remove_off
pakai_ulang reuse
buang throw dispose
sampah trash garbage
noda stain
lipat fold
kiloan per_kilo
satuan per_piece per_item
karpet carpet rug
sprei sheet_bed bed_sheet bed_sheets seprai
tirai curtain gorden
sofa couch
pindahan moving_house
truk truck
barang_pecah fragile
gudang warehouse
angkut transport transportation angkutan
bensin petrol gasoline fuel bbm
rem brake
oli engine_oil
helm helmet
aki car_battery
matic automatic otomatis
plat number_plate
stnk vehicle_papers
plester plaster
semen cement
bocor leak puncture
pipa pipe
mampet clogged
listrik_mati blackout
mesin_cuci washing_machine
ukur measure measurement mengukur diukur
pola pattern
lengan sleeve
kerah collar
kancing button
resleting zipper
rok skirt
kemeja blouse
gaun dress
hijab headscarf jilbab kerudung
kaos_kaki socks
topi hat
jam_tangan watch
kalung necklace
gelang bracelet
anting earring
parfum perfume
kosmetik cosmetics makeup make_up
sabun soap
sampo shampoo
sikat brush
popok diaper
susu_formula formula_milk
botol bottle
payung umbrella
metode method
`;
