/**
 * Words of service businesses (print, property, money, beauty, lessons, medicine). For the format,
 * see concepts.ts.
 */

export const SERVICES = `
dokter_hewan vet veterinarian veterinary
steril sterilize sterilise spay neuter sterilisasi kebiri
kandang cage kennel
grooming mandi bath bathe shower memandikan dimandikan mandiin
kutu flea ticks
pakan feed
penitipan_hewan boarding
anak_anjing puppy
anak_kucing kitten
kelinci rabbit
ikan_hias aquarium akuarium
spanduk banner
brosur brochure flyer leaflet selebaran
kartu_nama business_card business_cards name_card
stiker sticker
jilid bind menjilid dijilid
stempel stamp cap
berkas file softcopy
resolusi resolution
ukuran_kertas a4
hitam_putih black_and_white bw
warna_cetak full_color
desainer designer
revisi revision revise
katalog catalog catalogue
majalah magazine
penulis author writer
penerbit publisher
langganan subscribe subscription berlangganan
bulanan per_month
harian daily setiap_hari
mingguan per_week
tahunan annual per_year yearly
perpanjang extend extension renew renewal memperpanjang diperpanjang perpanjangan
berlaku valid validity masa_aktif
berhenti stop quit unsubscribe
aktif active activate activation aktivasi mengaktifkan diaktifkan aktifkan
loker locker
pelatih_pribadi personal_trainer
kurus slim slimming langsing diet
gemuk fat overweight
kos boarding_house kost indekos
apartemen apartment flat
tanah plot_of_land
properti property
pinjam borrow loan meminjam pinjaman dipinjam lend
bunga_bank interest interest_rate
tabungan saving menabung
kredit_rumah mortgage
premi premium
polis policy aturan rule peraturan kebijakan
agen_perjalanan travel_agent
umrah umroh
haji hajj
rencana_perjalanan itinerary
berangkat depart departure keberangkatan
kursi_bayi car_seat
kapasitas capacity
lepas_kunci self_drive without_driver tanpa_supir
kebersihan cleanliness hygiene
tukang handyman technician teknisi
ledeng plumber plumbing
penjahit tailors
jas suit
seragam uniform
benang thread
permak alter alteration
kecilkan shrink take_in
besarkan enlarge
creambath hair_spa
smoothing rebonding
bulu_mata eyelash
alis eyebrow
waxing wax
tato tattoo
salon beauty_salon
pangkas barber barbershop
lensa lens contact_lens
bingkai frame
fotografer photographer
prewedding pre_wedding
sesi_foto photo_shoot photoshoot
kirim_ulang resend
kode code
otp verification
verifikasi verify
nama name
tanggal date
lahir birth born
ulang_tahun_pernikahan anniversary
kedua second_time detik
pertama first first_time
terakhir last final
berikut next
sebelum before beforehand
setelah after afterwards sesudah
awal early beginning
batas limit deadline tenggat
luas spacious area_size
kecepatan speed
jarak_jauh remote
dekat near nearby close_to terdekat nearest closest
jauh far
depan front
belakang behind
samping beside next_to sebelah
seberang opposite across
atas upstairs above
bawah downstairs
luar outdoor outside
dalam_ruangan indoor inside
siang noon midday afternoon
sore late_afternoon
subuh dawn
setiap every
penuh full fully
kosong_kamar vacancy_room
sebagian part partial
per_orang each_person per_person
peralatan equipment alat tool
bawa bring carry membawa dibawa bawain
siapkan prepare menyiapkan disiapkan nyiapin
jenis_kelamin gender
rapor report_card
les private_lesson lessons les_privat
bimbel tutoring
kuliah college university kampus
sma high_school
sd elementary_school primary_school
tk kindergarten
penitipan_anak daycare
bayi_baru newborn
sunat circumcision khitan
usg ultrasound
lab laboratory laboratorium
rontgen x_ray xray
tes test uji
gula_darah blood_sugar diabetes diabetic
tekanan blood_pressure
kolesterol cholesterol
rawat_inap inpatient
rawat_jalan outpatient
ambulans ambulance
rujukan referral
tambal filling nambal menambal
cabut extract extraction pull_out mencabut dicabut pencabutan
karang_gigi scaling tartar
putih_gigi whitening
bius anesthesia anaesthetic numb
sembuh heal recover recovery
nyeri ache hurt painful
`;
