import { automotive } from './automotive.ts';
import { beauty } from './beauty.ts';
import { ecommerce } from './ecommerce.ts';
import { education } from './education.ts';
import { events } from './events.ts';
import { finance } from './finance.ts';
import { fitness } from './fitness.ts';
import { government } from './government.ts';
import { healthcare } from './healthcare.ts';
import { hospitality } from './hospitality.ts';
import { insurance } from './insurance.ts';
import { logistics } from './logistics.ts';
import { nonprofit } from './nonprofit.ts';
import { other } from './other.ts';
import type { Pack } from './pack.ts';
import { professionalServices } from './professional-services.ts';
import { realEstate } from './real-estate.ts';
import { restaurant } from './restaurant.ts';
import { retail } from './retail.ts';
import { saas } from './saas.ts';
import { travel } from './travel.ts';

export const PACKS: ReadonlyMap<string, Pack> = new Map(
  Object.entries({
    ecommerce,
    retail,
    restaurant,
    healthcare,
    beauty,
    fitness,
    education,
    real_estate: realEstate,
    automotive,
    travel,
    hospitality,
    logistics,
    finance,
    insurance,
    saas,
    professional_services: professionalServices,
    events,
    nonprofit,
    government,
    other,
  }),
);
