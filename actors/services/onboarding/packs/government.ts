import type { Pack } from './pack.ts';

export const government: Pack = {
  en: {
    title: 'Public office',
    tags: ['Application', 'Appointment', 'Complaint', 'Information'],
    templates: {
      application_received: [
        'Application received',
        'Dear {{name|citizen}}, your application {var1} was received on {var2}. You will hear from us within {var3}.',
      ],
      document_ready: [
        'Document is ready',
        'Dear {{name|citizen}}, your {var1} is ready at {var2}. Please bring your ID. The service is free of charge.',
      ],
      appointment: [
        'Appointment',
        'Dear {{name|citizen}}, your appointment is on {var1} at {var2}, {var3}. Reply CHANGE for another time.',
      ],
    },
    replies: {
      requirements: [
        'Requirements',
        'requirement',
        'Which document or service is it about? We will tell you what is needed, what it costs and how long it takes.',
      ],
      complaint: [
        'Complaint',
        'complaint',
        'Thank you for telling us. Please describe what happened, where and when. You will get a number to track your report.',
      ],
    },
  },
  id: {
    title: 'Layanan publik',
    tags: ['Permohonan', 'Antrean', 'Pengaduan', 'Informasi'],
    templates: {
      application_received: [
        'Permohonan diterima',
        'Yth. {{name|Bapak/Ibu}}, permohonan {var1} kami terima tanggal {var2}. Jawaban kami sampaikan dalam {var3}.',
      ],
      document_ready: [
        'Dokumen selesai',
        'Yth. {{name|Bapak/Ibu}}, {var1} dapat diambil di {var2}. Mohon bawa KTP. Layanan ini tidak dipungut biaya.',
      ],
      appointment: [
        'Jadwal layanan',
        'Yth. {{name|Bapak/Ibu}}, jadwal Anda tanggal {var1} pukul {var2}, {var3}. Balas UBAH untuk jadwal lain.',
      ],
    },
    replies: {
      requirements: ['Persyaratan', 'syarat', 'Dokumen atau layanan apa yang diperlukan? Kami kirim syarat, biaya dan lama prosesnya.'],
      complaint: [
        'Pengaduan',
        'pengaduan',
        'Terima kasih atas laporannya. Mohon jelaskan kejadian, tempat dan waktunya. Anda akan mendapat nomor untuk memantaunya.',
      ],
    },
  },
};
