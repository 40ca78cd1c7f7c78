import type { HealthColor, HealthReason, HealthSign } from '../../../store/accounts/tenant-health.ts';
import type { DeviceRestriction, DeviceRow } from '../../../store/devices/devices.ts';
import { isLoginRefusal, type LoginRefusal } from '../refused-login.ts';
import { type CampaignFigures, type ComplaintLimits, complaintsIn } from './complaints.ts';

/**
 * The health sign of a device: a color and its reasons. Pure; the previous sign is passed in, so
 * that reasons keep their `since`.
 */

export interface TrafficFigures {
  readonly sent: number;
  readonly delivered: number;
  readonly failed: number;
  readonly received: number;
}

/** Moments are epoch ms. */
export interface DeviceFacts {
  readonly device: Pick<DeviceRow, '_id' | 'status' | 'reason' | 'reason_since' | 'reconnects' | 'offline_since'>;
  /** The current limit on first contacts; null when unrestricted. */
  readonly restriction: DeviceRestriction | null;
  /** Messages created between 25 h and 1 h ago, so that their receipts have had an hour. */
  readonly day: TrafficFigures;
  /** Messages of the seven days before that. */
  readonly week: TrafficFigures;
  /** Campaign messages of the last seven days. */
  readonly campaigns: CampaignFigures;
  /**
   * Start of the last quarter of an hour with an inbound message, epoch ms; null if the last eight
   * days had no inbound message.
   */
  readonly lastInboundAt: number | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Time for which a reason stays, so that the color does not flap. */
const STAYS_MS = HOUR_MS;
/** Minimum messages for a rate, in a day and in a week. */
const ENOUGH = 20;
const ENOUGH_A_WEEK = 50;

type Found = Omit<HealthReason, 'since'> & { readonly since?: number };

/** A continuing reason keeps its `since`; an ended one stays for an hour after it began. */
export function signOf(facts: DeviceFacts, before: HealthSign | null, limits: ComplaintLimits, now: number): HealthSign {
  const { _id: device, status, reason } = facts.device;
  const isLinking = status === 'pending' || status === 'qr_ready';
  // A device that is being linked has no reasons, unless the network refuses to link it.
  if (isLinking && !isLoginRefusal(reason)) return { device, color: 'green', reasons: [] };
  const known = new Map(before?.reasons.map((reason) => [reason.what, reason]));
  const found = reasonsOf(facts, limits, now).map((reason) => ({ ...reason, since: known.get(reason.what)?.since ?? reason.since ?? now }));
  const isFound = new Set(found.map(({ what }) => what));
  const lasting = [...known.values()].filter(({ what, since }) => !isFound.has(what) && isLasting(what) && now - since < STAYS_MS);
  const reasons = [...found, ...lasting].toSorted((one, other) => WEIGHT[other.color] - WEIGHT[one.color] || one.since - other.since);
  return { device, color: reasons[0]?.color ?? 'green', reasons };
}

/** Connection states are known, not estimated, so they end at once. */
const isLasting = (what: HealthReason['what']): boolean =>
  what !== 'failed' && what !== 'offline' && what !== 'restricted' && !isLoginRefusal(what);

const WEIGHT: Readonly<Record<HealthColor, number>> = { green: 0, yellow: 1, red: 2 };
const RED = 1_000;

/** Higher is worse; one red device outranks any number of yellow ones. */
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

/** `figure`: minutes. */
const refused = (what: LoginRefusal, since: number, now: number): Found => ({
  what,
  color: 'red',
  figure: Math.floor((now - since) / MINUTE_MS),
  since,
});

/** Falling delivery, the first effect of a silent block. `figure`: delivered share of the day's sent messages, 0–1. */
function delivery({ day, week }: DeviceFacts): Found[] {
  if (day.sent < ENOUGH || week.sent < ENOUGH_A_WEEK) return [];
  const [now, usual] = [day.delivered / day.sent, week.delivered / week.sent];
  if (now >= usual * 0.8) return [];
  return [{ what: 'delivery', color: now < usual * 0.5 ? 'red' : 'yellow', figure: round(now) }];
}

/** `figure`: failed share of the day's attempts, 0–1. */
function failing({ day }: DeviceFacts): Found[] {
  const tried = day.sent + day.failed;
  const share = day.failed / tried;
  if (tried < ENOUGH || share < 0.2) return [];
  return [{ what: 'failing', color: share >= 0.5 ? 'red' : 'yellow', figure: round(share) }];
}

/** `figure`: per thousand campaign messages, or a share of them (0–1). */
const complaints = ({ campaigns }: DeviceFacts, limits: ComplaintLimits): Found[] =>
  complaintsIn(campaigns, limits).map(({ what, figure, times }) => ({ what, color: times >= 2.5 ? 'red' : 'yellow', figure }));

/** `figure`: reconnects in 24 hours. */
function reconnects({ device }: DeviceFacts, now: number): Found[] {
  const count = Math.max(0, device.reconnects.filter((at) => now - at < DAY_MS).length - 1);
  return count < 10 ? [] : [{ what: 'reconnects', color: count >= 30 ? 'red' : 'yellow', figure: count }];
}

/** The device is online and usually receives messages, but none for a day. `figure`: hours. */
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
    en: "The network no longer accepts this gateway's version. Ask the operator to update it; the device then connects by itself.",
    id: 'Jaringan tidak lagi menerima versi gateway ini. Minta pengelola memperbaruinya; perangkat lalu tersambung sendiri.',
  },
  banned_temporarily: {
    en: 'The network banned this number for a while. Wait: the device connects by itself when the ban ends.',
    id: 'Jaringan memblokir nomor ini untuk sementara. Tunggu: perangkat tersambung sendiri setelah blokir berakhir.',
  },
  network_refused: {
    en: 'The network refuses the login. The device tries again every hour; tell the operator if it stays so.',
    id: 'Jaringan menolak login. Perangkat mencoba lagi setiap jam; beri tahu pengelola jika tetap begitu.',
  },
  offline: { en: 'Make sure that the phone is on and online.', id: 'Pastikan ponsel menyala dan tersambung ke internet.' },
  restricted: {
    en: 'Write to nobody new until it ends; answer those who write.',
    id: 'Jangan menghubungi orang baru sampai pembatasan berakhir; balas orang yang menghubungi Anda.',
  },
  delivery: {
    en: 'Slow down: fewer campaigns, only to people who expect them.',
    id: 'Perlambat: kurangi kampanye, hanya kepada orang yang menunggunya.',
  },
  failing: {
    en: 'Check the numbers before sending, and look at the errors in the log.',
    id: 'Periksa nomor sebelum mengirim, dan lihat galat di log.',
  },
  opt_outs: { en: 'Send less often, and only to people who agreed.', id: 'Kirim lebih jarang, dan hanya kepada yang setuju.' },
  blocks: {
    en: 'Write only to people who agreed: customers who had a campaign were blocked.',
    id: 'Kirim hanya kepada yang setuju: pelanggan yang menerima kampanye diblokir.',
  },
  first_contacts: {
    en: 'Write mostly to people who know this number; let others write first.',
    id: 'Kirim terutama kepada yang mengenal nomor ini; biarkan yang lain menulis lebih dulu.',
  },
  lookups: {
    en: 'Remove numbers that are not on the network from your lists.',
    id: 'Hapus nomor yang tidak ada di jaringan dari daftar Anda.',
  },
  reconnects: {
    en: "Check the phone's connection, and that no other program uses the account.",
    id: 'Periksa koneksi ponsel, dan pastikan tidak ada program lain yang memakai akun ini.',
  },
  silence: {
    en: 'Ask somebody to write to this number: it may be blocked.',
    id: 'Minta seseorang menulis ke nomor ini: mungkin diblokir.',
  },
};
