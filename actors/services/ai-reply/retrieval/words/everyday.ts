/** Everyday verbs and adjectives on any topic. For the format, see concepts.ts. */

export const EVERYDAY = `
gabung join bergabung bergabunglah
tambahkan insert
analisa analysis analyze analisis
muncul appear
atur arrange arrangement mengatur diatur
hindari avoid menghindari
sumber source
mohon_maaf apologize apology
lampir attach attachment lampiran
coba_lagi try_again
percaya believe trust percaya_diri
milik belong
istirahat rest
pecahkan solve solution solusi
bangun build building_work membangun dibangun bikin_rumah
hitung count calculate menghitung dihitung perhitungan
tangkap catch
rayakan celebrate celebration merayakan perayaan
isi_formulir fill fill_in mengisi diisi
formulir form
gabungkan combine
banding compare comparison membandingkan perbandingan beda bedanya perbedaan difference different differ
konfirmasi confirm confirmation mengonfirmasi dikonfirmasi
sambung connect connection koneksi menyambung
pikir consider thinking
berisi_apa contain
lanjutkan continued
kendali control
buat_sendiri create make_own membuat dibuat bikin dibikin pembuatan made_by produksi production produce
salahkan blame
putus decide decision memutuskan keputusan
turun decrease lower down menurun
kurangi reduce mengurangi dikurangi
jelas explain explanation menjelaskan penjelasan dijelaskan
perlihatkan show shown menunjukkan tunjukkan
unduh download mengunduh
unggah upload mengunggah
gambar_teknis draw sketch sketsa menggambar
dapat_diperoleh earn obtain memperoleh mendapat mendapatkan didapat
pekerjakan hire
kerja work bekerja pekerjaan pengerjaan dikerjakan ngerjain kerjain mengerjakan
nikmati enjoy menikmati
masukkan enter menu_masuk
harap expect expectation hope berharap harapan
rasakan feel
ikuti follow mengikuti diikuti
lupa forget forgot forgotten
tumbuh grow growth
tebak guess
urus handle mengurus diurus ngurus
benci hate
dengar hear listen mendengar
sembunyi hide
pegang hold memegang jeda pause freeze
tingkat increase meningkatkan level tingkatan
undang invite mengundang diundang
lompat jump
tahu know mengetahui tau
ketawa laugh
pimpin lead
bohong lie
angkat lift_up
hidup live life alive
muat load_in loading memuat
cinta love
rawat_barang maintain maintenance
kelola manage management mengelola
artinya mean maksud arti
temu meet ketemu bertemu
sebutkan mention
campur mix campuran
pindahkan move memindahkan dipindahkan
butuh require membutuhkan keperluan kebutuhan
tampil perform performance
tanam planting menanam
rencanakan plan planned
tuang pour
lindung protect protection melindungi perlindungan pelindung
bukti proof prove evidence
terbit publish
tarik_mundur pull
dorong push
taruh place_it meletakkan
naik raise rise up
capai achieve mencapai
kenal recognize
rekam record rekaman
daur_ulang recycle
ingat remember remind reminder mengingatkan pengingat
ganti_barang replace replacement penggantian
lapor report_it melaporkan
tahan_air waterproof water_resistant
lari run_fast jog
pisah separate terpisah dipisah
layan serve services layanan pelayanan melayani dilayani
tetapkan set_up setup
bagi share dibagi membagi
tembak shoot
nyanyi sing
duduk sit
tidur sleep
berdiri stand
dukung support mendukung dukungan
kejut surprise
pakai_baju wear
kasih_tahu tell_me beritahu
lempar throw_it
sentuh touch
terjemah translate translation translator menerjemahkan terjemahan penerjemah terjemahin
jalan_jauh travel travelling bepergian
perlakukan treat
mengerti understand paham memahami
perbarui update memperbarui pembaruan
segera immediately asap soon
bangun_tidur wake
peringat warn
menang win winner pemenang
akurat accurate accuracy
tambahan_biaya surcharge additional_cost additional_fee extra_charge
iklan ad ads advertisement advertising
saran_masukan advice feedback
setuju_bersama agreement perjanjian
sudut corner angle
lengkap full_set completely kelengkapan selengkapnya lengkapnya
daerah area wilahah wilayah region kawasan
seni art
asisten assistant
rata_rata average
penghargaan award
saldo account_balance
kebun farm
dasar basic basis
keranjang basket cart
baterai_cadangan power_bank powerbank
cantik beautiful pretty
lonceng bell
terbaik best
tempat_sampah bin
papan board
badan body tubuh
tulang bone
otak brain
jembatan bridge
anggaran budget
serangga bug insect hama rayap termite nyamuk mosquito mosquitoes
kalender calendar
kamp camp berkemah
ijazah diploma transkrip
langit ceiling_top
tengah center middle centre
rantai chain
kesempatan opportunity chance
karakter character
bahan_kimia chemical
dada chest
pilihan_lain alternative
lingkaran circle
warga citizen
iklim climate
jam_dinding clock
awan cloud
koleksi collection
komunitas community
kondisi condition
jaringan network
bangku bench
tukang_kayu carpenter
ukir carve ukiran mengukir
lem glue
paku nail_iron
palu hammer
cat_kayu varnish pernis
meja_tulis desk
rak shelf shelves
laci drawer
kursi_empuk cushion bantalan jok
kain_kursi upholstery
ranjang_susun bunk
mebel furniture furnitur furnishings perabot
rakit assemble assembly merakit dirakit perakitan
bambu bamboo
rotan rattan
jati teak
mahoni mahogany
pinus pine
kontainer container peti_kemas
ekspor export mengekspor
impor import mengimpor
pengrajin craftsman artisan
kerajinan craft handicraft handmade
timbang scale weigh
dunia world
negara country
provinsi province
desa village
kecamatan district
kode_pos postcode zip postal_code
tetangga neighbour neighbor
suami husband
istri wife
ayah father dad bapak_saya
ibu_saya mother mom mum ibu
kakak_adik sibling brother sister adik
kakek grandfather grandpa
nenek grandmother grandma
remaja teenager teen
pelajar pupil mahasiswa
sarjana bachelor
kerja_praktek intern internship magang
relawan volunteer
penutur native_speaker native_speakers native bule penutur_asli
tata_bahasa grammar
percakapan conversation speaking_class
kosakata vocabulary
pengucapan pronunciation
kamus dictionary
jepang japan japanese
korea korean
mandarin chinese china cina tiongkok
jerman german germany
perancis french france prancis
arab arabic
belanda dutch
spanyol spanish
simulasi simulation mock
penempatan placement
teori theory
praktik practice practical praktek
materi material_course materials_course syllabus silabus
modul module
kurikulum curriculum
semester term_school
wisuda graduation
perpustakaan library
kantin cafeteria canteen
asrama dormitory dorm
diskusi discuss discussion
presentasi presentation
skripsi thesis
program programme
proyektor projector
papan_tulis whiteboard
bolos skip skipped
rutin regular
khusus special particular
sementara temporary
tetap_permanen permanent
maju forward
mundur backward
cukup_besar enough
kosong_isi empty
sempit narrow
bulat round
kotak_persegi square
tajam sharp
bersih_rapi neat tidy rapi
kotor dirty
bising noisy berisik
gelap dark
terang bright
mudah easy gampang
sulit difficult hard_to susah
penting important
populer popular laris best_seller favorit favorite favourite
terkenal famous
unik unique
kuno antique vintage
lucu cute funny
mewah luxury luxurious
sederhana simple
elegan elegant
tua old lama_sekali
muda young
sehat healthy health kesehatan
lapar hungry
haus thirsty
lelah tired capek
sibuk busy
senang happy
sedih sad
marah angry
takut afraid scared fear
malu shy
sabar patient_calm
jujur honest
bodoh stupid
pintar smart clever
miskin poor
kuat_tahan endure
aman_anak child_safe
racun poison toxic timbal beracun
tahan_api fireproof
ramah_lingkungan eco_friendly
tahan_lama long_lasting lasting
mudah_terbakar flammable
orangtua parent orang_tua
bengkel workshop garage repair_shop
pabrik factory
api fire
cahaya sunlight
matahari sun
hujan rain
pendek short
rendah low
lemah weak
menit minute
gembok padlock
siapa who whose whom
kenapa mengapa why
`;
