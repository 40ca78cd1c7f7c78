import { bakery } from './bakery.ts';
import { clothesShop } from './clothes-shop.ts';
import { judge } from './judge.ts';

const set = process.argv[2] === 'bakery' ? bakery : clothesShop;
const { threshold, first, answered, right, false: wrong } = judge(set);
console.log(JSON.stringify({ first, answered, right, wrong, threshold }));
