import type { StoreLinkRow } from '../../../store/store-links/links.ts';

type Texts = StoreLinkRow['templates'];

export const DEFAULT_TEMPLATES: Readonly<Record<'en' | 'id', Texts>> = {
  en: {
    order_created: {
      enabled: true,
      text: 'Hi {name}, thank you for your order {order} at {store}.\nItems: {items}\nTotal: {total}\nWe will let you know when it is on its way.',
    },
    order_paid: { enabled: true, text: 'Hi {name}, we have received your payment for order {order}.\nTotal: {total}\nThank you! {store}' },
    order_shipped: {
      enabled: true,
      text: 'Hi {name}, your order {order} is on its way.\nCourier: {courier}\nTracking number: {tracking_number}\nFollow it: {tracking_url}',
    },
    abandoned_checkout: {
      enabled: false,
      text: 'Hi {name}, you left something at {store}: {items}\nFinish your order here: {checkout_url}\nReply STOP if you do not want reminders.',
    },
  },
  id: {
    order_created: {
      enabled: true,
      text: 'Halo {name}, terima kasih atas pesanan {order} di {store}.\nBarang: {items}\nTotal: {total}\nKami kabari lagi saat pesanan dikirim.',
    },
    order_paid: {
      enabled: true,
      text: 'Halo {name}, pembayaran untuk pesanan {order} sudah kami terima.\nTotal: {total}\nTerima kasih! {store}',
    },
    order_shipped: {
      enabled: true,
      text: 'Halo {name}, pesanan {order} sedang dalam perjalanan.\nKurir: {courier}\nNomor resi: {tracking_number}\nLacak: {tracking_url}',
    },
    abandoned_checkout: {
      enabled: false,
      text: 'Halo {name}, masih ada barang di keranjang Anda di {store}: {items}\nSelesaikan pesanan di sini: {checkout_url}\nBalas STOP jika tidak ingin diingatkan.',
    },
  },
};
