/** Function words of both languages, and words that add no content to a question. */

export const STOPWORDS = `
ada adalah agar akan anda apa apakah atas atau bagai bagaimana bagi bahwa bawah begini begitu
beliau belum berapa bila bisa boleh bukan buat cara cuma dalam dan dapat dari demi dengan di dia
diri dulu hanya harus hal hingga ini itu jadi jangan jika juga kalau kami kamu karena ke kepada
ketika kita lagi lain lalu maka mana mau mereka min minta nya oleh pada para pernah per perlu
punya pun saat saja sama sambil sana sangat saya sebagai sebuah secara sedang sehingga sekarang
seorang seperti serta setiap sini situ suatu sudah supaya tadi tanpa telah tentang terhadap terus
tetapi pakai memakai dipakai tiap tidak untuk yaitu yakni yang sebelah masih beri tanya a about am
an and any are as at be been being but by can could did do does doing for from get got had has
have having he her here him his how i if in into is it its just may me might mine my no not of off
on one only or our ours out own she should so some such than that the their them then there these
they this those to too under up us use used was we were what which whom will with would you your
yours want need like tell know give say much many very kapan when still until now take takes make
makes made let lets go going goes put think try ask asking provide offer happen happens right sure
possible also even while during via both each other others another same since without within
because thing things something anything everything someone anyone really actually maybe ever never
already yet ikut sekalian bareng lewat tetap selalu sering biasanya semua banyak sedikit paling
lebih kurang cukup sekali seluruh beberapa suka bilang sebut kasih benar betul mungkin tentu pasti
kemarin sebentar sesuai namun maupun kecuali selain antara sekitar kira rencana rencananya
kebetulan cuman doang memang
`;
