import type { HealthColor, HealthReason, HealthSign } from '../../../store/accounts/tenant-health.ts';
import type { DeviceRestriction, DeviceRow } from '../../../store/devices/devices.ts';
import { isLoginRefusal, type LoginRefusal } from '../refused-login.ts';
import { type CampaignFigures, type ComplaintLimits, complaintsIn } from './complaints.ts';

/**
 * Computes the health sign of a device: a color and its reasons. Pure. The previous sign is passed
 * in, so that a reason keeps the time at which it began (`since`).
 */

export interface TrafficFigures {
  readonly sent: number;
  readonly delivered: number;
  readonly failed: number;
  readonly received: number;
}

export interface DeviceFacts {
  readonly device: Pick<DeviceRow, '_id' | 'status' | 'reason' | 'reason_since' | 'reconnects' | 'offline_since'>;
  readonly restriction: DeviceRestriction | null;
  /** Messages created between 25 hours and 1 hour ago. Their receipts have had an hour to arrive. */
  readonly day: TrafficFigures;
  readonly week: TrafficFigures;
  readonly campaigns: CampaignFigures;
  readonly lastInboundAt: number | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const STAYS_MS = HOUR_MS;
const ENOUGH = 20;
const ENOUGH_A_WEEK = 50;

type Found = Omit<HealthReason, 'since'> & { readonly since?: number };

export function signOf(facts: DeviceFacts, before: HealthSign | null, limits: ComplaintLimits, now: number): HealthSign {
  const { _id: device, status, reason } = facts.device;
  const isLinking = status === 'pending' || status === 'qr_ready';
  // A device being linked has no health problems yet, unless the network refuses to link it.
  if (isLinking && !isLoginRefusal(reason)) return { device, color: 'green', reasons: [] };
  const known = new Map(before?.reasons.map((reason) => [reason.what, reason]));
  const found = reasonsOf(facts, limits, now).map((reason) => ({ ...reason, since: known.get(reason.what)?.since ?? reason.since ?? now }));
  const isFound = new Set(found.map(({ what }) => what));
  const lasting = [...known.values()].filter(({ what, since }) => !isFound.has(what) && isLasting(what) && now - since < STAYS_MS);
  const reasons = [...found, ...lasting].toSorted((one, other) => WEIGHT[other.color] - WEIGHT[one.color] || one.since - other.since);
  return { device, color: reasons[0]?.color ?? 'green', reasons };
}

/** Whether a reason may outlast its cause. Reasons about connection and login end with their cause. */
const isLasting = (what: HealthReason['what']): boolean =>
  what !== 'failed' && what !== 'offline' && what !== 'restricted' && !isLoginRefusal(what);

const WEIGHT: Readonly<Record<HealthColor, number>> = { green: 0, yellow: 1, red: 2 };
const RED = 1_000;

/** Higher is worse. One red device outranks any number of yellow ones. */
export const rankOf = (signs: readonly HealthSign[]): number =>
  signs.reduce((sum, { color }) => sum + (color === 'red' ? RED : WEIGHT[color]), 0);

function reasonsOf(facts: DeviceFacts, limits: ComplaintLimits, now: number): Found[] {
  return [
    ...connection(facts, now),
    ...delivery(facts),
    ...failing(facts),
    ...complaints(facts, limits),
    ...reconnects(facts, now),
    ...silence(facts, now),
  ];
}

function connection({ device, restriction }: DeviceFacts, now: number): Found[] {
  const { status, reason, reason_since, offline_since } = device;
  if (status !== 'connected' && isLoginRefusal(reason)) return [refused(reason, reason_since ?? now, now)];
  const since = offline_since ?? now;
  const minutes = Math.floor((now - since) / MINUTE_MS);
  if (status === 'failed') return [{ what: 'failed', color: 'red', figure: minutes, since }];
  const restricted: Found[] = restriction ? [{ what: 'restricted', color: 'red', figure: restriction.new_chats_used ?? 0 }] : [];
  if (status !== 'disconnected' || minutes < 5) return restricted;
  return [{ what: 'offline', color: minutes >= 60 ? 'red' : 'yellow', figure: minutes, since }, ...restricted];
}

const refused = (what: LoginRefusal, since: number, now: number): Found => ({
  what,
  color: 'red',
  figure: Math.floor((now - since) / MINUTE_MS),
  since,
});

/** Falling delivery is the first sign of a silent block. */
function delivery({ day, week }: DeviceFacts): Found[] {
  if (day.sent < ENOUGH || week.sent < ENOUGH_A_WEEK) return [];
  const [now, usual] = [day.delivered / day.sent, week.delivered / week.sent];
  if (now >= usual * 0.8) return [];
  return [{ what: 'delivery', color: now < usual * 0.5 ? 'red' : 'yellow', figure: round(now) }];
}

function failing({ day }: DeviceFacts): Found[] {
  const tried = day.sent + day.failed;
  const share = day.failed / tried;
  if (tried < ENOUGH || share < 0.2) return [];
  return [{ what: 'failing', color: share >= 0.5 ? 'red' : 'yellow', figure: round(share) }];
}

const complaints = ({ campaigns }: DeviceFacts, limits: ComplaintLimits): Found[] =>
  complaintsIn(campaigns, limits).map(({ what, figure, times }) => ({ what, color: times >= 2.5 ? 'red' : 'yellow', figure }));

function reconnects({ device }: DeviceFacts, now: number): Found[] {
  const count = Math.max(0, device.reconnects.filter((at) => now - at < DAY_MS).length - 1);
  return count < 10 ? [] : [{ what: 'reconnects', color: count >= 30 ? 'red' : 'yellow', figure: count }];
}

function silence({ device, week, lastInboundAt }: DeviceFacts, now: number): Found[] {
  if (device.status !== 'connected' || week.received < ENOUGH || lastInboundAt === null) return [];
  const hours = Math.floor((now - lastInboundAt) / HOUR_MS);
  return hours < 24 ? [] : [{ what: 'silence', color: 'yellow', figure: hours, since: lastInboundAt }];
}

const round = (share: number): number => Math.round(share * 1_000) / 1_000;

type Lang = 'en' | 'id';

export const ADVICE: Readonly<Record<HealthReason['what'], Readonly<Record<Lang, string>>>> = {
  failed: {
    en: 'Link the phone again; if it was banned, ask for a review in its app.',
    id: 'Tautkan ulang ponsel; jika diblokir, ajukan peninjauan di aplikasinya.',
  },
  client_outdated: {
    en: 'The network no longer accepts this version of the gateway. Ask the operator to update it; the device then reconnects automatically.',
    id: 'Jaringan tidak lagi menerima versi gateway ini. Minta operator memperbaruinya; setelah itu perangkat tersambung kembali secara otomatis.',
  },
  banned_temporarily: {
    en: 'The network has banned this number temporarily. The device reconnects automatically when the ban ends.',
    id: 'Jaringan memblokir nomor ini untuk sementara. Perangkat tersambung kembali secara otomatis setelah blokir berakhir.',
  },
  network_refused: {
    en: 'The network refuses the login. The device tries again every hour; tell the operator if this continues.',
    id: 'Jaringan menolak login. Perangkat mencoba lagi setiap jam; beri tahu operator jika hal ini berlanjut.',
  },
  offline: { en: 'Make sure that the phone is on and online.', id: 'Pastikan ponsel menyala dan tersambung ke internet.' },
  restricted: {
    en: 'Do not message new people until the restriction ends. You can still reply to people who message you.',
    id: 'Jangan menghubungi orang baru sampai pembatasan berakhir. Anda tetap dapat membalas orang yang menghubungi Anda.',
  },
  delivery: {
    en: 'Slow down: send fewer campaigns, and only to people who expect them.',
    id: 'Perlambat pengiriman: kurangi kampanye, dan kirim hanya kepada orang yang memang menantikannya.',
  },
  failing: {
    en: 'Check the numbers before sending, and look at the errors in the log.',
    id: 'Periksa nomor sebelum mengirim, dan lihat galat di log.',
  },
  opt_outs: { en: 'Send less often, and only to people who agreed to it.', id: 'Kirim lebih jarang, dan hanya kepada yang setuju.' },
  blocks: {
    en: 'Send campaigns only to people who agreed to them: your team blocked customers who received one.',
    id: 'Kirim kampanye hanya kepada orang yang setuju: tim Anda memblokir pelanggan yang menerimanya.',
  },
  first_contacts: {
    en: 'Message mainly people who know this number, and let others write first.',
    id: 'Kirim pesan terutama kepada orang yang mengenal nomor ini, dan biarkan yang lain mengirim pesan lebih dulu.',
  },
  lookups: {
    en: 'Remove numbers that are not on the network from your lists.',
    id: 'Hapus nomor yang tidak ada di jaringan dari daftar Anda.',
  },
  reconnects: {
    en: "Check the phone's connection, and make sure that no other program uses the account.",
    id: 'Periksa koneksi ponsel, dan pastikan tidak ada program lain yang memakai akun ini.',
  },
  silence: {
    en: 'Ask someone to message this number: it may be blocked.',
    id: 'Minta seseorang mengirim pesan ke nomor ini: mungkin nomor ini diblokir.',
  },
};
