import type { Limits } from '../../http/limits/limits.ts';

/** Limits that are never reached. */
export const NEVER_FULL: Limits = {
  take: (_key, limit) => ({ ok: true, limit, remaining: limit, resetMs: 60_000 }),
  takeAll: (windows) => windows.map(({ max: limit, windowMs }) => ({ ok: true, limit, remaining: limit, resetMs: windowMs })),
};
