/** Maximum number of members of a group. */
export const MEMBERS = 1_024;

/** Amount of work of one process. */
export const sizeOf = (size: string | undefined) =>
  size === 'quick' ? { groups: 50, members: 20, runs: 3, warmUp: 1 } : { groups: 500, members: 50, runs: 5, warmUp: 3 };
