import { bakery } from './bakery.ts';
import { clothesShop } from './clothes-shop.ts';
import { dentalClinic } from './dental-clinic.ts';
import { judge } from './judge.ts';

const sets = { bakery, clothes: clothesShop, dental: dentalClinic };
const set = Object.entries(sets).find(([name]) => name === process.argv[2])?.[1] ?? clothesShop;
const { threshold, first, answered, right, false: wrong } = judge(set);
console.log(JSON.stringify({ first, answered, right, wrong, threshold }));
