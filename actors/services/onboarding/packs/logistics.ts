import type { Pack } from './pack.ts';

export const logistics: Pack = {
  en: {
    title: 'Logistics',
    tags: ['Sender', 'Recipient', 'Contract customer', 'Claim'],
    templates: {
      picked_up: ['Picked up', 'Shipment {var1} was picked up and is on its way to {var2}. Expected on {var3}.'],
      out_for_delivery: [
        'Out for delivery',
        'Hello {{first_name|there}}, shipment {var1} arrives today between {var2}. Will someone be there? Reply NO for another day.',
      ],
      delivered: ['Delivered', 'Shipment {var1} was delivered at {var2} and received by {var3}.'],
      attempt_failed: [
        'Nobody there',
        'Hello {{first_name|there}}, nobody was there to receive shipment {var1}. Reply with another day or address.',
      ],
    },
    replies: {
      track: ['Track a shipment', 'track', 'Please send your tracking number, and we will tell you where the shipment is.'],
      rate: [
        'Rates',
        'rate',
        'Where is it going from and to, and how heavy and large is it? We will send you the rate and the delivery time.',
      ],
    },
  },
  id: {
    title: 'Logistik',
    tags: ['Pengirim', 'Penerima', 'Pelanggan kontrak', 'Klaim'],
    templates: {
      picked_up: ['Sudah dijemput', 'Kiriman {var1} sudah dijemput dan menuju {var2}. Perkiraan tiba {var3}.'],
      out_for_delivery: [
        'Sedang diantar',
        'Halo {{first_name|Kak}}, kiriman {var1} diantar hari ini antara {var2}. Apakah ada yang menerima? Balas TIDAK untuk hari lain.',
      ],
      delivered: ['Terkirim', 'Kiriman {var1} sudah sampai pukul {var2} dan diterima oleh {var3}.'],
      attempt_failed: [
        'Tidak ada penerima',
        'Halo {{first_name|Kak}}, tidak ada yang menerima kiriman {var1}. Balas dengan hari atau alamat lain ya.',
      ],
    },
    replies: {
      track: ['Lacak kiriman', 'resi', 'Mohon kirim nomor resinya, kami cek posisi kirimannya.'],
      rate: ['Tarif', 'tarif', 'Dari mana ke mana, berapa berat dan ukurannya? Kami kirim tarif dan estimasi waktunya.'],
    },
  },
};
