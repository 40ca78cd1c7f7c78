import type { Pack } from './pack.ts';

export const travel: Pack = {
  en: {
    title: 'Travel',
    tags: ['Enquiry', 'Booked', 'Group', 'Visa'],
    templates: {
      booking_confirmed: ['Booking confirmed', 'Hi {{first_name|there}}, your trip to {var1} on {var2} is booked. Booking code: {var3}'],
      documents: ['Documents needed', 'Hi {{first_name|there}}, for {var1} we still need: {var2}. Please send it before {var3}.'],
      before_departure: [
        'Before departure',
        'Almost there, {{first_name|traveller}}! Be at {var1} at {var2}. Your guide is {var3}. Reply here if you need anything.',
      ],
    },
    replies: {
      trip: ['Plan a trip', 'trip', 'Lovely! Where to, when, from which city, and how many travellers? We will send you an offer.'],
      visa: ['Visa', 'visa', 'Which passport do you hold, where are you travelling, and when? We will tell you what is needed.'],
    },
  },
  id: {
    title: 'Perjalanan wisata',
    tags: ['Tanya paket', 'Sudah pesan', 'Rombongan', 'Visa'],
    templates: {
      booking_confirmed: [
        'Pesanan dikonfirmasi',
        'Halo {{first_name|Kak}}, perjalanan ke {var1} tanggal {var2} sudah dipesan. Kode booking: {var3}',
      ],
      documents: [
        'Dokumen yang diperlukan',
        'Halo {{first_name|Kak}}, untuk {var1} kami masih memerlukan: {var2}. Mohon dikirim sebelum {var3}.',
      ],
      before_departure: [
        'Sebelum berangkat',
        'Sebentar lagi, {{first_name|Kak}}! Kumpul di {var1} pukul {var2}. Pemandunya {var3}, balas di sini bila perlu bantuan.',
      ],
    },
    replies: {
      trip: ['Rencana wisata', 'paket', 'Asyik! Mau ke mana, kapan, berapa orang dan dari kota mana? Kami buatkan penawaran.'],
      visa: ['Visa', 'visa', 'Paspor negara mana, tujuan ke mana dan kapan? Kami infokan syaratnya.'],
    },
  },
};
