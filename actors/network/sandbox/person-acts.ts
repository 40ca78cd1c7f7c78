import { userJid } from '../jid.ts';
import { networkRefusal } from '../network-refusal.ts';
import { lidOf } from './addresses.ts';
import type { GroupWorld } from './group-answers.ts';
import type { MessageRouting } from './message-routing.ts';
import type { OfficialSide } from './official/graph-double.ts';
import type { Phone } from './phones.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

export interface PersonAct {
  /** `to` is digits. `change_number` moves the person to `to`; `write_own` writes as the owner. */
  readonly act: 'share_number' | 'change_number' | 'write_own' | 'set_timer' | 'preferences';
  readonly to: string;
  readonly body?: string;
  readonly recipients?: readonly string[];
  /** Timer in seconds; 0 disables it. */
  readonly ephemeral?: number;
  readonly marketing?: 'stop' | 'resume';
}

const PERSON_ACTS: ReadonlySet<string> = new Set<PersonAct['act']>([
  'share_number',
  'change_number',
  'write_own',
  'set_timer',
  'preferences',
]);

export const isPersonAct = (order: { readonly act: string }): order is PersonAct => PERSON_ACTS.has(order.act);

export function actAsPerson(
  parts: {
    readonly sandboxDeps: SandboxDeps;
    readonly post: MessageRouting;
    readonly groupWorld: GroupWorld;
    readonly official: OfficialSide;
  },
  phone: Phone,
  order: PersonAct,
): { readonly id?: string } {
  if (order.act === 'set_timer') {
    const { to, ephemeral = 0 } = order;
    if (to.endsWith('@g.us')) parts.groupWorld.rules.set(phone.digits, to, { ephemeral });
    else parts.post.setTimer(phone.digits, to.includes('@') ? to : userJid(to), ephemeral);
    return {};
  }
  if (order.act === 'write_own') return { id: writeOwn(parts.post, phone, order).netId };
  if (order.act === 'preferences') {
    const number = parts.official.numberOf(order.to);
    if (!number) throw networkRefusal(404, NOT_OFFICIAL);
    parts.official.prefer(phone, number, order.marketing ?? 'stop');
    return {};
  }
  if (order.act === 'share_number') {
    if (!parts.post.introductions.shareNumber(phone, order.to)) throw networkRefusal(409, NOT_HIDDEN);
    return {};
  }
  changeNumber(parts, phone, order.to);
  return {};
}

const LIST = 'list';

function writeOwn(post: MessageRouting, phone: Phone, { to, body = '', recipients = [] }: PersonAct) {
  if (to !== LIST) return post.write(phone, { to, content: { type: 'text', body } });
  if (recipients.length === 0) throw networkRefusal(409, NO_RECIPIENTS);
  return post.writeToList(phone, recipients, body);
}

function changeNumber({ sandboxDeps, post, official }: Parameters<typeof actAsPerson>[0], phone: Phone, to: string): void {
  const { phones, devices } = sandboxDeps;
  if (to === phone.digits) throw networkRefusal(409, SAME);
  if ([phone.digits, to].some((digits) => devices.of(digits).length > 0)) throw networkRefusal(409, LINKED);
  const next = phones.named(to);
  next.set({ ...phone.settings(), numberForms: next.numberForms });
  phone.set({ onNetwork: false, username: null, usernameKey: null });
  for (const number of official.numbers()) if (number.windows.has(phone.digits)) official.people.changedNumber(phone, number, to);
  for (const device of devices.all())
    post.introductions.announceChange(device, [phone.digits, ...(phone.lid ? [lidOf(phone.digits)] : [])], to);
}

const NO_RECIPIENTS = { en: 'the list has no recipients', id: 'daftar tidak punya penerima' };
const NOT_OFFICIAL = { en: 'that is not an official number', id: 'itu bukan nomor resmi' };
const NOT_HIDDEN = {
  en: 'every device linked to that number already knows the number of this phone',
  id: 'semua perangkat nomor itu sudah mengetahui nomor ponsel ini',
};
const SAME = { en: 'that is the number of this phone', id: 'itu nomor ponsel ini' };
const LINKED = { en: 'devices are linked to one of the two numbers', id: 'ada perangkat yang tertaut ke salah satu dari kedua nomor itu' };
