import type { Pack } from './pack.ts';

/** Messages must never contain codes, PINs or balances. */
export const finance: Pack = {
  en: {
    title: 'Finance',
    tags: ['Applicant', 'Customer', 'Instalment due', 'Documents missing'],
    templates: {
      application_received: [
        'Application received',
        'Dear {{name|customer}}, we have received your application {var1} and will answer by {var2}. We never ask for your PIN or a code.',
      ],
      documents_missing: [
        'Documents missing',
        'Dear {{name|customer}}, for application {var1} we still need: {var2}. Please bring it or send it through our app.',
      ],
      instalment_due: [
        'Instalment due',
        'Dear {{name|customer}}, your instalment of {var1} is due on {var2}. Please ignore this if you have paid.',
      ],
    },
    replies: {
      loan: [
        'Loans',
        'loan',
        'Which amount and term do you have in mind, and what is it for? We will explain the costs and the requirements. Never send us a PIN or a code.',
      ],
      payment: ['Payments', 'payment', 'Please tell us your contract number and your question. Never send a PIN or a code.'],
    },
  },
  id: {
    title: 'Keuangan',
    tags: ['Pemohon', 'Nasabah', 'Jatuh tempo', 'Dokumen kurang'],
    templates: {
      application_received: [
        'Pengajuan diterima',
        'Yth. {{name|Nasabah}}, pengajuan {var1} sudah kami terima dan kami jawab paling lambat {var2}. Kami tidak pernah meminta PIN atau OTP.',
      ],
      documents_missing: [
        'Dokumen kurang',
        'Yth. {{name|Nasabah}}, untuk pengajuan {var1} kami masih memerlukan: {var2}. Mohon diantar atau dikirim lewat aplikasi kami.',
      ],
      instalment_due: [
        'Angsuran jatuh tempo',
        'Yth. {{name|Nasabah}}, angsuran sebesar {var1} jatuh tempo {var2}. Abaikan bila sudah dibayar.',
      ],
    },
    replies: {
      loan: [
        'Pinjaman',
        'pinjam',
        'Berapa jumlah dan jangka waktunya, serta untuk keperluan apa? Kami jelaskan biaya dan syaratnya. Jangan pernah mengirim PIN atau OTP.',
      ],
      payment: ['Pembayaran', 'bayar', 'Mohon sebutkan nomor kontrak, bukan PIN atau OTP, dan pertanyaan Anda.'],
    },
  },
};
