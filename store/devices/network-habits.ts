/** Behaviours of the driver that can only be verified with real accounts on the network. */
export type Habit = 'lid_first' | 'cstoken' | 'previews' | 'presence' | 'history';

export type DeviceHabits = { readonly [Name in Habit]?: boolean };
