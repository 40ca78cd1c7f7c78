import type { DeviceHabits, Habit } from '../../store/devices/network-habits.ts';

/** Network behaviors that only tests with real accounts can confirm. A device's own setting wins. */
export const HABITS = ['lid_first', 'cstoken', 'previews', 'presence', 'history'] as const satisfies readonly Habit[];

export const habitsOf = (installed: readonly Habit[], own: DeviceHabits = {}): readonly Habit[] =>
  HABITS.filter((name) => own[name] ?? installed.includes(name));
