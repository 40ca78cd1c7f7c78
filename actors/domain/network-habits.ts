import type { DeviceHabits, Habit } from '../../store/devices/network-habits.ts';

/**
 * Wire-level behaviours that only real accounts can confirm, each with a switch for the
 * installation (NETWORK_HABITS) and per device (`habits`), which wins. A login keeps the habits
 * with which it began.
 */
export const HABITS = ['lid_first', 'cstoken', 'previews', 'presence', 'history'] as const satisfies readonly Habit[];

export const habitsOf = (installed: readonly Habit[], own: DeviceHabits = {}): readonly Habit[] =>
  HABITS.filter((name) => own[name] ?? installed.includes(name));
