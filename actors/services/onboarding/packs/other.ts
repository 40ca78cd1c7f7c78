import type { Pack } from './pack.ts';

export const other: Pack = {
  en: {
    title: 'Any business',
    tags: ['New', 'Customer', 'Follow up', 'VIP'],
    templates: {
      thanks_for_writing: ['Thanks for writing', 'Hi {{first_name|there}}, thank you for your message. We will get back to you by {var1}.'],
      appointment: ['Appointment', 'Hi {{first_name|there}}, you are booked for {var1} at {var2}. Reply here if anything changes.'],
      follow_up: ['Follow up', 'Hi {{first_name|there}}, a quick question about {var1}: is there anything else that we can do for you?'],
      feedback: ['Feedback', 'Hi {{first_name|there}}, how happy are you with us, from 1 to 5? Thank you for telling us.'],
    },
    replies: {
      hours: ['Opening hours', 'open', 'Thank you for asking! Which day would you like to come? We will tell you our opening hours.'],
      price: ['Prices', 'price', 'Tell us what you are interested in, and we will send you the price.'],
    },
  },
  id: {
    title: 'Semua usaha',
    tags: ['Baru', 'Pelanggan', 'Tindak lanjut', 'VIP'],
    templates: {
      thanks_for_writing: ['Terima kasih', 'Halo {{first_name|Kak}}, terima kasih atas pesannya. Kami balas paling lambat {var1}.'],
      appointment: ['Janji temu', 'Halo {{first_name|Kak}}, kami catat jadwal {var1} pukul {var2}. Balas di sini bila ada perubahan.'],
      follow_up: ['Tindak lanjut', 'Halo {{first_name|Kak}}, tentang {var1}: adakah lagi yang bisa kami bantu?'],
      feedback: ['Penilaian', 'Halo {{first_name|Kak}}, seberapa puas dengan layanan kami, dari 1 sampai 5? Terima kasih masukannya.'],
    },
    replies: {
      hours: ['Jam buka', 'buka', 'Terima kasih sudah bertanya! Hari apa Kakak ingin datang? Kami infokan jam bukanya.'],
      price: ['Harga', 'harga', 'Sebutkan produk atau layanan yang diminati, kami kirim harganya.'],
    },
  },
};
