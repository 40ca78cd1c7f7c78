import { Refusal } from '../../../../runtime/errors.ts';
import { type Timer, timerOf } from '../../../domain/message-timers.ts';
import { type Privacy, type PrivacyChanges, VISIBILITIES, type Visibility, type VisibleTo } from '../../account.ts';
import type { BinaryNode } from '../library.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { ask, child, children, el } from './query.ts';

/** The network's names for the settings. `status` is missing, because only the phone can change it. */
const CATEGORIES: Readonly<Record<Exclude<Visibility, 'status'>, string>> = {
  last_seen: 'last',
  online: 'online',
  picture: 'profile',
  about: 'status',
  groups: 'groupadd',
  calls: 'calladd',
};
const READ_RECEIPTS = 'readreceipts';
const [AS_LAST_SEEN, KNOWN] = ['match_last_seen', 'known'];
const VALUES: Readonly<Record<string, VisibleTo>> = { all: 'all', contacts: 'contacts', none: 'none', [KNOWN]: 'contacts' };

const ONLINE = {
  en: 'on this network, your online status can be visible to everyone or to the people who can see your last seen',
  id: 'di jaringan ini, status online hanya dapat ditampilkan kepada semua orang atau kepada orang yang dapat melihat terakhir dilihat',
};
const CALLS = {
  en: 'on this network, calls can be allowed from everyone or from contacts',
  id: 'jaringan ini mengizinkan panggilan dari semua orang atau kontak',
};
const STATUS = { en: 'this can only be changed on the phone', id: 'ini hanya dapat diubah di ponsel' };

export async function privacyOf(context: ConnectionContext): Promise<Privacy> {
  const answer = await ask(context, { type: 'get', xmlns: 'privacy' }, [el('privacy')]);
  const timer = await ask(context, { type: 'get', xmlns: 'disappearing_mode' }, [el('disappearing_mode')]).catch(refusedAs(null));
  const status = await ask(context, { type: 'get', xmlns: 'status' }, [el('privacy')]).catch(refusedAs(null));
  const known = new Map(children(child(answer, 'privacy'), 'category').map(({ attrs }) => [attrs['name'], attrs['value'] ?? '']));
  return readPrivacy(known, timerIn(timer), statusIn(status));
}

/** Turns a refusal into `value`, so that the other settings can be read even if one query is refused. */
const refusedAs =
  (value: null) =>
  (cause: unknown): null => {
    if (cause instanceof Refusal && cause.code !== 'DEVICE_TIMEOUT') return value;
    throw cause;
  };

const timerIn = (answer: BinaryNode | null): Timer =>
  timerOf(Number(child(answer ?? undefined, 'disappearing_mode')?.attrs['duration'])) ?? 0;

function statusIn(answer: BinaryNode | null): VisibleTo | null {
  const lists = children(child(answer ?? undefined, 'privacy'), 'list');
  const { attrs } = lists.find((list) => list.attrs['default'] === 'true') ?? lists[0] ?? { attrs: {} };
  return 'type' in attrs && attrs['type'] === 'contacts' ? 'contacts' : null;
}

export function readPrivacy(known: ReadonlyMap<string | undefined, string>, default_timer: Timer, status: VisibleTo | null): Privacy {
  const read = (name: string): VisibleTo | null => VALUES[known.get(name) ?? ''] ?? null;
  const online = known.get('online') === AS_LAST_SEEN ? read('last') : read('online');
  const [last_seen, picture, about, groups, calls] = [read('last'), read('profile'), read('status'), read('groupadd'), read('calladd')];
  return { last_seen, online, picture, about, status, groups, calls, read_receipts: known.get(READ_RECEIPTS) !== 'none', default_timer };
}

export async function changePrivacy(context: ConnectionContext, changes: PrivacyChanges): Promise<Privacy> {
  const before = await privacyOf(context);
  for (const [name, value] of privacyChanges(before, changes))
    await ask(context, { type: 'set', xmlns: 'privacy' }, [el('privacy', {}, [el('category', { name, value })])]);
  if (changes.default_timer !== undefined)
    await ask(context, { type: 'set', xmlns: 'disappearing_mode' }, [el('disappearing_mode', { duration: `${changes.default_timer}` })]);
  return privacyOf(context);
}

/** Fails with VALIDATION_FAILED if a value is not supported. Nothing is set in that case. */
export function privacyChanges(before: Privacy, changes: PrivacyChanges): readonly (readonly [string, string])[] {
  const visible = VISIBILITIES.flatMap((field) => {
    const value = changes[field];
    return value === undefined || value === before[field] ? [] : [categoryOf(field, value, changes.last_seen ?? before.last_seen)];
  });
  const { read_receipts } = changes;
  return [...visible, ...(read_receipts === undefined ? [] : [[READ_RECEIPTS, read_receipts ? 'all' : 'none'] as const])];
}

function categoryOf(field: Visibility, value: VisibleTo, lastSeen: VisibleTo | null): readonly [string, string] {
  switch (field) {
    case 'status':
      throw new Refusal('VALIDATION_FAILED', { field, reason: STATUS });
    case 'online':
      if (value !== 'all' && value !== lastSeen) throw new Refusal('VALIDATION_FAILED', { field, reason: ONLINE });
      return [CATEGORIES.online, value === 'all' ? value : AS_LAST_SEEN];
    case 'calls':
      if (value === 'none') throw new Refusal('VALIDATION_FAILED', { field, reason: CALLS });
      return [CATEGORIES.calls, value === 'all' ? value : KNOWN];
    default:
      return [CATEGORIES[field], value];
  }
}
