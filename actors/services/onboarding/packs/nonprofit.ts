import type { Pack } from './pack.ts';

export const nonprofit: Pack = {
  en: {
    title: 'Nonprofit',
    tags: ['Donor', 'Volunteer', 'Monthly donor', 'Beneficiary'],
    templates: {
      donation_received: [
        'Donation received',
        'Thank you, {{name|dear friend}}! We have received your donation of {var1} for {var2}. The receipt will follow.',
      ],
      volunteer_call: [
        'Call for volunteers',
        'Hi {{first_name|there}}, on {var1} we need helping hands for {var2}. Can you join us? Reply YES.',
      ],
      impact: ['What you made possible', 'Hi {{first_name|there}}, with your help {var1}. Thank you for being part of it.'],
    },
    replies: {
      donate: [
        'Donate',
        'donate',
        'Thank you for wanting to help! We will send you the ways to give. Is there a project that you would like to support?',
      ],
      volunteer: ['Volunteer', 'volunteer', 'Wonderful! Where do you live, what do you like doing, and when do you have time?'],
    },
  },
  id: {
    title: 'Lembaga nirlaba',
    tags: ['Donatur', 'Relawan', 'Donatur bulanan', 'Penerima manfaat'],
    templates: {
      donation_received: [
        'Donasi diterima',
        'Terima kasih, {{name|Sahabat}}! Donasi sebesar {var1} untuk {var2} sudah kami terima. Kuitansi menyusul.',
      ],
      volunteer_call: [
        'Panggilan relawan',
        'Halo {{first_name|Sahabat}}, tanggal {var1} kami butuh bantuan untuk {var2}. Bisa ikut? Balas YA.',
      ],
      impact: ['Berkat Anda', 'Halo {{first_name|Sahabat}}, berkat bantuan Anda {var1}. Terima kasih sudah menjadi bagian darinya.'],
    },
    replies: {
      donate: ['Donasi', 'donasi', 'Terima kasih atas niat baiknya! Kami kirim cara berdonasi. Adakah program yang ingin didukung?'],
      volunteer: ['Relawan', 'relawan', 'Senang sekali! Tinggal di mana, suka kegiatan apa dan kapan ada waktu?'],
    },
  },
};
