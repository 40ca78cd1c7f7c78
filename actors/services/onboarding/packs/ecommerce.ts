import type { Pack } from './pack.ts';

export const ecommerce: Pack = {
  en: {
    title: 'Online shop',
    tags: ['New customer', 'Repeat customer', 'Waiting for payment', 'Return'],
    templates: {
      order_received: [
        'Order received',
        'Hi {{first_name|there}}, we have received your order {var1}. We will message you again as soon as it is packed.',
      ],
      payment_reminder: [
        'Payment reminder',
        'Hi {{first_name|there}}, order {var1} is waiting for payment of {var2}. Reply here if you need another way to pay.',
      ],
      order_shipped: ['Order shipped', 'Good news, {{first_name|there}}! Order {var1} is on its way with {var2}. Tracking number: {var3}'],
      review_request: [
        'Ask for a review',
        'Hi {{first_name|there}}, did everything arrive safely? A short review helps other customers a lot.',
      ],
    },
    replies: {
      shipping: [
        'Where is my order?',
        'shipping',
        'Please send us your order number, {{first_name|dear customer}}, and we will tell you where your parcel is.',
      ],
      returns: ['Returns', 'return', 'You can return items. Please tell us your order number and what is wrong. A photo helps.'],
      stock: ['Is it available?', 'available', 'Tell us which product, size and color you are looking for, and we will check our stock.'],
    },
  },
  id: {
    title: 'Toko online',
    tags: ['Pelanggan baru', 'Pelanggan tetap', 'Menunggu pembayaran', 'Retur'],
    templates: {
      order_received: [
        'Pesanan diterima',
        'Halo {{first_name|Kak}}, pesanan {var1} sudah kami terima. Kami kabari lagi setelah dikemas ya.',
      ],
      payment_reminder: [
        'Pengingat pembayaran',
        'Halo {{first_name|Kak}}, pesanan {var1} menunggu pembayaran sebesar {var2}. Balas pesan ini bila butuh cara bayar lain.',
      ],
      order_shipped: ['Pesanan dikirim', 'Kabar baik, {{first_name|Kak}}! Pesanan {var1} sudah dikirim dengan {var2}. Nomor resi: {var3}'],
      review_request: [
        'Minta ulasan',
        'Halo {{first_name|Kak}}, apakah pesanannya sudah diterima dengan baik? Ulasan singkat dari Kakak sangat membantu kami.',
      ],
    },
    replies: {
      shipping: ['Cek resi', 'resi', 'Silakan kirim nomor pesanan Kakak, kami cek posisi paketnya ya.'],
      returns: ['Retur', 'retur', 'Barang bisa diretur. Mohon kirim nomor pesanan dan kendalanya, sertakan foto bila ada.'],
      stock: ['Cek stok', 'ready', 'Produk, ukuran dan warna apa yang Kakak cari? Kami cek stoknya dulu ya.'],
    },
  },
};
