/** Goods and where they are sold: food, travel, houses, clothes, phones, cars. In the format of concepts.ts. */
export const GOODS = `
ajar teach teaches teaching taught mengajar diajar ajari pengajaran
belajar learn learning learns study studying blajar
setir drive drives driving menyetir mengemudi nyetir stir nyupir
sim licence license driving_licence driving_license
umum public
pribadi private personal
rombongan group groups grup kelompok
sendiri myself yourself alone
teman friend friends temen kawan
pasangan couple couples
saudara relative relatives kerabat
lansia elderly seniors orang_tua_lanjut
pemula beginner beginners
pengalaman experience experienced berpengalaman
pilih choose chosen choice select pick milih memilih pilihan dipilih option options opsi
rekomendasi recommend recommended recommendation suggest suggestion saran menyarankan
cari find search looking_for mencari nyari dicari
lihat see look view melihat dilihat
daftar_menu menu menus
contoh sample samples sampel tester
isi_ulang refill refills
porsi portion portions serving servings
kotak box boxes dus kardus carton
rasa taste tastes tasting flavour flavor flavours flavors cicip icip nyicip mencicipi
masak cook cooks cooking cooked memasak dimasak masakan
goreng fried
bakar grilled roast roasted
manis sweet
asin salty
pahit bitter
vegetarian vegan vegetarians nabati
nasi rice
mie noodle noodles mi
buah fruit fruits
perjalanan trip trips journey
mawar rose roses
keju cheese
coklat chocolate cokelat
tepung flour
minyak oil
teh tea
jus juice
es ice
bir alcohol beer alkohol
piring plate plates
gelas glass glasses cup cups
sendok spoon spoons cutlery garpu fork
dapur kitchen
restoran restaurant restaurants resto
makan_siang lunch
makan_malam dinner supper
prasmanan buffet
pelayan waiter waiters staff pegawai karyawan employee employees
hias decorate decorated decoration decorations dekorasi menghias dihias dekor
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
keras hard
lembut soft
halus smooth
kuat strong durable sturdy
ramah friendly
nyaman comfortable comfy
tenang quiet
bau smell smells odor aroma
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
pintu door doors
jendela window windows
tangga stairs staircase
lantai floor floors
taman garden gardens yard halaman
atap roof
kamar_mandi bathroom bathrooms toilet toilets wc restroom
air_panas hot_water
ac air_conditioning air_conditioner aircon air_con
kipas fan
selimut blanket blankets
bantal pillow pillows
lemari wardrobe cupboard
kunci key keys lock
lampu lamp lamps
tv television
bandara airport airports
stasiun station
pelabuhan harbour harbor
terminal bus_terminal
pantai beach beaches
laut sea ocean
gunung mountain
danau lake
hutan forest
jalan_kaki walk walking on_foot
jalan_tol toll highway tol
penerbangan flight flights pesawat plane airplane
kereta train trains
kapal ship_boat boat boats ferry perahu
sepeda bicycle bicycles bike bikes
supir driver drivers sopir
penumpang passenger passengers
jemput antar_jemput pick_up_and_deliver pick_up_and_delivery pick_me_up picked_up pick_us_up menjemput dijemput penjemputan
antar_jemput shuttle
koper luggage suitcase suitcases baggage bags_luggage bagasi
titip deposit_bags leave_luggage menitip dititip nitip penitipan
malam_hari overnight
tengah_malam midnight late_night larut
menginap stay staying stays nginep nginap inap
libur_panjang long_weekend
akhir_pekan weekend weekends
hari_kerja weekday weekdays working_days business_days
musim season seasons
pemandu guide guides
wisata tour tours sightseeing excursion jalan_jalan tur
rokok smoke smoking smoker cigarette merokok ngerokok
dilarang forbidden prohibited banned
izin permission permit allowed allow diizinkan
wajib mandatory compulsory required obligatory
denda fine_fee penalty penalties
bahaya danger dangerous berbahaya
jaga guard guarded dijaga penjaga security satpam
hilang lost missing kehilangan
curi stolen theft
tinggal_barang left_behind ketinggalan tertinggal
kecelakaan accident accidents crash crashed collision nabrak menabrak tabrakan
tanggung cover covered covers bear menanggung ditanggung nanggung
ganti_rugi compensation compensate
klaim claim claims mengklaim
laporan report reports
keluhan complaint complaints komplain complain
tolak reject rejected refuse menolak ditolak
terima accept accepts accepted receive received menerima diterima nerima
setuju agree approve approved disetujui
hadir attend attendance menghadiri come coming datang
absen absent miss missed
terlambat late telat delayed delay
tunggu wait waiting menunggu nunggu ditunggu
mulai start starts begin begins starting
selesai finish finished done completed complete kelar rampung
lulus graduate graduated pass passed lulusan
gagal fail failed
lanjut continue next_level lanjutan
ulang repeat again_repeat mengulang
hapus delete remove menghapus
tulis write written menulis ditulis tulisan
baca read reading membaca
bicara speak speaks speaking talk ngomong
bahasa language languages
inggris english
hubungi contact reach_out menghubungi kontak dihubungi
balas reply replies respond response membalas
kabar notify inform informed mengabari dikabari
video videos
cetak printout cetakan
salin copy copies fotokopi photocopy salinan
ktp identity id_card kartu_identitas
paspor passport
surat letter letters
tanda_tangan signature sign_here
data information informasi
alasan reason
perusahaan company companies firm corporate korporat bisnis business pt
pelanggan customer customers client clients konsumen
penjual seller sellers
pemilik owner owners
tim team
karya work_portfolio portfolio portofolio
untung profit
modal capital
investasi investment
kerjasama partner partnership cooperation collaborate kerja_sama collaboration
cash_back cashback
kembalian change_money
harga_total total
termasuk include included includes including
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
pengisi charger chargers
memori memory
kamera camera cameras
suara sound voice audio
mikrofon microphone
speaker speakers
data_cadangan backup back_up cadangan
retak cracked crack
mati dead off turned_off
nyala turn_on
lambat slow lemot
suku_cadang spare_part spare_parts sparepart
segel seal sealed bersegel
palsu fake counterfeit kw
merek brand brands merk
tipe type types model models jenis
seri series
versi version
kualitas quality
edisi edition
kepala head
mata eye eyes
telinga ear ears
hidung nose
tangan hand hands
kaki foot_leg feet leg legs
perut stomach
punggung back_pain
darah blood
demam fever
batuk cough
luka wound
operasi surgery
suntik injection inject
vaksin vaccine vaccination vaksinasi imunisasi
konsultasi consult consultation konsul
spesialis specialist specialists
perawat nurse nurses
apotek pharmacy apotik
darurat emergency urgent mendesak
bpjs national_insurance
potong cut cuts haircut memotong dipotong
warnai coloring colouring
keriting curly
lurus straight
jerawat acne
gym fitness kebugaran
olahraga sport sports exercise
pelatih coach coaches trainer trainers
senam aerobic
berenang swim swimming renang
lomba competition contest
musik music
lagu song songs
tari dance dancing
lukis painting paint
mainan toy toys
main play playing bermain
buku book_item books
pensil pencil
tugas assignment homework
nilai grade grades score
beasiswa scholarship scholarships
pertemuan session sessions meeting meetings sesi
ruang room_space hall
gedung building
tenda tent
panggung stage
undangan invitation invitations
nikah wedding weddings married marriage pernikahan menikah
pengantin bride groom
tunangan engagement
pameran exhibition
panen harvest
tanaman plant plants
pohon tree trees
pupuk fertilizer
benih seed seeds
burung bird birds
makanan_hewan pet_food
lepas release remove_off
pakai_ulang reuse
buang throw dispose
sampah trash garbage
noda stain stains
lipat fold folded
kiloan per_kilo
satuan per_piece per_item
karpet carpet carpets rug
sprei sheet_bed bed_sheet bed_sheets seprai
tirai curtain curtains gorden
sofa couch
pindahan moving_house
truk truck trucks
barang_pecah fragile
gudang warehouse
angkut transport transportation angkutan
bensin petrol gasoline fuel bbm
rem brake brakes
oli engine_oil
helm helmet helmets
aki car_battery
matic automatic otomatis
plat number_plate
stnk vehicle_papers
plester plaster
semen cement
bocor leak leaking leaks
pipa pipe pipes
mampet clogged
listrik_mati blackout
mesin_cuci washing_machine
ukur measure measurement measured mengukur diukur
pola pattern
lengan sleeve sleeves
kerah collar
kancing button buttons
resleting zipper
rok skirt skirts
kemeja blouse
gaun dress dresses
hijab headscarf jilbab kerudung
kaos_kaki socks
topi hat hats
jam_tangan watch watches
kalung necklace
gelang bracelet
anting earrings earring
parfum perfume
kosmetik cosmetics makeup make_up
sabun soap
sampo shampoo
sikat brush
popok diaper diapers
susu_formula formula_milk
botol bottle bottles
payung umbrella
metode method methods
`;
