import type { Pack } from './pack.ts';

/** Messages must never contain health information. */
export const healthcare: Pack = {
  en: {
    title: 'Clinic',
    tags: ['New patient', 'Appointment', 'Follow-up', 'Insurance'],
    templates: {
      appointment_confirmed: [
        'Appointment confirmed',
        'Dear {{name|patient}}, your appointment is on {var1} at {var2}. Please bring your ID and your insurance card.',
      ],
      appointment_reminder: [
        'Appointment reminder',
        'Dear {{name|patient}}, your appointment is tomorrow at {var1}. Reply YES to confirm or CHANGE for another time.',
      ],
      results_ready: [
        'Results are ready',
        'Dear {{name|patient}}, your results can be collected at our desk or discussed with your doctor. Call us for a time.',
      ],
    },
    replies: {
      appointment: [
        'Appointment',
        'appointment',
        'Please tell us your full name, which doctor or service, and which day suits you. In an emergency, call the emergency number.',
      ],
      insurance: [
        'Insurance',
        'insurance',
        'Which insurance do you have? We will check whether it covers your visit and tell you what to bring.',
      ],
    },
  },
  id: {
    title: 'Klinik',
    tags: ['Pasien baru', 'Janji temu', 'Kontrol', 'Asuransi'],
    templates: {
      appointment_confirmed: [
        'Janji temu dikonfirmasi',
        'Yth. {{name|Pasien}}, janji temu Anda tanggal {var1} pukul {var2}. Mohon bawa KTP dan kartu asuransi atau BPJS.',
      ],
      appointment_reminder: [
        'Pengingat janji temu',
        'Yth. {{name|Pasien}}, kami tunggu besok pukul {var1}. Balas YA untuk konfirmasi atau UBAH untuk jadwal lain.',
      ],
      results_ready: [
        'Hasil sudah ada',
        'Yth. {{name|Pasien}}, hasil pemeriksaan dapat diambil di loket atau dibicarakan dengan dokter Anda. Hubungi kami untuk jadwalnya.',
      ],
    },
    replies: {
      appointment: [
        'Daftar',
        'daftar',
        'Mohon sebutkan nama lengkap, dokter atau layanan, dan hari yang diinginkan. Untuk keadaan darurat segera ke IGD.',
      ],
      insurance: [
        'BPJS dan asuransi',
        'bpjs',
        'Asuransi apa yang Anda gunakan? Kami cek apakah kunjungan Anda ditanggung dan apa yang perlu dibawa.',
      ],
    },
  },
};
