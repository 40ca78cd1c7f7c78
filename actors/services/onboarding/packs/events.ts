import type { Pack } from './pack.ts';

export const events: Pack = {
  en: {
    title: 'Events',
    tags: ['Enquiry', 'Attendee', 'Speaker', 'Vendor'],
    templates: {
      registered: ['Registered', 'Hi {{first_name|there}}, you are registered for {var1} on {var2}. Your ticket number: {var3}'],
      tomorrow: [
        'Tomorrow',
        'Tomorrow is the day, {{first_name|there}}! Doors open at {var1}, {var2}. Have this message ready at the entrance.',
      ],
      changed: ['Something changed', 'Hi {{first_name|there}}, please note: {var1} now takes place on {var2} at {var3}.'],
      thanks: ['Thank you', 'Thank you for coming, {{first_name|there}}! What did you like best, and what should we do better?'],
    },
    replies: {
      tickets: ['Tickets', 'ticket', 'Which event, and how many tickets? We will tell you what is left and how to pay.'],
      plan: [
        'Plan an event',
        'wedding',
        'Congratulations! Please tell us the date, the place, the number of guests and your budget. We will get back to you with ideas.',
      ],
    },
  },
  id: {
    title: 'Acara',
    tags: ['Tanya acara', 'Peserta', 'Pembicara', 'Vendor'],
    templates: {
      registered: ['Terdaftar', 'Halo {{first_name|Kak}}, pendaftaran {var1} tanggal {var2} berhasil. Nomor tiket: {var3}'],
      tomorrow: [
        'Besok acaranya',
        'Besok acaranya, {{first_name|Kak}}! Pintu dibuka pukul {var1}, {var2}. Siapkan pesan ini di pintu masuk.',
      ],
      changed: ['Ada perubahan', 'Halo {{first_name|Kak}}, mohon dicatat: {var1} menjadi tanggal {var2} di {var3}.'],
      thanks: ['Terima kasih', 'Terima kasih sudah hadir, {{first_name|Kak}}! Apa yang paling disukai dan apa yang perlu kami perbaiki?'],
    },
    replies: {
      tickets: ['Tiket', 'tiket', 'Acara yang mana dan berapa tiket? Kami cek sisa tempat dan cara bayarnya.'],
      plan: ['Rencana acara', 'pernikahan', 'Selamat! Mohon info tanggal, tempat, jumlah tamu dan anggaran. Kami kirim beberapa ide.'],
    },
  },
};
