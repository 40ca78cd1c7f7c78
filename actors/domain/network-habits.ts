import type { DeviceHabits, Habit } from '../../store/devices/network-habits.ts';

/**
 * Habits on the network's wire that only real accounts can prove, each with a switch of its own: for the installation (NETWORK_HABITS), and for a
 * device, whose own word wins. They lie with the device (`habits`), and a login keeps those with which it began.
 */
export const HABITS = ['lid_first', 'cstoken', 'previews', 'presence', 'history'] as const satisfies readonly Habit[];

export const habitsOf = (installed: readonly Habit[], own: DeviceHabits = {}): readonly Habit[] =>
  HABITS.filter((name) => own[name] ?? installed.includes(name));
