import type { Pack } from './pack.ts';

export const beauty: Pack = {
  en: {
    title: 'Salon',
    tags: ['Regular', 'Hair', 'Nails', 'Facial'],
    templates: {
      booking_confirmed: ['Booking confirmed', 'Hi {{first_name|lovely}}, you are booked for {var1} on {var2} at {var3}. See you soon!'],
      booking_reminder: [
        'Booking reminder',
        'Hi {{first_name|there}}, a quick reminder of your {var1} tomorrow at {var2}. Reply if you need another time.',
      ],
      time_again: ['Time again', 'Hi {{first_name|there}}, it has been {var1} since your last visit. Shall we find you a time this week?'],
    },
    replies: {
      booking: ['Booking', 'book', 'Lovely! Which treatment would you like, which day, and do you have a favourite stylist?'],
      price: [
        'Price list',
        'price',
        'Prices depend on the treatment and, for hair, on its length. What do you have in mind? A photo helps.',
      ],
    },
  },
  id: {
    title: 'Salon',
    tags: ['Langganan', 'Rambut', 'Kuku', 'Facial'],
    templates: {
      booking_confirmed: [
        'Booking dikonfirmasi',
        'Halo {{first_name|Kak}}, booking {var1} tanggal {var2} pukul {var3} sudah kami catat. Sampai jumpa!',
      ],
      booking_reminder: [
        'Pengingat booking',
        'Halo {{first_name|Kak}}, sekadar mengingatkan {var1} besok pukul {var2}. Balas bila perlu ganti jadwal ya.',
      ],
      time_again: [
        'Waktunya perawatan',
        'Halo {{first_name|Kak}}, sudah {var1} sejak kunjungan terakhir. Mau kami carikan jadwal minggu ini?',
      ],
    },
    replies: {
      booking: ['Booking', 'booking', 'Siap Kak! Perawatan apa, hari apa, dan adakah stylist favorit?'],
      price: ['Daftar harga', 'harga', 'Harga tergantung perawatan dan panjang rambut. Kakak ingin yang seperti apa? Boleh kirim foto.'],
    },
  },
};
