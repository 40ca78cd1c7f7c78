/**
 * Indonesian cities and islands. If no text mentions a city, it counts as any city, so that a price
 * for "other towns" answers a question about it.
 */

export const CITIES = `
surabaya jakarta semarang medan makassar yogyakarta jogja solo malang denpasar bali palembang pekanbaru padang lampung
batam pontianak banjarmasin balikpapan samarinda manado ambon jayapura bekasi depok tangerang bogor cirebon aceh
kalimantan sumatra sumatera sulawesi papua lombok jawa bandung cimahi garut tasikmalaya purwokerto tegal pekalongan
kudus jepara kediri madiun jember banyuwangi mataram kupang ternate sorong palu kendari gorontalo bengkulu jambi
bandarlampung tanjungpinang serang cilegon sukabumi karawang sidoarjo gresik
`;
