import { bakery } from './bakery.ts';
import { busCompany } from './bus-company.ts';
import { catering } from './catering.ts';
import { clothesShop } from './clothes-shop.ts';
import { dentalClinic } from './dental-clinic.ts';
import { drivingSchool } from './driving-school.ts';
import type { EvaluationSet } from './evaluation-set.ts';
import { florist } from './florist.ts';
import { furnitureMaker } from './furniture-maker.ts';
import { gadgetShop } from './gadget-shop.ts';
import { guestHouse } from './guest-house.ts';
import { languageSchool } from './language-school.ts';
import { laundry } from './laundry.ts';

/** All businesses that the local reader is measured on. */
export const EVALUATION_SETS: readonly EvaluationSet[] = [
  clothesShop,
  dentalClinic,
  drivingSchool,
  catering,
  gadgetShop,
  guestHouse,
  furnitureMaker,
  languageSchool,
  busCompany,
  florist,
  laundry,
  bakery,
];
