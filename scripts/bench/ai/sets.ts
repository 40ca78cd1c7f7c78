import { bakery } from './bakery.ts';
import { busCompany } from './bus-company.ts';
import { catering } from './catering.ts';
import { clothesShop } from './clothes-shop.ts';
import { dentalClinic } from './dental-clinic.ts';
import { drivingSchool } from './driving-school.ts';
import type { EvaluationSet } from './evaluation-set.ts';
import { coworking } from './first-sight/coworking.ts';
import { gym } from './first-sight/gym.ts';
import { motorWorkshop } from './first-sight/motor-workshop.ts';
import { optician } from './first-sight/optician.ts';
import { vetClinic } from './first-sight/vet-clinic.ts';
import { florist } from './florist.ts';
import { furnitureMaker } from './furniture-maker.ts';
import { gadgetShop } from './gadget-shop.ts';
import { guestHouse } from './guest-house.ts';
import { languageSchool } from './language-school.ts';
import { laundry } from './laundry.ts';
import { carRental } from './second-sight/car-rental.ts';
import { diveCentre } from './second-sight/dive-centre.ts';
import { photoStudio } from './second-sight/photo-studio.ts';
import { printShop } from './second-sight/print-shop.ts';
import { salon } from './second-sight/salon.ts';

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

/**
 * Sets whose author had not seen any word list. Later figures are optimistic, because rules were
 * added since then.
 */
export const FIRST_SIGHT_SETS: readonly EvaluationSet[] = [vetClinic, gym, optician, motorWorkshop, coworking];

/** Sets whose author had read neither the word lists nor the code. Rules were not changed for them. */
export const SECOND_SIGHT_SETS: readonly EvaluationSet[] = [salon, printShop, carRental, diveCentre, photoStudio];
