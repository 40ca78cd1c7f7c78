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
  readonly warmupDays?: number | null;
}

export interface SendBudget {
  readonly gate: Gate;
  readonly isWatched: boolean;
  readonly day: YoungDay | null;
  readonly campaigns: number;
}

export interface DeviceSettings {
  readonly ignore: { readonly groups: boolean; readonly channels: boolean };
  readonly proxyUrl: string | null;
  readonly pacing: Pacing;
  readonly habits: readonly Habit[];
  readonly history: HistoryWanted;
  /** Whether the number is on the vendor's platform, which needs no phone, linking or warm-up. */
  readonly isOfficial: boolean;
}

export interface Installed {
  readonly habits: readonly Habit[];
  readonly history: number;
}

/** Messages per chat if the owner wants months of history and the configuration sets no limit. */
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

/** Not paced, because the official platform enforces its own limits and reports when one is reached. */
const UNPACED: Pacing = { minDelayMs: 0, maxDelayMs: 0, typing: false, warmupDays: null };

/** A placeholder. An official number's real keys are read from the store when it connects. */
export const OFFICIAL_LOGIN: Credentials = { driver: 'official' };

export const loginOf = ({ credentials, official = null }: Pick<DeviceRow, 'credentials' | 'official'>): Credentials | null =>
  official === null ? credentials : OFFICIAL_LOGIN;

export interface DeviceFacts extends DeviceSettings {
  readonly owner: Owner;
  readonly credentials: Credentials | null;
  readonly phone: string | null;
  readonly moving: MovingLogin | null;
  readonly wanted: boolean;
  readonly status: SessionStatus;
  readonly reason: string | null;
  readonly retryAt: number | null;
  /** When the phone was linked; null if never, or if it was linked before this field existed. */
  readonly linkedAt: number | null;
  readonly groupsListedAt: number | null;
  readonly warmupUntil: number | null;
  readonly restriction: DeviceRestriction | null;
  readonly slowed: Slowed | null;
  readonly reconnects: readonly number[];
  readonly unpublished: boolean;
}

/** Each gate lets its own kind of message pass, and all kinds listed before it. */
export const GATES = { shut: 0, replies: 1, scheduled: 2, campaigns: 3, firstContacts: 4 } as const;
export type Gate = (typeof GATES)[keyof typeof GATES];

export interface Pace {
  readonly replies: number;
  readonly planned: number;
  readonly strangers: number;
  readonly spentUntil: number;
}
