import type { BusinessChanges, BusinessProfile, OpenDay, OpeningHours } from '../../business.ts';
import { networkRefusal } from '../../network-refusal.ts';
import type { BinaryNode } from '../library.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { ask, child, children, el, textOf } from './query.ts';

/** Version of the query in which the network returns all fields. */
const READ_VERSION = '244';
const WRITE_VERSION = '3';
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MINUTES_OF_A_DAY = 1_440;
const NOT_FOUND = 404;

export async function businessOf(context: ConnectionContext, jid: string): Promise<BusinessProfile | null> {
  const answer = await ask(context, { type: 'get', xmlns: 'w:biz' }, [
    el('business_profile', { v: READ_VERSION }, [el('profile', { jid })]),
  ]);
  const profile = child(child(answer, 'business_profile'), 'profile');
  return profile ? readBusinessProfile(profile) : null;
}

export async function ownBusiness(context: ConnectionContext): Promise<BusinessProfile> {
  const profile = await businessOf(context, context.library.jidNormalizedUser(context.creds.me.id));
  if (!profile) throw networkRefusal(NOT_FOUND, NO_BUSINESS);
  return profile;
}

export const NO_BUSINESS = { en: 'this number is not a business account', id: 'nomor ini bukan akun bisnis' };

export async function changeBusiness(context: ConnectionContext, changes: BusinessChanges): Promise<BusinessProfile> {
  const inside = businessChanges(changes);
  if (inside.length > 0) {
    const change = el('business_profile', { v: WRITE_VERSION, mutation_type: 'delta' }, inside);
    await ask(context, { type: 'set', xmlns: 'w:biz' }, [change]);
  }
  return ownBusiness(context);
}

export function readBusinessProfile(profile: BinaryNode): BusinessProfile {
  const categories = children(child(profile, 'categories'), 'category');
  return {
    address: textOf(child(profile, 'address')) || null,
    description: textOf(child(profile, 'description')) || null,
    email: textOf(child(profile, 'email')) || null,
    websites: children(profile, 'website').flatMap((website) => textOf(website) || []),
    categories: categories.map(({ attrs }) => attrs['id'] ?? ''),
    category_names: categories.map((category) => textOf(category) ?? ''),
    hours: readHours(child(profile, 'business_hours')),
  };
}

function readHours(hours: BinaryNode | undefined): OpeningHours | null {
  const timezone = hours?.attrs['timezone'];
  return timezone ? { timezone, days: children(hours, 'business_hours_config').flatMap(({ attrs }) => readDay(attrs)) } : null;
}

/** Omits days without times, on which the business is open by appointment. */
function readDay({ day_of_week, mode, open_time, close_time }: BinaryNode['attrs']): readonly OpenDay[] {
  const day = DAYS.indexOf(day_of_week ?? '');
  if (day < 0) return [];
  if (mode === 'open_24h') return [{ day, open: '00:00', close: '24:00' }];
  return mode === 'specific_hours' ? [{ day, open: clockTime(Number(open_time)), close: clockTime(Number(close_time)) }] : [];
}

/** An empty list is written as one empty element, because the network ignores an empty list. */
export function businessChanges({ address, description, email, websites, categories, hours }: BusinessChanges): BinaryNode[] {
  return [
    ...(address !== undefined ? [el('address', {}, Buffer.from(address ?? ''))] : []),
    ...(description !== undefined ? [el('description', {}, Buffer.from(description ?? ''))] : []),
    ...(email !== undefined ? [el('email', {}, Buffer.from(email ?? ''))] : []),
    ...(websites ? (websites.length > 0 ? websites : ['']).map((website) => el('website', {}, Buffer.from(website))) : []),
    ...(categories
      ? [
          el(
            'categories',
            {},
            categories.map((id) => el('category', { id })),
          ),
        ]
      : []),
    ...(hours !== undefined ? [writtenHours(hours)] : []),
  ];
}

const writtenHours = (hours: OpeningHours | null): BinaryNode =>
  hours ? el('business_hours', { timezone: hours.timezone }, hours.days.map(writtenDay)) : el('business_hours');

function writtenDay({ day, open, close }: OpenDay): BinaryNode {
  const day_of_week = DAYS[day] ?? '';
  const [open_time, close_time] = [minutesOf(open), minutesOf(close)];
  if (open_time === 0 && close_time === MINUTES_OF_A_DAY) return el('business_hours_config', { day_of_week, mode: 'open_24h' });
  return el('business_hours_config', { day_of_week, mode: 'specific_hours', open_time: `${open_time}`, close_time: `${close_time}` });
}

const minutesOf = (time: string): number => {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
};

const clockTime = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
