import type { Pack } from './pack.ts';

export const restaurant: Pack = {
  en: {
    title: 'Restaurant',
    tags: ['Regular guest', 'Reservation', 'Delivery', 'Allergy'],
    templates: {
      table_confirmed: [
        'Table confirmed',
        'Hi {{first_name|there}}, your table for {var1} on {var2} at {var3} is confirmed. Reply here if anything changes.',
      ],
      table_reminder: ['Table reminder', 'See you today at {var1}, {{first_name|there}}! Please let us know if you will be late.'],
      food_ready: ['Food is ready', 'Hi {{first_name|there}}, your order {var1} is ready to be picked up.'],
      come_back: ['We miss you', 'It has been a while, {{first_name|friend}}! This week we serve {var1}. Shall we keep a table for you?'],
    },
    replies: {
      reservation: ['Reservation', 'reservation', 'With pleasure! Please tell us the date, the time and the number of guests.'],
      menu: ['Menu', 'menu', 'Thank you for asking. We will send you our menu in a moment. Is there anything you do not eat?'],
      delivery: ['Delivery', 'delivery', 'Please send your address and your order, and we will tell you the total and the delivery time.'],
    },
  },
  id: {
    title: 'Restoran',
    tags: ['Tamu langganan', 'Reservasi', 'Pesan antar', 'Alergi'],
    templates: {
      table_confirmed: [
        'Reservasi dikonfirmasi',
        'Halo {{first_name|Kak}}, meja untuk {var1} orang tanggal {var2} pukul {var3} sudah kami siapkan. Balas pesan ini bila ada perubahan.',
      ],
      table_reminder: ['Pengingat reservasi', 'Sampai jumpa hari ini pukul {var1}, {{first_name|Kak}}! Kabari kami bila terlambat ya.'],
      food_ready: ['Pesanan siap', 'Halo {{first_name|Kak}}, pesanan {var1} sudah siap diambil.'],
      come_back: ['Kami kangen', 'Sudah lama tidak mampir, {{first_name|Kak}}! Minggu ini ada {var1}. Mau kami siapkan meja?'],
    },
    replies: {
      reservation: ['Reservasi', 'reservasi', 'Dengan senang hati! Mohon sebutkan tanggal, jam dan jumlah orangnya ya Kak.'],
      menu: ['Menu', 'menu', 'Terima kasih sudah bertanya. Menu segera kami kirim. Adakah makanan yang tidak bisa Kakak makan?'],
      delivery: ['Pesan antar', 'antar', 'Silakan kirim alamat dan pesanannya, kami hitung total dan perkiraan waktunya ya.'],
    },
  },
};
