/** Services: print, property, money, beauty, lessons, medicine. In the format of concepts.ts. */
export const SERVICES = `
dokter_hewan vet veterinarian veterinary
steril sterilize sterilise spay neuter neutering sterilisasi kebiri
kandang cage cages kennel
grooming mandi bath bathe shower memandikan dimandikan mandiin
kutu flea fleas ticks
pakan feed feeding
penitipan_hewan boarding
anak_anjing puppy puppies
anak_kucing kitten kittens
kelinci rabbit rabbits
ikan_hias aquarium akuarium
spanduk banner banners
brosur brochure brochures flyer flyers leaflet selebaran
kartu_nama business_card business_cards name_card
stiker sticker stickers
jilid binding bind menjilid dijilid
mug mugs
stempel stamp stamps cap
berkas file files softcopy
resolusi resolution
ukuran_kertas a4
hitam_putih black_and_white bw
warna_cetak full_color
desainer designer designers
revisi revision revisions revise
logo logos
katalog catalog catalogue
majalah magazine
novel novels
penulis author authors writer
penerbit publisher
langganan subscribe subscription subscriptions berlangganan
bulanan per_month
harian daily setiap_hari
mingguan per_week
tahunan annual annually per_year
perpanjang extend extension renew renewal memperpanjang diperpanjang perpanjangan
berlaku valid validity masa_aktif
berhenti stop quit unsubscribe
aktif active activate activation aktivasi mengaktifkan diaktifkan aktifkan
loker locker lockers
pelatih_pribadi personal_trainer
kurus slim slimming langsing diet
gemuk fat overweight
kos boarding_house kost indekos
apartemen apartment apartments flat
tanah plot_of_land
properti property properties
pinjam borrow loan loans meminjam pinjaman dipinjam lend
bunga_bank interest interest_rate
tabungan savings saving menabung
kredit_rumah mortgage
premi premium
polis policy
agen_perjalanan travel_agent
umrah umroh
haji hajj
rencana_perjalanan itinerary
berangkat depart departs departure keberangkatan
kursi_bayi car_seat
kapasitas capacity
lepas_kunci self_drive without_driver tanpa_supir
kebersihan cleanliness hygiene
tukang handyman technician technicians teknisi
ledeng plumber plumbing
penjahit tailors
jas suit suits
seragam uniform uniforms
benang thread
permak alter alteration alterations
kecilkan shrink take_in
besarkan enlarge
creambath hair_spa
smoothing rebonding
bulu_mata eyelash eyelashes
alis eyebrow eyebrows
waxing wax
tato tattoo
salon beauty_salon
pangkas barber barbershop
lensa lens lenses contact_lens
bingkai frame frames
fotografer photographer photographers
prewedding pre_wedding
album albums
edit editing
studio studios
sesi_foto photo_shoot photoshoot
kirim_ulang resend
kode code codes
otp verification
verifikasi verify
nama name names
tanggal date dates
lahir birth born
ulang_tahun_pernikahan anniversary
kedua second_time
pertama first first_time
terakhir last final
berikut next
sebelum before beforehand
setelah after afterwards sesudah
awal early beginning
batas limit limits deadline tenggat
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
luar outdoor outside outdoors
dalam_ruangan indoor indoors inside
siang noon midday afternoon
sore late_afternoon
subuh dawn
setiap every
penuh full fully
kosong_kamar vacancy_room
sebagian part partial partially partly
per_orang each_person per_person
peralatan equipment tools alat tool
bawa bring brings carry membawa dibawa bawain
siapkan prepare prepared menyiapkan disiapkan nyiapin
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
tes test tests
gula_darah blood_sugar diabetes diabetic diabetics
tekanan blood_pressure
kolesterol cholesterol
rawat_inap inpatient
rawat_jalan outpatient
ambulans ambulance
rujukan referral
tambal filling fillings nambal menambal
cabut extract extraction pull_out mencabut dicabut pencabutan
karang_gigi scaling tartar
putih_gigi whitening
bius anesthesia anaesthetic numb
sembuh heal recover recovery
nyeri ache aches hurt hurts painful
`;
