import type { Pack } from './pack.ts';

export const hospitality: Pack = {
  en: {
    title: 'Hotel',
    tags: ['Guest', 'Arrival', 'Long stay', 'Event enquiry'],
    templates: {
      reservation_confirmed: [
        'Reservation confirmed',
        'Dear {{name|guest}}, your room from {var1} to {var2} is reserved. Confirmation: {var3}',
      ],
      before_arrival: [
        'Before arrival',
        'Dear {{name|guest}}, we look forward to welcoming you tomorrow. When will you arrive, and may we arrange a transfer?',
      ],
      during_stay: ['During the stay', 'Welcome, {{first_name|dear guest}}! Is everything to your liking? Message us here day or night.'],
      after_stay: ['After the stay', 'Thank you for staying with us, {{first_name|dear guest}}. How was your stay? We read every comment.'],
    },
    replies: {
      room: [
        'Room rates',
        'room',
        'Please tell us your dates, the number of guests and any special requests. We will send you the available rooms and rates.',
      ],
      check_in: [
        'Check-in',
        'check-in',
        'Tell us your name or reservation number and when you will arrive, and we will prepare everything for you.',
      ],
    },
  },
  id: {
    title: 'Hotel',
    tags: ['Tamu', 'Kedatangan', 'Menginap lama', 'Acara'],
    templates: {
      reservation_confirmed: [
        'Reservasi dikonfirmasi',
        'Yth. {{name|Tamu}}, kamar Anda dari {var1} sampai {var2} sudah kami pesan. Nomor konfirmasi: {var3}',
      ],
      before_arrival: [
        'Sebelum kedatangan',
        'Yth. {{name|Tamu}}, kami menantikan Anda besok. Pukul berapa tiba, dan perlukah penjemputan?',
      ],
      during_stay: [
        'Selama menginap',
        'Selamat datang, {{first_name|Bapak/Ibu}}! Apakah semuanya nyaman? Hubungi kami di sini siang dan malam.',
      ],
      after_stay: [
        'Setelah menginap',
        'Terima kasih telah menginap, {{first_name|Bapak/Ibu}}. Bagaimana pengalamannya? Setiap masukan kami baca.',
      ],
    },
    replies: {
      room: ['Harga kamar', 'kamar', 'Mohon info tanggal, jumlah tamu dan permintaan khusus. Kami kirim kamar yang tersedia dan harganya.'],
      check_in: ['Check-in', 'check in', 'Mohon sebutkan nama atau nomor reservasi dan jam tiba, kami siapkan semuanya.'],
    },
  },
};
