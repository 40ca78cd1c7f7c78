import type { Profile, TenantRow } from '../../../store/accounts/tenants.ts';
import { countryFacts, isCountry } from '../../domain/countries.ts';

export const INDUSTRIES: readonly string[] = [
  'ecommerce',
  'retail',
  'restaurant',
  'healthcare',
  'beauty',
  'fitness',
  'education',
  'real_estate',
  'automotive',
  'travel',
  'hospitality',
  'logistics',
  'finance',
  'insurance',
  'saas',
  'professional_services',
  'events',
  'nonprofit',
  'government',
  'other',
];

export const LOCALES: readonly Profile['locale'][] = ['en', 'id'];

export interface BusinessProfile extends Profile {
  readonly calling_code: string;
  readonly suggested_timezones: readonly string[];
  readonly industries: readonly string[];
  readonly locales: readonly string[];
}

export function toBusinessProfile({ profile }: Pick<TenantRow, 'profile'>): BusinessProfile {
  const zones = isCountry(profile.country) ? countryFacts(profile.country).zones : [];
  return {
    ...profile,
    calling_code: callingCodeOf(profile),
    suggested_timezones: zones.includes(profile.timezone) ? zones : [profile.timezone, ...zones],
    industries: INDUSTRIES,
    locales: LOCALES,
  };
}

export const callingCodeOf = ({ country }: Profile): string => (isCountry(country) ? countryFacts(country).callingCode : '');
