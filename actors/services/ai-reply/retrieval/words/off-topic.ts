/**
 * Questions that no business answers from its documents. Each index is tested with them to measure
 * how often it would answer by chance.
 */

export const OFF_TOPIC = `
siapa presiden pertama indonesia
kamu lagi ngapain sekarang
cuaca hari ini gimana ya
tolong carikan lagu dangdut terbaru
berapa hasil dari dua puluh kali tujuh
ceritakan dongeng sebelum tidur
klub bola mana yang menang semalam
siapa nama kamu sebenarnya
apakah kamu robot atau manusia
aku lagi sedih habis putus cinta
resep rendang padang yang enak
bagaimana cara menurunkan berat badan
kapan pemilu berikutnya
hp saya lemot cara memperbaikinya
harga emas antam berapa
jalan ke puncak macet tidak
film bioskop yang bagus apa
besok gempa lagi tidak
tolong buatkan puisi untuk ibu
apa arti mimpi digigit ular
kucing saya tidak mau makan
bagaimana cara daftar cpns
tukang pijat terdekat
kereta ke malang berangkat pukul berapa
kurs dolar sekarang
pulsa saya habis tolong isi
pinjam dulu seratus
kenapa langit berwarna biru
obat batuk untuk anak yang manjur
siapa juara liga champions
ayo main bareng nanti malam
kenalan dong cantik
kerja di mana sekarang
masih ingat aku tidak
nanti malam nongkrong yuk
siapa pacar kamu
ibu kota australia apa
cara menghapus akun facebook
nomor polisi darurat
jadwal sholat hari ini
tetangga saya berisik sekali
motor mogok di jalan tol
cara membuat paspor baru
gigi saya sakit sekali
rumah sakit terdekat dari sini
ada beasiswa kuliah ke jepang
saham apa yang bagus dibeli
bagaimana cara menanam cabai
listrik padam sejak pagi
pengacara untuk urusan warisan
ramalan zodiak minggu ini
liburan murah ke mana ya
bahasa inggrisnya terima kasih
main game apa yang seru
kapan hari raya tahun depan
bantu kerjakan tugas matematika
siapa penemu telepon
internet di rumah lambat terus
guru les privat untuk anak
cara mengurus sim hilang
tell me a joke
who won the match last night
what is the weather like tomorrow
write a poem about the sea
how old is the universe
what is the capital of france
can you do my homework
i miss you so much
are you a human being
who is the president of america
recommend a good movie
my car broke down on the highway
how do i lose weight
what does this dream mean
please lend me some money
how do i get a passport
what is the meaning of life
translate this sentence into german
how many calories are in an apple
who invented the light bulb
my computer does not start
best places to visit in bali
what is the exchange rate today
can dogs eat chocolate
how do i delete my facebook
is the train to bandung late
teach me to play guitar
what is seven times eight
my boss is driving me crazy
which stocks should i invest in
when is the next election
do you believe in ghosts
how tall is mount everest
i have a terrible headache
where can i see a dentist tonight
what is the wifi password
find me a cheap flight to tokyo
how do vaccines work
the neighbours are too loud
what language do they speak in brazil
sing me a song
how do i boil an egg
who are you working for
is there life on mars
`;
