import type { Pack } from './pack.ts';

export const saas: Pack = {
  en: {
    title: 'Software',
    tags: ['Trial', 'Paying', 'Support', 'At risk'],
    templates: {
      welcome: ['Welcome', 'Welcome, {{first_name|there}}! Your account is ready. The first step: {var1}. Reply here if you get stuck.'],
      trial_ends: [
        'Trial ends',
        'Hi {{first_name|there}}, your trial ends on {var1}. Would you like a ten-minute tour of what you have not tried yet?',
      ],
      ticket_solved: ['Ticket solved', 'Hi {{first_name|there}}, ticket {var1} is resolved: {var2}. Is everything working now?'],
      maintenance: ['Maintenance', 'Hi {{first_name|there}}, on {var1} from {var2} to {var3} the service will be down for maintenance.'],
    },
    replies: {
      support: [
        'Support',
        'not working',
        'Sorry about that! Which account is it, what did you do, and what did you see? A screenshot helps us a lot.',
      ],
      pricing: ['Pricing', 'pricing', 'How many people would use it, and for what? We will tell you which plan fits.'],
      demo: ['Demo', 'demo', 'Gladly! Which day and time suit you, and what would you like to see?'],
    },
  },
  id: {
    title: 'Perangkat lunak',
    tags: ['Uji coba', 'Berlangganan', 'Dukungan', 'Berisiko berhenti'],
    templates: {
      welcome: [
        'Selamat datang',
        'Selamat datang, {{first_name|Kak}}! Akun sudah siap. Langkah pertama: {var1}. Balas di sini bila ada kendala.',
      ],
      trial_ends: [
        'Uji coba berakhir',
        'Halo {{first_name|Kak}}, masa uji coba berakhir {var1}. Mau kami tunjukkan fitur yang belum dicoba dalam sepuluh menit?',
      ],
      ticket_solved: ['Tiket selesai', 'Halo {{first_name|Kak}}, tiket {var1} sudah selesai: {var2}. Apakah sudah lancar?'],
      maintenance: [
        'Pemeliharaan',
        'Halo {{first_name|Kak}}, tanggal {var1} pukul {var2} sampai {var3} layanan berhenti sementara untuk pemeliharaan.',
      ],
    },
    replies: {
      support: [
        'Dukungan',
        'error',
        'Maaf atas kendalanya! Akun yang mana, apa yang dilakukan, apa yang muncul? Tangkapan layar sangat membantu.',
      ],
      pricing: ['Harga', 'harga', 'Berapa orang yang memakai dan untuk apa? Kami bantu pilih paket yang cocok.'],
      demo: ['Demo', 'demo', 'Siap! Hari dan jam berapa yang cocok, dan apa yang ingin dilihat?'],
    },
  },
};
