import type { Pack } from './pack.ts';

export const automotive: Pack = {
  en: {
    title: 'Workshop and dealer',
    tags: ['Service', 'Test drive', 'Spare parts', 'Fleet'],
    templates: {
      service_booked: [
        'Service booked',
        'Hi {{first_name|there}}, your {{attr.vehicle|vehicle}} is booked for service on {var1} at {var2}.',
      ],
      vehicle_ready: [
        'Vehicle is ready',
        'Hi {{first_name|there}}, your {{attr.vehicle|vehicle}} is ready. The total is {var1}. We are open until {var2}.',
      ],
      service_due: [
        'Service is due',
        'Hi {{first_name|there}}, your {{attr.vehicle|vehicle}} is due for service by {var1}. Reply with a day that suits you.',
      ],
    },
    replies: {
      service: ['Service', 'service', 'Please tell us the model, the year, the mileage and what needs to be done. Which day suits you?'],
      parts: ['Spare parts', 'part', 'Which part do you need, and for which model and year? We will check price and stock.'],
    },
  },
  id: {
    title: 'Bengkel dan dealer',
    tags: ['Servis', 'Test drive', 'Suku cadang', 'Armada'],
    templates: {
      service_booked: [
        'Servis terjadwal',
        'Halo {{first_name|Kak}}, servis {{attr.vehicle|kendaraan}} terjadwal tanggal {var1} pukul {var2}.',
      ],
      vehicle_ready: [
        'Kendaraan selesai',
        'Halo {{first_name|Kak}}, {{attr.vehicle|kendaraan}} sudah selesai. Totalnya {var1}. Kami buka sampai {var2}.',
      ],
      service_due: [
        'Waktunya servis',
        'Halo {{first_name|Kak}}, {{attr.vehicle|kendaraan}} sebaiknya servis sebelum {var1}. Balas dengan hari yang cocok ya.',
      ],
    },
    replies: {
      service: ['Servis', 'servis', 'Mohon info tipe, tahun, kilometer dan keluhannya. Hari apa yang cocok?'],
      parts: ['Suku cadang', 'sparepart', 'Suku cadang apa, untuk tipe dan tahun berapa? Kami cek harga dan stoknya.'],
    },
  },
};
