import { bakery } from './bakery.ts';
import { catering } from './catering.ts';
import { clothesShop } from './clothes-shop.ts';
import { dentalClinic } from './dental-clinic.ts';
import { drivingSchool } from './driving-school.ts';
import { gadgetShop } from './gadget-shop.ts';
import { guestHouse } from './guest-house.ts';
import { judge } from './judge.ts';

const sets = {
  bakery,
  catering,
  clothes: clothesShop,
  dental: dentalClinic,
  driving: drivingSchool,
  gadgets: gadgetShop,
  guesthouse: guestHouse,
};
const set = Object.entries(sets).find(([name]) => name === process.argv[2])?.[1] ?? clothesShop;
const { threshold, first, answered, right, false: wrong } = judge(set);
console.log(JSON.stringify({ first, answered, right, wrong, threshold }));
