import { child, children, el, type Stanza, textOf } from '../stanza.ts';
import type { Query } from './query.ts';

/** The profile that a business shows. */
export interface BusinessFacts {
  address: string;
  description: string;
  email: string;
  websites: readonly string[];
  categories: readonly { readonly id: string; readonly name: string }[];
  hours: { readonly timezone: string; readonly days: readonly Day[] } | null;
}

interface Day {
  readonly day_of_week: string;
  readonly mode: string;
  readonly open_time?: string;
  readonly close_time?: string;
}

export const NEW_BUSINESS: BusinessFacts = { address: '', description: '', email: '', websites: [], categories: [], hours: null };

const DAYS = new Set(['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']);
const MODES = new Set(['specific_hours', 'open_24h', 'appointment_only']);
const MAX_WEBSITES = 2;
const MINUTES_OF_A_DAY = 1_440;
const NAMES: Readonly<Record<string, string>> = { '629412378414563': 'Automotive Service', '1223524174334504': 'Food & Beverage' };

const unacceptable = { error: 406, text: 'not-acceptable' } as const;

export const businessProfile: Query = ({ directory }, _linked, asked) => {
  if (asked.attrs['v'] !== '244') return unacceptable;
  const profiles = children(asked, 'profile').flatMap(({ attrs: { jid = '' } }) => {
    const business = directory.of(jid)?.business;
    return business ? [el('profile', { jid, tag: '1' }, shown(business))] : [];
  });
  return [el('business_profile', { v: 244 }, profiles)];
};

function shown({ address, description, email, websites, categories, hours }: BusinessFacts): readonly Stanza[] {
  return [
    ...(address ? [el('address', {}, address)] : []),
    el('description', {}, description),
    ...websites.map((website) => el('website', {}, website)),
    ...(email ? [el('email', {}, email)] : []),
    el(
      'categories',
      {},
      categories.map(({ id, name }) => el('category', { id }, name)),
    ),
    ...(hours
      ? [
          el(
            'business_hours',
            { timezone: hours.timezone },
            hours.days.map((day) => el('business_hours_config', { ...day })),
          ),
        ]
      : []),
  ];
}

/**
 * Changes only the given fields of a business profile. Like the network, rejects the whole change if one value is
 * unknown.
 */
export const setBusinessProfile: Query = ({ people }, linked, asked) => {
  const { business } = linked.account;
  if (!business) return { error: 403, text: 'forbidden' };
  if (asked.attrs['v'] !== '3' || asked.attrs['mutation_type'] !== 'delta') return unacceptable;
  const changes = changesOf(asked);
  if (!changes) return unacceptable;
  linked.account.business = { ...business, ...changes };
  people.accountChanged(linked.account, 'business', [el('profile', { jid: linked.account.jid, tag: '2' })]);
  return [el('business_profile', { v: 3 }, [])];
};

function changesOf(asked: Stanza): Partial<BusinessFacts> | null {
  const changes: Partial<BusinessFacts> = {};
  for (const { tag } of children(asked)) {
    if (tag === 'address' || tag === 'description' || tag === 'email') changes[tag] = textOf(asked, tag);
    else if (tag === 'website')
      changes.websites = children(asked, 'website')
        .map((each) => textOf(each))
        .filter(Boolean);
    else if (tag === 'categories')
      changes.categories = children(child(asked, tag), 'category').map(({ attrs: { id = '' } }) => ({ id, name: NAMES[id] ?? id }));
    else if (tag === 'business_hours') {
      const hours = hoursOf(child(asked, tag));
      if (hours === undefined) return null;
      changes.hours = hours;
    } else return null;
  }
  return (changes.websites ?? []).length > MAX_WEBSITES || children(asked, 'website').length > MAX_WEBSITES ? null : changes;
}

/** Returns undefined for invalid hours, and null if they were removed. */
function hoursOf(node: Stanza | undefined): BusinessFacts['hours'] | undefined {
  const days = children(node, 'business_hours_config').map(({ attrs }) => attrs as unknown as Day);
  if (days.length === 0) return null;
  const { timezone } = node?.attrs ?? {};
  return timezone && days.every(isDay) ? { timezone, days } : undefined;
}

const isDay = ({ day_of_week, mode, open_time, close_time }: Day): boolean =>
  DAYS.has(day_of_week) && MODES.has(mode) && (mode !== 'specific_hours' || (isMinutes(open_time) && isMinutes(close_time)));

const isMinutes = (text: string | undefined): boolean => text !== undefined && /^\d{1,4}$/.test(text) && Number(text) < MINUTES_OF_A_DAY;

/** Obsolete catalogue query, to which the network does not respond. */
export const silence: Query = () => 'silence';
