import type { Pack } from './pack.ts';

export const education: Pack = {
  en: {
    title: 'School',
    tags: ['Prospective student', 'Student', 'Parent', 'Fees open'],
    templates: {
      enrolment_received: [
        'Enrolment received',
        'Dear {{name|applicant}}, we have received the enrolment for {var1}. Still missing: {var2}.',
      ],
      class_starts: ['Class starts', 'Hello {{first_name|there}}, {var1} starts on {var2} at {var3}. We look forward to seeing you.'],
      fee_reminder: [
        'Fee reminder',
        'Dear {{name|parent}}, the fee of {var1} for {var2} is due on {var3}. Please ignore this if you have paid.',
      ],
      absence: ['Absence', 'Dear {{name|parent}}, {var1} was not in class today. Please tell us the reason.'],
    },
    replies: {
      enrol: [
        'Enrolment',
        'enrol',
        'Happy to help! Who is it for, and which programme and level? We will send you dates, fees and the form.',
      ],
      fees: ['Fees', 'fee', 'Which programme are you asking about? We will send you the fees and the ways to pay.'],
    },
  },
  id: {
    title: 'Sekolah dan kursus',
    tags: ['Calon siswa', 'Siswa', 'Orang tua', 'Tagihan'],
    templates: {
      enrolment_received: [
        'Pendaftaran diterima',
        'Yth. {{name|Pendaftar}}, pendaftaran untuk {var1} sudah kami terima. Yang masih kurang: {var2}.',
      ],
      class_starts: ['Kelas dimulai', 'Halo {{first_name|Kak}}, {var1} dimulai tanggal {var2} pukul {var3}. Sampai jumpa di kelas.'],
      fee_reminder: [
        'Pengingat biaya',
        'Yth. {{name|Bapak/Ibu}}, biaya sebesar {var1} untuk {var2} jatuh tempo {var3}. Abaikan bila sudah dibayar.',
      ],
      absence: ['Ketidakhadiran', 'Yth. {{name|Bapak/Ibu}}, {var1} tidak hadir di kelas hari ini. Mohon informasikan alasannya.'],
    },
    replies: {
      enrol: [
        'Pendaftaran',
        'daftar',
        'Dengan senang hati! Untuk siapa, program apa dan tingkat berapa? Kami kirim jadwal, biaya dan formulirnya.',
      ],
      fees: ['Biaya', 'biaya', 'Program mana yang ditanyakan? Kami kirim rincian biaya dan cara pembayarannya.'],
    },
  },
};
