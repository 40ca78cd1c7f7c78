/** What the driver does on the network's wire that only real accounts can prove. */
export type Habit = 'lid_first' | 'cstoken' | 'previews' | 'presence' | 'history';

/** What a device says of its own; a habit that is missing is as the installation has it. */
export type DeviceHabits = { readonly [Name in Habit]?: boolean };
