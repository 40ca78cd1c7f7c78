import type { Pack } from './pack.ts';

export const professionalServices: Pack = {
  en: {
    title: 'Professional services',
    tags: ['Prospect', 'Client', 'Proposal sent', 'Invoice open'],
    templates: {
      meeting_confirmed: ['Meeting confirmed', 'Dear {{name|client}}, we meet on {var1} at {var2}. Please have {var3} at hand.'],
      proposal_sent: [
        'Proposal sent',
        'Dear {{name|client}}, we have emailed you our proposal for {var1}. May we call you about it on {var2}?',
      ],
      documents_needed: ['Documents needed', 'Dear {{name|client}}, to continue with {var1}, we need {var2} by {var3}.'],
      invoice_due: ['Invoice due', 'Dear {{name|client}}, invoice {var1} for {var2} is due on {var3}. Thank you!'],
    },
    replies: {
      consultation: [
        'Consultation',
        'consultation',
        'Please tell us in a sentence or two what it is about and when we may call you. Everything stays confidential.',
      ],
      fees: ['Fees', 'fee', 'Fees depend on the matter. Describe it briefly, and we will tell you what to expect before you pay anything.'],
    },
  },
  id: {
    title: 'Jasa profesional',
    tags: ['Calon klien', 'Klien', 'Proposal terkirim', 'Tagihan terbuka'],
    templates: {
      meeting_confirmed: [
        'Pertemuan dikonfirmasi',
        'Yth. {{name|Bapak/Ibu}}, kita bertemu tanggal {var1} pukul {var2}. Mohon siapkan {var3}.',
      ],
      proposal_sent: [
        'Proposal terkirim',
        'Yth. {{name|Bapak/Ibu}}, proposal untuk {var1} sudah kami kirim lewat email. Bolehkah kami menelepon tanggal {var2}?',
      ],
      documents_needed: ['Dokumen diperlukan', 'Yth. {{name|Bapak/Ibu}}, untuk melanjutkan {var1} kami memerlukan {var2} sebelum {var3}.'],
      invoice_due: ['Tagihan jatuh tempo', 'Yth. {{name|Bapak/Ibu}}, tagihan {var1} sebesar {var2} jatuh tempo {var3}. Terima kasih.'],
    },
    replies: {
      consultation: [
        'Konsultasi',
        'konsultasi',
        'Mohon ceritakan singkat perihalnya dan kapan kami boleh menelepon. Semuanya kami jaga kerahasiaannya.',
      ],
      fees: ['Biaya', 'biaya', 'Biaya tergantung perkaranya. Jelaskan singkat, kami beri gambaran sebelum ada biaya apa pun.'],
    },
  },
};
