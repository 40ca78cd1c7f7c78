import type { Pack } from './pack.ts';

export const insurance: Pack = {
  en: {
    title: 'Insurance',
    tags: ['Lead', 'Policyholder', 'Claim', 'Renewal'],
    templates: {
      quote_ready: [
        'Quote is ready',
        'Dear {{name|customer}}, your quote for {var1} is ready: {var2} a year. Shall we go through it together?',
      ],
      renewal: [
        'Renewal',
        'Dear {{name|customer}}, policy {var1} ends on {var2}. Would you like to renew it as it is, or has something changed?',
      ],
      claim_received: [
        'Claim received',
        'Dear {{name|customer}}, we have received your claim {var1}. {var2} is handling it and will message you by {var3}.',
      ],
    },
    replies: {
      claim: [
        'Report a claim',
        'claim',
        'We are sorry to hear that. Is everybody safe? Please send your policy number and photos, and tell us what happened, when and where.',
      ],
      quote: ['Quote', 'quote', 'What would you like to insure, and how long have you had it? We will prepare a quote for you.'],
    },
  },
  id: {
    title: 'Asuransi',
    tags: ['Calon nasabah', 'Pemegang polis', 'Klaim', 'Perpanjangan'],
    templates: {
      quote_ready: [
        'Penawaran siap',
        'Yth. {{name|Nasabah}}, penawaran untuk {var1} sudah siap: {var2} per tahun. Mau kita bahas bersama?',
      ],
      renewal: [
        'Perpanjangan',
        'Yth. {{name|Nasabah}}, polis {var1} berakhir {var2}. Apakah diperpanjang seperti semula, atau ada perubahan?',
      ],
      claim_received: [
        'Klaim diterima',
        'Yth. {{name|Nasabah}}, klaim {var1} sudah kami terima. {var2} menanganinya dan akan memberi kabar paling lambat {var3}.',
      ],
    },
    replies: {
      claim: [
        'Lapor klaim',
        'klaim',
        'Kami turut prihatin. Apakah semua selamat? Mohon kirim nomor polis, kejadiannya, waktu dan tempat, serta foto.',
      ],
      quote: ['Penawaran', 'premi', 'Apa yang ingin diasuransikan dan sejak kapan dimiliki? Kami siapkan penawarannya.'],
    },
  },
};
