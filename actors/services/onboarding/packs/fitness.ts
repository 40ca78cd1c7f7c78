import type { Pack } from './pack.ts';

export const fitness: Pack = {
  en: {
    title: 'Gym',
    tags: ['Trial', 'Member', 'Personal training', 'Membership ends'],
    templates: {
      trial_booked: [
        'Trial booked',
        'Hi {{first_name|there}}, your trial is on {var1} at {var2}. Bring a towel, water and sports shoes. We look forward to it!',
      ],
      class_reminder: [
        'Class reminder',
        '{{first_name|Hi}}, {var1} starts today at {var2}. If you cannot come, please reply so that someone else can take your place.',
      ],
      membership_ends: [
        'Membership ends',
        'Hi {{first_name|there}}, your membership ends on {var1}. Renew before then to keep your price.',
      ],
    },
    replies: {
      trial: ['Trial', 'trial', 'Great! Tell us your goal and which day suits you, and we will arrange your first visit.'],
      schedule: [
        'Class schedule',
        'schedule',
        'Which class are you interested in, and do you prefer mornings or evenings? We will send you the times.',
      ],
    },
  },
  id: {
    title: 'Gym',
    tags: ['Uji coba', 'Member', 'Personal trainer', 'Keanggotaan habis'],
    templates: {
      trial_booked: [
        'Uji coba terjadwal',
        'Halo {{first_name|Kak}}, sesi uji coba tanggal {var1} pukul {var2}. Bawa handuk, air minum dan sepatu olahraga ya. Kami tunggu!',
      ],
      class_reminder: [
        'Pengingat kelas',
        'Halo {{first_name|Kak}}, {var1} dimulai hari ini pukul {var2}. Kabari bila berhalangan agar tempatnya bisa dipakai yang lain.',
      ],
      membership_ends: [
        'Keanggotaan berakhir',
        'Halo {{first_name|Kak}}, keanggotaan Kakak berakhir {var1}. Perpanjang sebelumnya supaya harga tetap sama.',
      ],
    },
    replies: {
      trial: ['Uji coba', 'trial', 'Mantap! Apa target Kakak dan hari apa yang cocok? Kami atur kunjungan pertamanya.'],
      schedule: ['Jadwal kelas', 'jadwal', 'Kelas apa yang diminati, pagi atau sore? Jadwalnya kami kirim.'],
    },
  },
};
