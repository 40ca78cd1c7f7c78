import type { DeviceRestriction, DeviceRow, SessionStatus, Slowed } from '../../../store/devices/devices.ts';
import type { MovingLogin } from '../../../store/devices/moving-login.ts';
import type { Habit } from '../../../store/devices/network-habits.ts';
import type { Owner } from '../../../store/messaging/message-row.ts';
import { habitsOf } from '../../domain/network-habits.ts';
import type { YoungDay } from '../../domain/warm-up.ts';
import type { HistoryWanted } from '../../network/history.ts';
import type { Credentials } from '../../network/port.ts';

export interface Pacing {
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  /** Show a typing indicator before a text. */
  readonly typing?: boolean;
  /** For so many days after it was linked a device is young (domain/warm-up.ts); null: never. */
  readonly warmupDays?: number | null;
}

/** The messages that may leave now. */
export interface SendBudget {
  readonly gate: Gate;
  /** A limit of any kind makes it matter whose turn it is; else the first go. */
  readonly isWatched: boolean;
  /** Of a young device. */
  readonly day: YoungDay | null;
  /** How many campaign messages may be among them. */
  readonly campaigns: number;
}

/** What people set; read from the store when a device wakes, before each connection, and when it is told that they changed. */
export interface DeviceSettings {
  readonly ignore: { readonly groups: boolean; readonly channels: boolean };
  readonly proxyUrl: string | null;
  readonly pacing: Pacing;
  /** Habits that the device has on the wire, from its next connection on. */
  readonly habits: readonly Habit[];
  /** What is taken over when a phone is linked. */
  readonly history: HistoryWanted;
  /** A number on the vendor's business platform: no phone, no linking, no warm-up. */
  readonly isOfficial: boolean;
}

/** What the configuration says for all devices; `history`: messages of each chat. */
export interface Installed {
  readonly habits: readonly Habit[];
  readonly history: number;
}

/** Of a device whose owner wants some months though the configuration names no number of messages. */
const MOST_OF_A_CHAT = 1_000;

function historyOf({ history: most }: Installed, own: DeviceRow['history']): HistoryWanted {
  const months = own?.months ?? null;
  if (months === null) return { most, months };
  return { most: months === 0 ? 0 : most || MOST_OF_A_CHAT, months };
}

export const settingsOf = (
  { ignore, proxy_url, habits, history, official = null }: Pick<DeviceRow, 'ignore' | 'proxy_url' | 'habits' | 'history' | 'official'>,
  pacing: Pacing,
  installed: Installed,
): DeviceSettings => ({
  ignore,
  proxyUrl: proxy_url,
  pacing: official === null ? pacing : UNPACED,
  habits: habitsOf(installed.habits, habits),
  history: historyOf(installed, history),
  isOfficial: official !== null,
});

/** The platform has limits of its own, and says when one is reached. */
const UNPACED: Pacing = { minDelayMs: 0, maxDelayMs: 0, typing: false, warmupDays: null };

/** Stands for the login of an official number, whose keys are read when it connects. */
export const OFFICIAL_LOGIN: Credentials = { driver: 'official' };

/** The credentials that a device logs in with; null: it has to be linked first. */
export const loginOf = ({ credentials, official = null }: Pick<DeviceRow, 'credentials' | 'official'>): Credentials | null =>
  official === null ? credentials : OFFICIAL_LOGIN;

export interface DeviceFacts extends DeviceSettings {
  readonly owner: Owner;
  readonly credentials: Credentials | null;
  readonly phone: string | null;
  /** The last login that was taken over from another program; null: none was. */
  readonly moving: MovingLogin | null;
  readonly wanted: boolean;
  /** As stored when it woke, with the reason why it was not connected then. */
  readonly status: SessionStatus;
  readonly reason: string | null;
  /** When it is to log in again after a refused login, epoch ms; null: at once. */
  readonly retryAt: number | null;
  /** When the phone was linked; null: never, or before that was noted. */
  readonly linkedAt: number | null;
  /** When the network last told all groups of this account; null: never. */
  readonly groupsListedAt: number | null;
  /** As stored. */
  readonly warmupUntil: number | null;
  readonly restriction: DeviceRestriction | null;
  /** As stored when it woke. */
  readonly slowed: Slowed | null;
  /** Login times of the last 24 h, oldest first. */
  readonly reconnects: readonly number[];
  /** Something happened before that is perhaps not recorded as an event yet. */
  readonly unpublished: boolean;
}

/**
 * The lanes that may leave now. Replies have a pause of their own, which planned messages never lengthen; planned messages also keep their distance
 * from replies; first contacts come last and slowest. The gate of campaigns is also shut while one of their messages (several where nothing slows
 * the device down: see `campaignRoom`) is on the wire, so that a cancel or a STOP finds all others still in their lane.
 */
export const GATES = { shut: 0, replies: 1, scheduled: 2, campaigns: 3, firstContacts: 4 } as const;
export type Gate = (typeof GATES)[keyof typeof GATES];

/** When each may leave next, epoch ms. */
export interface Pace {
  readonly replies: number;
  readonly planned: number;
  readonly strangers: number;
  /** A young device has sent what it may until then. */
  readonly spentUntil: number;
}
