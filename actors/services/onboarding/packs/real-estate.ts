import type { Pack } from './pack.ts';

export const realEstate: Pack = {
  en: {
    title: 'Real estate',
    tags: ['Buyer', 'Tenant', 'Owner', 'Viewing'],
    templates: {
      viewing_confirmed: [
        'Viewing confirmed',
        'Hi {{first_name|there}}, we meet on {var1} at {var2} to see {var3}. I will wait at the entrance.',
      ],
      new_listing: [
        'New listing',
        'Hi {{first_name|there}}, here is something new that matches your search: {var1} in {{attr.area|your area}}, {var2}. Shall I send photos?',
      ],
      after_viewing: [
        'After the viewing',
        'Thank you for your time, {{first_name|there}}. What did you like about {var1}, and what was missing?',
      ],
    },
    replies: {
      viewing: ['Viewing', 'viewing', 'Gladly! Which property, and which day and time suit you?'],
      search: [
        'Looking for a home',
        'looking for',
        'Tell us the area, the number of rooms, your budget, and when you would like to move in.',
      ],
    },
  },
  id: {
    title: 'Properti',
    tags: ['Pembeli', 'Penyewa', 'Pemilik', 'Survei'],
    templates: {
      viewing_confirmed: [
        'Survei dikonfirmasi',
        'Halo {{first_name|Kak}}, kita bertemu tanggal {var1} pukul {var2} untuk melihat {var3}. Saya tunggu di depan.',
      ],
      new_listing: [
        'Properti baru',
        'Halo {{first_name|Kak}}, ada yang baru dan cocok: {var1} di {{attr.area|lokasi pilihan Kakak}}, {var2}. Mau saya kirim fotonya?',
      ],
      after_viewing: [
        'Setelah survei',
        'Terima kasih atas waktunya, {{first_name|Kak}}. Apa yang disukai dari {var1}, dan apa yang kurang?',
      ],
    },
    replies: {
      viewing: ['Survei', 'survei', 'Dengan senang hati! Properti yang mana, dan hari serta jam berapa yang cocok?'],
      search: ['Cari rumah', 'cari rumah', 'Boleh info lokasi, jumlah kamar, anggaran dan kapan ingin pindah?'],
    },
  },
};
