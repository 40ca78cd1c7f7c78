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
  readonly typing?: boolean;
  /** Days after linking during which a device is in warm-up (domain/warm-up.ts); null when it has no warm-up. */
  readonly warmupDays?: number | null;
}

export interface SendBudget {
  readonly gate: Gate;
  /** Whether any limit applies, so that the choice of the next message matters; otherwise the first ones are sent. */
  readonly isWatched: boolean;
  /** Warm-up day of the device; null when it is not in warm-up. */
  readonly day: YoungDay | null;
  readonly campaigns: number;
}

/** Settings made by users. Read from the store when a device wakes, before each connection, and when they change. */
export interface DeviceSettings {
  readonly ignore: { readonly groups: boolean; readonly channels: boolean };
  readonly proxyUrl: string | null;
  readonly pacing: Pacing;
  /** Habits that apply from the next connection. */
  readonly habits: readonly Habit[];
  readonly history: HistoryWanted;
  /** A number on the vendor's business platform: no phone, no linking, no warm-up. */
  readonly isOfficial: boolean;
}

/** Configuration for all devices; `history`: messages per chat. */
export interface Installed {
  readonly habits: readonly Habit[];
  readonly history: number;
}

/** Messages per chat for a device whose owner wants some months of history while the configuration sets no number. */
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

/** No pacing, because the official platform enforces its own limits and reports when one is reached. */
const UNPACED: Pacing = { minDelayMs: 0, maxDelayMs: 0, typing: false, warmupDays: null };

/** Placeholder for the login of an official number, whose keys are read when it connects. */
export const OFFICIAL_LOGIN: Credentials = { driver: 'official' };

/** Returns null if the device has to be linked first. */
export const loginOf = ({ credentials, official = null }: Pick<DeviceRow, 'credentials' | 'official'>): Credentials | null =>
  official === null ? credentials : OFFICIAL_LOGIN;

export interface DeviceFacts extends DeviceSettings {
  readonly owner: Owner;
  readonly credentials: Credentials | null;
  readonly phone: string | null;
  /** The last login moved in from another program; null if the device never adopted one. */
  readonly moving: MovingLogin | null;
  readonly wanted: boolean;
  readonly status: SessionStatus;
  readonly reason: string | null;
  /** When to retry after a refused login, epoch ms; null to retry at once. */
  readonly retryAt: number | null;
  /** When the phone was linked, epoch ms; null if it was never linked, or linked before this was recorded. */
  readonly linkedAt: number | null;
  /** When the network last sent all groups of this account, epoch ms; null if it never has. */
  readonly groupsListedAt: number | null;
  readonly warmupUntil: number | null;
  readonly restriction: DeviceRestriction | null;
  readonly slowed: Slowed | null;
  /** Login times of the last 24 h, oldest first. */
  readonly reconnects: readonly number[];
  /** Whether earlier changes may not be recorded as events yet. */
  readonly unpublished: boolean;
}

/**
 * The lanes that may leave now. Replies have their own pause; planned messages also keep their
 * distance from replies; first contacts come last. The gate of campaigns is also shut while one of
 * their messages (see `campaignRoom`) is on the wire, so that a STOP finds the others still in
 * their lane.
 */
export const GATES = { shut: 0, replies: 1, scheduled: 2, campaigns: 3, firstContacts: 4 } as const;
export type Gate = (typeof GATES)[keyof typeof GATES];

/** When each kind of message may be sent next, epoch ms. */
export interface Pace {
  readonly replies: number;
  readonly planned: number;
  readonly strangers: number;
  /** End of the warm-up day whose limit is used up. */
  readonly spentUntil: number;
}
