export const MEMBERS = 1_024;

export const sizeOf = (size: string | undefined) =>
  size === 'quick' ? { groups: 50, members: 20, runs: 3, warmUp: 1 } : { groups: 500, members: 50, runs: 5, warmUp: 3 };
