import type { Pack } from './pack.ts';

export const retail: Pack = {
  en: {
    title: 'Shop',
    tags: ['Member', 'Walk-in', 'Reserved item', 'Wholesale'],
    templates: {
      ready_to_collect: [
        'Ready to collect',
        'Hi {{first_name|there}}, {var1} is ready for you at our counter. We will keep it until {var2}.',
      ],
      back_in_stock: [
        'Back in stock',
        'Hi {{first_name|there}}, {var1}, which you asked for, is back in stock. Reply YES, and we will put one aside for you.',
      ],
      member_offer: [
        'Offer for members',
        'For our members, {{first_name|friend}}: {var1} until {var2}. Show this message at the checkout.',
      ],
    },
    replies: {
      price: ['Prices', 'price', 'Which product would you like a price for? A photo or the name on the label is enough.'],
      stock: ['Is it in stock?', 'stock', 'Tell us the product and size, and we will check the shelf and reply shortly.'],
    },
  },
  id: {
    title: 'Toko ritel',
    tags: ['Member', 'Pelanggan langsung', 'Barang dipesan', 'Grosir'],
    templates: {
      ready_to_collect: ['Siap diambil', 'Halo {{first_name|Kak}}, {var1} sudah siap diambil di kasir kami. Kami simpan sampai {var2} ya.'],
      back_in_stock: [
        'Stok kembali',
        'Halo {{first_name|Kak}}, {var1} yang Kakak tanyakan sudah ada lagi. Balas YA bila mau kami sisihkan.',
      ],
      member_offer: ['Promo member', 'Khusus member, {{first_name|Kak}}: {var1} sampai {var2}. Tunjukkan pesan ini di kasir.'],
    },
    replies: {
      price: ['Harga', 'harga', 'Produk apa yang ingin ditanyakan harganya? Foto atau nama di label sudah cukup.'],
      stock: ['Stok', 'stok', 'Sebutkan produk dan ukurannya ya Kak, kami cek di rak lalu segera membalas.'],
    },
  },
};
