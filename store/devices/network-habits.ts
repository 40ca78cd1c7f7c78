/** Behaviours of the driver on the network that only real accounts can verify. */
export type Habit = 'lid_first' | 'cstoken' | 'previews' | 'presence' | 'history';

/** Settings of one device; a missing habit follows the installation. */
export type DeviceHabits = { readonly [Name in Habit]?: boolean };
